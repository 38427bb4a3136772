/*
 * The connections to the service. A call borrows one and gives it back; one that missed a deadline or broke
 * the protocol is closed, so that a late answer can never be taken for the answer to another question.
 *
 * In front of picks stands a breaker: a hung service costs three picks their deadline, all others nothing.
 */
#include "library.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_CONNECTIONS = 64,    /* the service decides one pick after the other; more only queue on its side */
    MAX_WAITING = 1024,      /* each waiter pins a thread of the host, which aborts at 10 000 of them */
    MISSES_TO_OPEN = 3,      /* one slow answer is an accident, three in a row are a state */
    SHORTEST_PROBE_MS = 100, /* how soon a service that was only slow gets its picks back */
    LONGEST_PROBE_MS = 5000  /* how often a service that hangs again and again may cost three deadlines */
};
enum { FREE = -1, DIALING = -2 };

struct connection {
    int fd;
    size_t slot;
    unsigned generation;
    bool used; /* it has carried calls before, so the service may have gone since */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over everything below */
static pthread_cond_t freed;
static char target[SOCKET_PATH];
static unsigned generation; /* of the target; connections to an older one are not kept */
static bool closed = true;
static int idle[MAX_CONNECTIONS], busy[MAX_CONNECTIONS]; /* idle is a stack: the last used is the warmest */
static size_t idle_count, busy_count, waiting;
static struct {
    int misses;
    bool open;
    int probe; /* a connection with a PING on it, or -1 */
    int64_t probe_at, pause;
} breaker;
static atomic_ulong dropped;

/* Makes the link usable, also again after link_close(). */
void link_open(void)
{
    pthread_mutex_lock(&lock);
    condition_init(&freed);
    for (size_t slot = 0; slot < MAX_CONNECTIONS; slot++)
        busy[slot] = FREE;
    idle_count = busy_count = waiting = 0;
    breaker.misses = 0;
    breaker.open = false;
    breaker.probe = -1;
    breaker.pause = SHORTEST_PROBE_MS;
    target[0] = '\0';
    closed = false;
    pthread_mutex_unlock(&lock);
}

static void drop_idle(void)
{
    while (idle_count > 0)
        close(idle[--idle_count]);
}

static void drop_probe(void)
{
    if (breaker.probe >= 0)
        close(breaker.probe);
    breaker.probe = -1;
}

/* Aims at another socket; true when it is another one. Calls on their way end where they began. */
bool link_aim(const char *path)
{
    pthread_mutex_lock(&lock);
    bool changed = strcmp(target, path) != 0;
    if (changed) {
        strcpy(target, path);
        generation++;
        drop_idle();
        drop_probe();
        breaker.open = false;
        breaker.misses = 0;
    }
    pthread_mutex_unlock(&lock);
    return changed;
}

void link_target(char path[SOCKET_PATH])
{
    pthread_mutex_lock(&lock);
    strcpy(path, target);
    pthread_mutex_unlock(&lock);
}

static int warm_connection(void)
{
    while (idle_count > 0) {
        int fd = idle[--idle_count];
        if (is_quiet(fd))
            return fd;
        close(fd);
    }
    return -1;
}

static bool wait_for_place(int64_t deadline)
{
    if (waiting >= MAX_WAITING)
        return false;
    waiting++;
    bool in_time = condition_wait(&freed, &lock, deadline);
    waiting--;
    return in_time;
}

/* A slot among the busy connections, with an idle connection in it if there is one. */
static enum outcome take_slot(struct connection *mine, int64_t deadline, bool pick)
{
    while (!closed && target[0] != '\0') {
        if (pick && breaker.open)
            return BUSY;
        mine->fd = warm_connection();
        mine->used = mine->fd >= 0;
        if (mine->used || busy_count < MAX_CONNECTIONS) {
            for (mine->slot = 0; busy[mine->slot] != FREE; mine->slot++)
                ;
            busy[mine->slot] = mine->used ? mine->fd : DIALING;
            busy_count++;
            mine->generation = generation;
            return DONE;
        }
        if (!wait_for_place(deadline))
            return BUSY;
    }
    return GONE;
}

static void give_back(const struct connection *mine, bool sound)
{
    pthread_mutex_lock(&lock);
    bool keep = sound && !closed && mine->generation == generation;
    busy[mine->slot] = FREE;
    busy_count--;
    if (keep)
        idle[idle_count++] = mine->fd;
    pthread_cond_signal(&freed);
    pthread_mutex_unlock(&lock);
    if (!keep && mine->fd >= 0)
        close(mine->fd);
}

static enum outcome borrow(struct connection *mine, int64_t deadline, bool pick)
{
    char path[SOCKET_PATH];
    pthread_mutex_lock(&lock);
    enum outcome outcome = take_slot(mine, deadline, pick);
    strcpy(path, target);
    pthread_mutex_unlock(&lock);
    if (outcome != DONE || mine->used)
        return outcome;
    mine->fd = dial(path, deadline);
    pthread_mutex_lock(&lock);
    busy[mine->slot] = mine->fd >= 0 ? mine->fd : DIALING;
    outcome = mine->fd >= 0 && !closed ? DONE : now_ms() >= deadline ? MISSED : GONE;
    pthread_mutex_unlock(&lock);
    if (outcome != DONE)
        give_back(mine, false);
    return outcome;
}

static enum outcome ask(const char *method, struct bytes body, struct frame *reply, int64_t deadline,
                        bool pick)
{
    struct connection mine;
    for (bool again = true;; again = false) {
        enum outcome outcome = borrow(&mine, deadline, pick);
        if (outcome != DONE)
            return outcome;
        outcome = send_call(mine.fd, CALL, method, body, deadline);
        if (outcome == DONE)
            outcome = receive_frame(mine.fd, reply, deadline);
        if (outcome == DONE && reply->kind != REPLY) {
            free(reply->payload);
            outcome = BROKEN;
        }
        give_back(&mine, outcome == DONE);
        if (outcome != GONE || !mine.used || !again)
            return outcome == BUSY ? MISSED : outcome;
        /* The service was restarted: the other connections are dead too, and the next one is a fresh one. */
        pthread_mutex_lock(&lock);
        drop_idle();
        pthread_mutex_unlock(&lock);
    }
}

/* Calls the service; on DONE the payload of *reply* is the caller's to free. */
enum outcome link_ask(const char *method, struct bytes body, struct frame *reply, int64_t deadline)
{
    return ask(method, body, reply, deadline, false);
}

/* Tells the service without waiting for anything; what cannot be sent at once is dropped and counted. */
void link_note(const char *method, struct bytes body)
{
    struct connection mine;
    for (bool again = true; borrow(&mine, 0, false) == DONE; again = false) {
        enum outcome outcome = send_call(mine.fd, NOTE, method, body, 0);
        give_back(&mine, outcome == DONE || outcome == BUSY);
        if (outcome == DONE)
            return;
        if (outcome != GONE || !mine.used || !again)
            break;
    }
    atomic_fetch_add(&dropped, 1);
}

unsigned long link_dropped(void)
{
    return atomic_load(&dropped);
}

/* Has the service come back? Sends a PING, and looks for the PONG when the next pick comes; never waits. */
static void probe(void)
{
    const struct bytes nothing = {NULL, 0};
    struct frame pong;
    if (breaker.probe < 0) {
        if (now_ms() < breaker.probe_at)
            return;
        breaker.probe_at = now_ms() + breaker.pause;
        breaker.probe = dial(target, 0);
        if (breaker.probe >= 0 && send_frame(breaker.probe, PING, nothing, nothing, 0) != DONE)
            drop_probe();
        return;
    }
    if (is_quiet(breaker.probe))
        return;
    if (receive_frame(breaker.probe, &pong, 0) == DONE) {
        free(pong.payload);
        breaker.open = pong.kind != PONG;
        breaker.misses = 0;
    }
    drop_probe();
}

static void count_miss(void)
{
    if (breaker.open || ++breaker.misses < MISSES_TO_OPEN)
        return;
    breaker.open = true;
    breaker.probe_at = now_ms() + breaker.pause;
    breaker.pause = breaker.pause * 2 < LONGEST_PROBE_MS ? breaker.pause * 2 : LONGEST_PROBE_MS;
    pthread_cond_broadcast(&freed); /* waiting picks need not wait any longer */
}

/* Asks for a pick, within its deadline, or answers at once while the breaker is open. */
enum outcome link_pick(struct bytes body, struct frame *reply)
{
    int64_t deadline = pick_deadline();
    pthread_mutex_lock(&lock);
    if (breaker.open)
        probe();
    bool open = breaker.open;
    pthread_mutex_unlock(&lock);
    if (open)
        return BUSY;
    enum outcome outcome = ask("scheduler.pick", body, reply, deadline, true);
    pthread_mutex_lock(&lock);
    if (outcome == MISSED)
        count_miss();
    if (outcome == DONE) {
        breaker.misses = 0;
        breaker.pause = SHORTEST_PROBE_MS;
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

/* Ends all waits; connections in use are closed by their borrowers, which notice at once. */
void link_close(void)
{
    pthread_mutex_lock(&lock);
    closed = true;
    drop_idle();
    drop_probe();
    for (size_t slot = 0; slot < MAX_CONNECTIONS; slot++)
        if (busy[slot] >= 0)
            shutdown(busy[slot], SHUT_RDWR);
    pthread_cond_broadcast(&freed);
    pthread_mutex_unlock(&lock);
}
