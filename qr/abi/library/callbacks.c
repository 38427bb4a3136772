/*
 * One thread calls the host for the service, over a connection of its own. The service needs the accounts and
 * their credentials while no request is under way, before the first pick for one; so the host's own calls
 * cannot lend their threads for it, and the one that brings usage records must not be kept waiting at all.
 *
 * Whoever is attached to gets the host's last settings: the service may have been down when they came.
 */
#include "library.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SETTINGS_MS = 1000,        /* the host's start waits for it; the service only parses its settings */
    SHORTEST_PAUSE_MS = 100,   /* so that a service that hangs up at once costs nothing */
    LONGEST_PAUSE_MS = 2000,   /* how long a service that has just started waits for its accounts at most */
    MAX_SETTINGS = 1024 * 1024 /* a larger configuration is passed on, but not repeated */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over the thread's life and its connection */
static pthread_cond_t nudged;
static const cliproxy_host_api *host;
static char plugin[PLUGIN_ID];
static pthread_t thread;
static bool running, stopping, resting;
static int connection = -1;

static pthread_mutex_t settling = PTHREAD_MUTEX_INITIALIZER; /* over the host's last settings */
static void *settings;
static size_t settings_length;
static int64_t configured; /* when they came */

static void keep_settings(struct bytes body)
{
    pthread_mutex_lock(&settling);
    free(settings);
    settings = body.length > 0 && body.length <= MAX_SETTINGS ? malloc(body.length) : NULL;
    settings_length = settings == NULL ? 0 : body.length;
    if (settings != NULL)
        memcpy(settings, body.at, body.length);
    configured = now_ms();
    pthread_mutex_unlock(&settling);
}

static bool hold_connection(int fd)
{
    pthread_mutex_lock(&lock);
    bool held = !stopping && !resting;
    if (held)
        connection = fd;
    pthread_mutex_unlock(&lock);
    return held;
}

static void hang_up(int fd)
{
    pthread_mutex_lock(&lock);
    connection = -1;
    pthread_mutex_unlock(&lock);
    close(fd);
}

static enum outcome attach(int fd)
{
    static const char lines[] = "plugin=%s\nversion=%s\npid=%ld\ndropped=%lu\nconfigured=%lld\n\n";
    char text[PLUGIN_ID + 192];
    pthread_mutex_lock(&settling);
    int length = snprintf(text, sizeof text, lines, plugin, QUOTA_ROUTER_VERSION, (long)getpid(),
                          link_dropped(), (long long)configured);
    struct bytes head = {text, (size_t)length}, body = {settings, settings_length};
    enum outcome outcome = send_frame(fd, ATTACH, head, body, now_ms() + SETTINGS_MS);
    pthread_mutex_unlock(&settling);
    return outcome;
}

static enum outcome call_host(int fd, const char *method, struct bytes body)
{
    cliproxy_buffer answer = {NULL, 0};
    uint8_t code = host->call(host->host_ctx, method, body.at, body.length, &answer) != 0;
    size_t length = answer.ptr == NULL ? 0 : answer.len;
    if (length >= MAX_PAYLOAD) /* the service would hang up on it */
        code = 1, length = 0;
    struct bytes said = {answer.ptr, length};
    enum outcome outcome = send_frame(fd, HOST_REPLY, (struct bytes){&code, 1}, said, FOREVER);
    if (answer.ptr != NULL)
        host->free_buffer(answer.ptr, answer.len);
    return outcome;
}

/* Serves the service's calls until the connection ends; true when there was one. */
static bool serve(int fd)
{
    struct frame frame;
    bool served = false, sound = true;
    while (sound && receive_frame(fd, &frame, FOREVER) == DONE) {
        size_t name = frame.length > 0 ? frame.payload[0] : 0;
        sound = frame.kind == HOST_CALL && frame.length > name;
        if (sound) {
            char method[MAX_METHOD + 1] = {0};
            memcpy(method, frame.payload + 1, name);
            struct bytes body = {frame.payload + 1 + name, frame.length - 1 - name};
            sound = call_host(fd, method, body) == DONE;
            served = true;
        }
        free(frame.payload);
    }
    return served;
}

static bool attend(void)
{
    char path[SOCKET_PATH];
    bool served = false;
    link_target(path);
    int fd = path[0] == '\0' ? -1 : dial(path, 0);
    if (fd < 0)
        return false;
    if (hold_connection(fd) && attach(fd) == DONE)
        served = serve(fd);
    hang_up(fd);
    return served;
}

/* Waits until the pause is over or somebody has news, and while at rest; false at the end of the thread. */
static bool pause_for(int64_t pause)
{
    pthread_mutex_lock(&lock);
    bool waited = false;
    while (!stopping && (resting || !waited)) {
        condition_wait(&nudged, &lock, now_ms() + pause);
        waited = true;
    }
    bool go_on = !stopping;
    pthread_mutex_unlock(&lock);
    return go_on;
}

static void *run(void *unused)
{
    int64_t pause = SHORTEST_PAUSE_MS;
    do {
        pause = attend() ? SHORTEST_PAUSE_MS : pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS;
    } while (pause_for(pause));
    return unused;
}

void callbacks_open(const cliproxy_host_api *api)
{
    pthread_mutex_lock(&lock);
    condition_init(&nudged);
    host = api;
    stopping = false;
    pthread_mutex_unlock(&lock);
}

static bool start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all); /* signals are for the host's own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void leave_connection(void)
{
    if (connection >= 0)
        shutdown(connection, SHUT_RDWR);
}

/* Starts the thread, or has it dial at once; *elsewhere* makes it leave its present connection. */
static void start(const char *id, bool elsewhere)
{
    pthread_mutex_lock(&lock);
    resting = false;
    if (elsewhere)
        leave_connection();
    if (running) {
        pthread_cond_signal(&nudged);
    } else if (!stopping && host->call != NULL && host->free_buffer != NULL) {
        strcpy(plugin, id);
        running = start_thread();
    }
    pthread_mutex_unlock(&lock);
}

/*
 * Takes over plugin.register or plugin.reconfigure: keeps the settings, passes them on, and has the thread
 * attend to the service for the plugin *id*. A service that misses them gets them from a new connection.
 */
void callbacks_configure(const char *id, bool elsewhere, const char *method, struct bytes body)
{
    struct frame reply;
    keep_settings(body);
    start(id, elsewhere);
    if (link_ask(method, body, &reply, now_ms() + SETTINGS_MS) == DONE) {
        free(reply.payload);
        return;
    }
    pthread_mutex_lock(&lock);
    leave_connection();
    pthread_mutex_unlock(&lock);
}

/* Another copy of the library takes over: this one is silent until it is configured again. */
void callbacks_rest(void)
{
    pthread_mutex_lock(&lock);
    resting = true;
    leave_connection();
    pthread_mutex_unlock(&lock);
}

/* Returns when the thread has ended: from then on the host is not called. */
void callbacks_stop(void)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    leave_connection();
    pthread_cond_signal(&nudged);
    bool join = running;
    running = false;
    pthread_mutex_unlock(&lock);
    if (join)
        pthread_join(thread, NULL);
    pthread_mutex_lock(&settling);
    free(settings);
    settings = NULL;
    settings_length = 0;
    pthread_mutex_unlock(&settling);
}
