/*
 * The connections to the service. A call borrows one and gives it back; one that missed a deadline or broke
 * the protocol is closed, so that a late answer can never be taken for the answer to another question.
 * In front of picks stands a breaker: a hung service costs three picks their deadline, all others nothing.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#ifdef __APPLE__ /* conditions know the wall clock only, and no socket is born with FD_CLOEXEC */
#define CLOCK CLOCK_REALTIME
#define pthread_condattr_setclock(attributes, clock) ((void)0)
#define SOCK_CLOEXEC 0
#else
#define CLOCK CLOCK_MONOTONIC
#endif

enum {
    HEADER = 8,
    PROTOCOL = 1,
    MAX_CONNECTIONS = 64,   /* the service decides one pick after the other; more only queue on its side */
    MAX_WAITING = 1024,     /* each waiter pins a thread of the host, which aborts at 10 000 of them */
    DEFAULT_PICK_MS = 250,  /* a healthy service answers in under 3 ms; from 250 ms on a person notices */
    SHORTEST_PICK_MS = 10,  /* less would give up on a healthy service of a busy machine */
    MISSES_TO_OPEN = 3,     /* one slow answer is an accident, three in a row are a state */
    PROBE_MS = 500          /* how often a service that answers a PING and no picks is given another one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over what is not atomic */
static pthread_cond_t freed, woken;
static char path[MAX_SOCKET];     /* where the service listens; empty: nowhere */
static unsigned generation;       /* of the path; connections to an earlier one are not kept */
static int idle[MAX_CONNECTIONS]; /* a stack: the last used is the warmest */
static int idle_count, busy_count, waiting_count;
static int callback = -1; /* the callback thread's connection */
static int probe = -1;    /* a connection with a PING on it */
static int64_t probe_at;
static atomic_int misses;
atomic_int pick_ms = DEFAULT_PICK_MS;
atomic_ulong notes_dropped;

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Moves bytes out or in, all of them unless the deadline passes or the connection ends. */
static enum outcome transfer(int fd, short event, uint8_t *bytes, size_t length, int64_t deadline)
{
    size_t done = 0;
    while (done < length) {
        ssize_t moved = event == POLLOUT ? send(fd, bytes + done, length - done, MSG_NOSIGNAL)
                                         : recv(fd, bytes + done, length - done, 0);
        if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR))
            return done == 0 ? GONE : BROKEN;
        int64_t left = deadline - now_ms();
        if (moved > 0)
            done += (size_t)moved;
        else if (left > 0)
            poll(&(struct pollfd){fd, event, 0}, 1, (int)left);
        else
            return done == 0 ? BUSY : BROKEN;
    }
    return DONE;
}

