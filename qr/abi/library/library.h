/*
 * The plugin library: it carries the host's calls to the service and back, and answers by itself whenever the
 * service does not. This header is what its parts share; the wire is described in frames.py.
 *
 * Only cliproxy_plugin_init is exported, so two copies can be mapped at once. There are no signal handlers,
 * no thread-local destructors and no exit hooks: the host unmaps the code as soon as shutdown() has returned.
 */
#ifndef QUOTA_ROUTER_LIBRARY_H
#define QUOTA_ROUTER_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The host's structs, in its own layout. */
typedef struct {
    void *ptr;
    size_t len;
} cliproxy_buffer;

typedef struct {
    uint32_t abi_version;
    void *host_ctx;
    int (*call)(void *ctx, const char *method, const uint8_t *body, size_t length, cliproxy_buffer *answer);
    void (*free_buffer)(void *ptr, size_t length);
} cliproxy_host_api;

typedef struct {
    uint32_t abi_version;
    int (*call)(const char *method, const uint8_t *body, size_t length, cliproxy_buffer *answer);
    void (*free_buffer)(void *ptr, size_t length);
    void (*shutdown)(void);
} cliproxy_plugin_api;

/* Some bytes of somebody else's: a request, or an answer. */
struct bytes {
    const void *at;
    size_t length;
};

/* answers.c: what is said without the service. */
extern const struct bytes NOT_HANDLED, OK, UNKNOWN_METHOD, NO_ROUTES, UNAVAILABLE;
struct bytes registration(struct bytes request);
bool is_pick_answer(struct bytes answer);
bool is_envelope(struct bytes answer);
bool is_constant(const void *answer);

/* sidecar.c: where the service listens. */
enum { SOCKET_PATH = 104, PLUGIN_ID = 129 }; /* the shortest sun_path of our platforms; the longest id */
struct settings {
    char plugin[PLUGIN_ID];
    char socket[SOCKET_PATH]; /* empty: nobody to talk to */
    int pick_deadline_ms;     /* 0: not told */
};
void read_settings(struct settings *settings);

/* wire.c: sockets and frames; deadlines are milliseconds of now_ms(), a monotonic clock. */
enum kind { CALL = 1, REPLY, NOTE, HOST_CALL, HOST_REPLY, PING, PONG, ATTACH };
enum outcome {
    DONE,
    GONE,   /* nobody there, or the connection ended before the first byte of an answer */
    MISSED, /* the deadline passed in the middle */
    BUSY,   /* the deadline passed and nothing had been sent */
    BROKEN  /* the peer breaks the protocol, or there is no memory for what it says */
};
/* As in frames.py: an honest payload has a few hundred KB at most; a broken peer must not fill the memory. */
enum { HEADER = 8, MAX_PAYLOAD = 16 * 1024 * 1024, MAX_METHOD = 255 };
struct frame {
    enum kind kind;
    uint8_t *payload; /* from malloc, never NULL */
    size_t length;
};
#define FOREVER INT64_MAX

int64_t now_ms(void);
int64_t pick_deadline(void);
void set_pick_deadline_ms(int milliseconds);
int dial(const char *path, int64_t deadline);
bool is_quiet(int fd);
enum outcome send_frame(int fd, enum kind kind, struct bytes head, struct bytes body, int64_t deadline);
enum outcome send_call(int fd, enum kind kind, const char *method, struct bytes body, int64_t deadline);
enum outcome receive_frame(int fd, struct frame *frame, int64_t deadline);
void condition_init(pthread_cond_t *condition);
bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline);

/* link.c: the connections to the service, and the breaker in front of them. */
void link_open(void);
bool link_aim(const char *path);
void link_target(char path[SOCKET_PATH]);
enum outcome link_ask(const char *method, struct bytes body, struct frame *reply, int64_t deadline);
enum outcome link_pick(struct bytes body, struct frame *reply);
void link_note(const char *method, struct bytes body);
unsigned long link_dropped(void);
void link_close(void);

/* callbacks.c: the thread that calls the host for the service. */
void callbacks_open(const cliproxy_host_api *host);
void callbacks_configure(const char *plugin, bool elsewhere, const char *method, struct bytes body);
void callbacks_rest(void);
void callbacks_stop(void);

#endif
