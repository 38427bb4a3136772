/* Sockets and frames. No wait outlasts its deadline, nor the shutdown() of the socket that it waits for. */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS has the socket option SO_NOSIGPIPE instead */
#endif

enum {
    PROTOCOL = 1,
    DEFAULT_PICK_MS = 250,   /* a healthy service answers in under 3 ms; from 250 ms on a person notices */
    SHORTEST_PICK_MS = 10,   /* less would give up on a healthy service of a busy machine */
    LONGEST_PICK_MS = 10000, /* a client waits that long for nothing while the service hangs */
    LONGEST_POLL_MS = 60000, /* poll() takes an int; a longer wait is several polls */
    BACKLOG_PAUSE_MS = 2     /* a listener with a full backlog cannot be polled for */
};

static atomic_int pick_ms = DEFAULT_PICK_MS;

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t pick_deadline(void)
{
    return now_ms() + atomic_load(&pick_ms);
}

/* The service's or the sidecar's wish, within bounds; 0 is none. */
void set_pick_deadline_ms(int wish)
{
    if (wish > 0)
        atomic_store(&pick_ms, wish < SHORTEST_PICK_MS ? SHORTEST_PICK_MS
                               : wish > LONGEST_PICK_MS ? LONGEST_PICK_MS
                                                        : wish);
}

/* Conditions wait on the clock of now_ms(), whichever way the platform has it. */
void condition_init(pthread_cond_t *condition)
{
#ifdef __APPLE__
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
}

/* Waits to be signalled; false at the deadline. */
bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline)
{
#ifdef __APPLE__
    int64_t left = deadline - now_ms();
    struct timespec span = {left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0};
    return pthread_cond_timedwait_relative_np(condition, lock, &span) == 0;
#else
    struct timespec until = {deadline / 1000, deadline % 1000 * 1000000};
    return pthread_cond_timedwait(condition, lock, &until) == 0;
#endif
}

static bool await(int fd, short events, int64_t deadline)
{
    for (;;) {
        struct pollfd polled = {fd, events, 0};
        int64_t left = deadline - now_ms();
        int ready = poll(&polled, 1, left < 0 ? 0 : left > LONGEST_POLL_MS ? LONGEST_POLL_MS : (int)left);
        if (ready > 0)
            return true;
        if (now_ms() >= deadline)
            return false;
    }
}

static int open_socket(void)
{
#ifdef __linux__
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), yes = 1;
    if (fd < 0)
        return -1;
#ifdef SO_NOSIGPIPE
    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#else
    (void)yes;
#endif
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
#endif
}

/* A connection to the service, or -1: nobody is there, or the backlog stayed full until the deadline. */
int dial(const char *path, int64_t deadline)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = open_socket();
    if (fd < 0)
        return -1;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    while (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        if ((errno != EAGAIN && errno != EINTR) || now_ms() >= deadline) {
            close(fd);
            return -1;
        }
        poll(NULL, 0, BACKLOG_PAUSE_MS);
    }
    return fd;
}

static bool would_wait(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

/* Nothing has arrived on an idle connection: not its end, and no stray bytes to be taken for an answer. */
bool is_quiet(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK) < 0 && would_wait();
}

/* Takes *sent* bytes off the front of what is still to be sent. */
static void advance(struct msghdr *pending, size_t sent)
{
    for (; pending->msg_iovlen > 0 && sent >= pending->msg_iov->iov_len; pending->msg_iovlen--)
        sent -= pending->msg_iov++->iov_len;
    if (pending->msg_iovlen > 0) {
        pending->msg_iov->iov_base = (char *)pending->msg_iov->iov_base + sent;
        pending->msg_iov->iov_len -= sent;
    }
}

/* Sends a frame whose payload is *head* and *body*. */
enum outcome send_frame(int fd, enum kind kind, struct bytes head, struct bytes body, int64_t deadline)
{
    size_t length = head.length + body.length;
    uint8_t header[HEADER] = {(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                              (uint8_t)(length >> 24), (uint8_t)kind, PROTOCOL, 0, 0};
    struct iovec parts[] = {{header, HEADER}, {(void *)head.at, head.length}, {(void *)body.at, body.length}};
    struct msghdr pending = {.msg_iov = parts, .msg_iovlen = 3};
    enum outcome late = BUSY;
    while (pending.msg_iovlen > 0) {
        ssize_t sent = sendmsg(fd, &pending, MSG_NOSIGNAL);
        if (sent >= 0) {
            advance(&pending, (size_t)sent);
            late = MISSED;
        } else if (would_wait()) {
            if (!await(fd, POLLOUT, deadline))
                return late;
        } else if (errno != EINTR) {
            return GONE;
        }
    }
    return DONE;
}

/* Sends a CALL, a NOTE or the like: the method with its length in front, and the body. */
enum outcome send_call(int fd, enum kind kind, const char *method, struct bytes body, int64_t deadline)
{
    char head[1 + MAX_METHOD];
    size_t length = strlen(method);
    if (length > MAX_METHOD || body.length > MAX_PAYLOAD - sizeof head)
        return BROKEN;
    head[0] = (char)length;
    memcpy(head + 1, method, length);
    return send_frame(fd, kind, (struct bytes){head, 1 + length}, body, deadline);
}

static enum outcome receive(int fd, uint8_t *into, size_t length, int64_t deadline)
{
    size_t have = 0;
    while (have < length) {
        ssize_t received = recv(fd, into + have, length - have, 0);
        if (received > 0)
            have += (size_t)received;
        else if (received < 0 && would_wait()) {
            if (!await(fd, POLLIN, deadline))
                return MISSED;
        } else if (received == 0 || errno != EINTR)
            return have == 0 ? GONE : BROKEN;
    }
    return DONE;
}

/* Receives a frame, and takes over the pick deadline in it; on DONE the payload is the caller's to free. */
enum outcome receive_frame(int fd, struct frame *frame, int64_t deadline)
{
    uint8_t header[HEADER];
    enum outcome outcome = receive(fd, header, HEADER, deadline);
    if (outcome != DONE)
        return outcome;
    frame->length = header[0] | header[1] << 8 | header[2] << 16 | (size_t)header[3] << 24;
    frame->kind = (enum kind)header[4];
    if (header[5] != PROTOCOL || frame->length > MAX_PAYLOAD)
        return BROKEN;
    frame->payload = malloc(frame->length + 1);
    if (frame->payload == NULL)
        return BROKEN;
    set_pick_deadline_ms(header[6] | header[7] << 8);
    outcome = receive(fd, frame->payload, frame->length, deadline);
    if (outcome != DONE)
        free(frame->payload);
    return outcome == GONE ? BROKEN : outcome;
}