enum outcome send_frame(int fd, enum kind kind, cliproxy_buffer head, cliproxy_buffer body, int64_t deadline)
{
    size_t length = head.len + body.len;
    uint8_t header[HEADER] = {(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                              (uint8_t)(length >> 24), (uint8_t)kind, PROTOCOL};
    uint8_t *frame = length > MAX_PAYLOAD ? NULL : malloc(HEADER + length);
    if (frame == NULL)
        return BUSY;
    memcpy(frame, header, HEADER);
    memcpy(frame + HEADER, head.ptr, head.len);
    memcpy(frame + HEADER + head.len, body.ptr, body.len);
    enum outcome outcome = transfer(fd, POLLOUT, frame, HEADER + length, deadline);
    free(frame);
    return outcome;
}

/* Receives a frame, which must be of that kind; its payload is the caller's, and has a NUL behind it. */
enum outcome receive_frame(int fd, enum kind kind, cliproxy_buffer *payload, int64_t deadline)
{
    uint8_t header[HEADER];
    enum outcome outcome = transfer(fd, POLLIN, header, HEADER, deadline);
    if (outcome != DONE)
        return outcome;
    size_t length = header[0] | header[1] << 8 | header[2] << 16 | (size_t)header[3] << 24;
    bool sound = header[4] == kind && header[5] == PROTOCOL && length <= MAX_PAYLOAD;
    uint8_t *text = sound ? calloc(1, length + 1) : NULL;
    if (text == NULL || transfer(fd, POLLIN, text, length, deadline) != DONE) {
        free(text);
        return BROKEN;
    }
    *payload = (cliproxy_buffer){text, length};
    if (header[6] != 0 || header[7] != 0)
        pick_ms = header[6] | header[7] << 8;
    return DONE;
}

/* Sends a call and receives its reply; where no reply is wanted, it is a note. */
static enum outcome exchange(int fd, const char *method, cliproxy_buffer body, cliproxy_buffer *reply,
                             int64_t deadline)
{
    char head[1 + UINT8_MAX] = {(char)strlen(method)};
    cliproxy_buffer name = {head, 1 + strlen(method)};
    memcpy(head + 1, method, strlen(method));
    enum outcome outcome = send_frame(fd, reply == NULL ? NOTE : CALL, name, body, deadline);
    if (outcome != DONE || reply == NULL)
        return outcome;
    outcome = receive_frame(fd, REPLY, reply, deadline);
    return outcome == BUSY ? BROKEN : outcome; /* a late reply must not be taken for the next one */
}

/* A new connection, or -1. It never waits: a service whose backlog is full is no service. */
static int dial(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = *path == '\0' ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    strcpy(address.sun_path, path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static void hang_up(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* An idle connection that has not ended and says nothing unasked; else a new one. */
static int warm_or_new(void)
{
    char byte;
    while (idle_count > 0) {
        int fd = idle[--idle_count];
        if (recv(fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN)
            return fd;
        close(fd);
    }
    return dial();
}

static bool condition_wait(pthread_cond_t *condition, int64_t deadline)
{
    const struct timespec until = {deadline / 1000, deadline % 1000 * 1000000};
    return pthread_cond_timedwait(condition, &lock, &until) == 0;
}

/* A connection for one call; -1 without a service, or when all stay busy. */
static int borrow(unsigned *born, int64_t deadline)
{
    bool in_time = true;
    pthread_mutex_lock(&lock);
    while (busy_count == MAX_CONNECTIONS && waiting_count < MAX_WAITING && in_time) {
        waiting_count++;
        in_time = condition_wait(&freed, deadline);
        waiting_count--;
    }
    int fd = busy_count < MAX_CONNECTIONS ? warm_or_new() : -1;
    if (fd >= 0)
        busy_count++;
    *born = generation;
    pthread_mutex_unlock(&lock);
    return fd;
}

static void give_back(int fd, unsigned born, bool sound)
{
    pthread_mutex_lock(&lock);
    busy_count--;
    if (sound && born == generation)
        idle[idle_count++] = fd;
    else
        close(fd);
    pthread_cond_signal(&freed);
    pthread_mutex_unlock(&lock);
}

/* Calls the service, or sends a note; once more over another connection if the first was a dead one. */
bool ask(const char *method, cliproxy_buffer body, cliproxy_buffer *reply, int64_t deadline)
{
    enum outcome outcome = GONE;
    for (int attempt = 0; attempt < 2 && outcome == GONE; attempt++) {
        unsigned born;
        int fd = borrow(&born, deadline);
        if (fd < 0)
            return false;
        outcome = exchange(fd, method, body, reply, deadline);
        give_back(fd, born, outcome == DONE || outcome == BUSY);
    }
    return outcome == DONE;
}

/*
 * While the breaker is open, sends a PING, and looks at a later pick whether the PONG has come; never waits.
 * After a PONG a single miss opens it again.
 */
static bool breaker_is_open(void)
{
    pthread_mutex_lock(&lock);
    if (probe >= 0) {
        cliproxy_buffer pong = {NULL, 0};
        enum outcome outcome = receive_frame(probe, PONG, &pong, 0);
        free(pong.ptr);
        if (outcome == DONE && misses >= MISSES_TO_OPEN)
            misses = MISSES_TO_OPEN - 1;
        if (outcome != BUSY)
            hang_up(&probe);
    } else if (misses >= MISSES_TO_OPEN && now_ms() >= probe_at) {
        probe_at = now_ms() + PROBE_MS;
        probe = dial();
        if (probe >= 0)
            send_frame(probe, PING, NOTHING, NOTHING, 0);
    }
    pthread_mutex_unlock(&lock);
    return misses >= MISSES_TO_OPEN;
}

/* Asks for a pick within its deadline; false at once while the breaker is open. */
bool ask_for_pick(cliproxy_buffer body, cliproxy_buffer *reply)
{
    int64_t deadline = now_ms() + (pick_ms < SHORTEST_PICK_MS ? SHORTEST_PICK_MS : pick_ms);
    if (breaker_is_open())
        return false;
    bool answered = ask("scheduler.pick", body, reply, deadline);
    if (answered)
        misses = 0;
    else if (now_ms() >= deadline)
        misses++;
    return answered;
}

/* Closes the callback thread's connection, if there is one; returns another one after a pause, or -1. */
int renew_callback_connection(int pause_ms)
{
    pthread_mutex_lock(&lock);
    hang_up(&callback);
    if (!stopping)
        condition_wait(&woken, now_ms() + pause_ms);
    callback = dial();
    int fd = callback;
    pthread_mutex_unlock(&lock);
    return fd;
}

/* Makes the callback thread dial anew; it alone may close its connection. */
void leave_callback_connection(void)
{
    pthread_mutex_lock(&lock);
    if (callback >= 0)
        shutdown(callback, SHUT_RDWR);
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
}

void connections_open(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK);
    pthread_cond_init(&freed, &attributes);
    pthread_cond_init(&woken, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* From now on the service is the one behind this path; calls under way end where they began. */
void connections_aim(const char *socket_path)
{
    pthread_mutex_lock(&lock);
    bool elsewhere = strcmp(path, socket_path) != 0;
    if (elsewhere) {
        strcpy(path, socket_path);
        generation++;
        misses = 0;
        hang_up(&probe);
        while (idle_count > 0)
            close(idle[--idle_count]);
    }
    pthread_mutex_unlock(&lock);
    if (elsewhere)
        leave_callback_connection();
}
