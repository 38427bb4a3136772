/*
 * The plugin library: it carries the host's calls to the service and back, and answers by itself whenever the
 * service does not. This header is what its parts share; the wire is described in frames.py.
 * Only cliproxy_plugin_init is exported, so two copies can be mapped at once. There are no signal handlers,
 * no thread-local destructors and no exit hooks: the host unmaps the code as soon as shutdown() has returned.
 */
#ifndef QUOTA_ROUTER_LIBRARY_H
#define QUOTA_ROUTER_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define NOTHING ((cliproxy_buffer){"", 0}) /* NULL is what does not exist; it is never sent */

enum {
    MAX_PATH = 4096,               /* the longest path that the kernel takes */
    MAX_SOCKET = 104,              /* the shortest sun_path of our platforms */
    MAX_PAYLOAD = 16 * 1024 * 1024 /* as in frames.py: a broken peer must not fill the memory */
};

/* connections.c; deadlines are times of now_ms(). */
enum kind { CALL = 1, REPLY, NOTE, HOST_CALL, HOST_REPLY, PING, PONG, ATTACH };
enum outcome {
    DONE,
    GONE,  /* the connection ended before a single byte went through */
    BUSY,  /* the deadline passed before a single byte went through */
    BROKEN /* the connection is of no further use */
};
extern atomic_int pick_ms;
extern atomic_ulong notes_dropped;
int64_t now_ms(void);
enum outcome send_frame(int fd, enum kind kind, cliproxy_buffer head, cliproxy_buffer body, int64_t deadline);
enum outcome receive_frame(int fd, enum kind kind, cliproxy_buffer *payload, int64_t deadline);
bool ask(const char *method, cliproxy_buffer body, cliproxy_buffer *reply, int64_t deadline);
bool ask_for_pick(cliproxy_buffer body, cliproxy_buffer *reply);
int renew_callback_connection(int pause_ms);
void leave_callback_connection(void);
void connections_open(void);
void connections_aim(const char *socket_path);

/* callbacks.c */
extern const cliproxy_host_api *host;
extern atomic_bool stopping;
void callbacks_configure(const char *method, cliproxy_buffer settings);
void shut_down(void);
const char *find_library(char stem[MAX_PATH]); /* quota_router.c */

#endif
