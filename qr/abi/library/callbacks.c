/*
 * One thread calls the host for the service, over a connection of its own. The service needs the accounts and
 * their credentials while no request is under way, before the first pick for one; so the host's own calls
 * cannot lend their threads for it, and the one that brings usage records must not be kept waiting at all.
 */
#include "library.h"

#include <signal.h>
#include <stdio.h>

enum {
    SETTINGS_MS = 1000, /* they fit the socket's buffer, unless a service hangs and they are very long */
    REDIAL_MS = 250,    /* how long a service that has just started waits for its accounts at most */
    DAY_MS = 86400000   /* as good as forever, and fits the int of poll() */
};

const cliproxy_host_api *host;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over the three lines below */
static cliproxy_buffer settings;                         /* the host's last ones */
static long long configured;                             /* when they came, by now_ms() */
static bool running;
static pthread_t thread;
atomic_bool stopping;

/* Makes this the callback connection. Settings go along, for a service that was down when they came. */
static bool attach(int fd)
{
    char stem[MAX_PATH], text[512];
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "plugin=%.128s\nversion=%s\npid=%d\ndropped=%lu\nconfigured=%lld\n\n",
             find_library(stem), QUOTA_ROUTER_VERSION, getpid(), notes_dropped, configured);
    cliproxy_buffer head = {text, strlen(text)};
    bool attached = send_frame(fd, ATTACH, head, settings, now_ms() + SETTINGS_MS) == DONE;
    pthread_mutex_unlock(&lock);
    return attached;
}

/* Waits for a call and makes it; false when the connection is of no further use. */
static bool serve(int fd)
{
    cliproxy_buffer call, answer = {NULL, 0};
    if (receive_frame(fd, HOST_CALL, &call, now_ms() + DAY_MS) != DONE)
        return false;
    char *method = call.ptr;
    size_t length = (uint8_t)*method;
    bool sound = call.len > length;
    if (sound) {
        memmove(method, method + 1, length); /* the body comes right behind it: makes room for a NUL */
        method[length] = '\0';
        const uint8_t *body = (uint8_t *)method + length + 1;
        uint8_t code = host->call(host->host_ctx, method, body, call.len - length - 1, &answer) != 0;
        code = code || answer.len >= MAX_PAYLOAD; /* the service would hang up on such a frame */
        cliproxy_buffer said = code != 0 || answer.ptr == NULL ? NOTHING : answer;
        sound = send_frame(fd, HOST_REPLY, (cliproxy_buffer){&code, 1}, said, now_ms() + DAY_MS) == DONE;
    }
    if (answer.ptr != NULL)
        host->free_buffer(answer.ptr, answer.len);
    free(call.ptr);
    return sound;
}

static void *run(void *unused)
{
    for (int pause = 0; !stopping; pause = REDIAL_MS) {
        int fd = renew_callback_connection(pause);
        bool sound = fd >= 0 && attach(fd);
        while (sound)
            sound = serve(fd);
    }
    return unused;
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

/* Passes the host's settings on, without waiting: what cannot be sent goes with a new callback connection. */
void callbacks_configure(const char *method, cliproxy_buffer body)
{
    void *copy = malloc(body.len + 1);
    pthread_mutex_lock(&lock);
    if (copy != NULL) {
        free(settings.ptr);
        settings = (cliproxy_buffer){memcpy(copy, body.ptr, body.len), body.len};
        configured = now_ms();
        running = running || start_thread();
    }
    pthread_mutex_unlock(&lock);
    if (!ask(method, body, NULL, 0))
        leave_callback_connection();
}

/* Leaves the service. When it returns the thread has ended, and the host is not called any more. */
void shut_down(void)
{
    stopping = true;
    connections_aim("");
    if (running)
        pthread_join(thread, NULL);
    running = false;
    stopping = false;
    renew_callback_connection(0); /* to none */
    free(settings.ptr);
    settings.ptr = NULL;
}
