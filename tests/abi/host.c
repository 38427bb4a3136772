/*
 * A host in C, for what Python is too slow or too loud for: sanitizers, valgrind, thousands of threads.
 *
 *     host LIBRARY THREADS ROUNDS LOADS [picks]
 *
 * loads the library LOADS times; each time THREADS threads make ROUNDS calls each, of every sort or, with
 * "picks", picks alone. It ends with status 1 and says why as soon as the library does what a host would not
 * survive. Otherwise it prints one line of JSON about what it saw. The declarations are the contract's.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct buffer {
    void *ptr;
    size_t len;
};

struct host_api {
    uint32_t abi_version;
    void *host_ctx;
    int (*call)(void *, const char *, const uint8_t *, size_t, struct buffer *);
    void (*free_buffer)(void *, size_t);
};

struct plugin_api {
    uint32_t abi_version;
    int (*call)(const char *, const uint8_t *, size_t, struct buffer *);
    void (*free_buffer)(void *, size_t);
    void (*shutdown)(void);
};

static const char NOT_HANDLED[] = "{\"ok\":true,\"result\":{\"Handled\":false}}";
static const char CHOSEN[] = "{\"ok\":true,\"result\":{\"AuthID\":\"a\",\"Handled\":true}}";
static const char PICK[] = "{\"Provider\":\"\",\"Providers\":[\"claude\"],\"Candidates\":[{\"ID\":\"a\"}]}";
static const char CONFIG[] = "{\"config_yaml\":\"e30K\",\"schema_version\":6}";
static const char LISTING[] = "{\"ok\":true,\"result\":{\"files\":[]}}";

static struct plugin_api *plugin;
static int rounds;
static _Bool only_picks;
static pthread_barrier_t start;
static atomic_bool closed, running;
static atomic_int callbacks, lent, handled, not_handled, slowest_ms, most_descriptors, most_threads;

static void die(const char *reason, ...)
{
    va_list rest;
    va_start(rest, reason);
    vfprintf(stderr, reason, rest);
    va_end(rest);
    fputc('\n', stderr);
    exit(1);
}

static int now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static void keep_most(atomic_int *most, int seen)
{
    for (int before = *most; seen > before && !atomic_compare_exchange_weak(most, &before, seen);)
        ;
}

static int entries(const char *directory)
{
    int count = 0;
    DIR *listing = opendir(directory);
    while (listing != NULL && readdir(listing) != NULL)
        count++;
    if (listing != NULL)
        closedir(listing);
    return count;
}

static int host_call(void *ctx, const char *method, const uint8_t *body, size_t size, struct buffer *answer)
{
    (void)ctx, (void)body, (void)size;
    if (closed)
        die("%s was called after shutdown", method);
    callbacks++;
    if (answer == NULL)
        return 0;
    answer->len = sizeof LISTING - 1;
    answer->ptr = malloc(answer->len);
    memcpy(answer->ptr, LISTING, answer->len);
    lent++;
    return 0;
}

static void host_free(void *ptr, size_t length)
{
    (void)length;
    lent--;
    free(ptr);
}

/* Calls with a request at the very end of readable memory, which is taken away when the call is over. */
static struct buffer call(const char *method, const char *body, size_t length)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (length / page + 2) * page;
    struct buffer answer = {NULL, 0};
    uint8_t *memory = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *request = memory + pages - page - length;
    memcpy(request, body, length);
    mprotect(memory + pages - page, page, PROT_NONE);
    int code = plugin->call(method, length == 0 ? NULL : request, length, &answer);
    munmap(memory, pages);
    if (code != 0)
        die("%s returned %d", method, code);
    if (answer.ptr == NULL || answer.len < 11 || memcmp(answer.ptr, "{\"ok\":", 6) != 0)
        die("%s was answered with no envelope", method);
    return answer;
}

static void give_back(struct buffer answer)
{
    plugin->free_buffer(answer.ptr, answer.len);
}

static _Bool is(struct buffer answer, const char *text)
{
    return answer.len == strlen(text) && memcmp(answer.ptr, text, answer.len) == 0;
}

static void pick(void)
{
    int began = now_ms();
    struct buffer answer = call("scheduler.pick", PICK, sizeof PICK - 1);
    keep_most(&slowest_ms, now_ms() - began);
    if (is(answer, NOT_HANDLED))
        not_handled++;
    else if (is(answer, CHOSEN))
        handled++;
    else
        die("a pick was answered with %.*s", (int)answer.len, (char *)answer.ptr);
    give_back(answer);
}

static void *call_around(void *number)
{
    static const char *const others[] = {"usage.handle", "plugin.reconfigure", "management.register", "no"};
    pthread_barrier_wait(&start);
    for (int round = 0; round < rounds; round++) {
        uintptr_t turn = (uintptr_t)number + (uintptr_t)round;
        if (only_picks || turn % 2 == 0)
            pick();
        else
            give_back(call(others[turn / 2 % 4], CONFIG, turn % 16 == 1 ? 0 : sizeof CONFIG - 1));
    }
    return NULL;
}

static void *look_around(void *unused)
{
    const struct timespec moment = {0, 2000000};
    while (running) {
        keep_most(&most_descriptors, entries("/proc/self/fd"));
        keep_most(&most_threads, entries("/proc/self/task"));
        nanosleep(&moment, NULL);
    }
    return unused;
}

static void load(const char *path, struct host_api **host, void **library)
{
    int (*init)(const struct host_api *, struct plugin_api *);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*library == NULL)
        die("%s", dlerror());
    *(void **)&init = dlsym(*library, "cliproxy_plugin_init");
    *host = calloc(1, sizeof **host);
    plugin = calloc(1, sizeof *plugin);
    **host = (struct host_api){1, malloc(1), host_call, host_free};
    closed = 0;
    if (init == NULL || init(*host, plugin) != 0 || plugin->abi_version != 1)
        die("the library refuses to start");
}

static int unload(struct host_api *host, void *library)
{
    int began = now_ms();
    plugin->shutdown();
    closed = 1;
    free(host->host_ctx);
    free(host);
    free(plugin);
    dlclose(library);
    return now_ms() - began;
}

static void run(int threads)
{
    pthread_t *callers = calloc((size_t)threads, sizeof *callers), watcher;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 512 * 1024);
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    running = 1;
    pthread_create(&watcher, NULL, look_around, NULL);
    for (int number = 0; number < threads; number++)
        if (pthread_create(&callers[number], &small, call_around, (void *)(uintptr_t)number) != 0)
            die("cannot start thread %d", number);
    for (int number = 0; number < threads; number++)
        pthread_join(callers[number], NULL);
    running = 0;
    pthread_join(watcher, NULL);
    pthread_barrier_destroy(&start);
    pthread_attr_destroy(&small);
    free(callers);
}

/* A thread sanitizer starts a thread of its own with the first one; it is not to be blamed on the library. */
static void *nothing(void *unused)
{
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t first;
    if (count < 5)
        die("host LIBRARY THREADS ROUNDS LOADS [picks]");
    pthread_create(&first, NULL, nothing, NULL);
    pthread_join(first, NULL);
    int before = entries("/proc/self/fd"), tasks = entries("/proc/self/task"), slowest_unload_ms = 0;
    rounds = atoi(arguments[3]);
    only_picks = count > 5;
    for (int loads = atoi(arguments[4]); loads > 0; loads--) {
        struct host_api *host;
        void *library;
        load(arguments[1], &host, &library);
        give_back(call("plugin.register", CONFIG, sizeof CONFIG - 1));
        run(atoi(arguments[2]));
        int took = unload(host, library);
        slowest_unload_ms = took > slowest_unload_ms ? took : slowest_unload_ms;
    }
    for (int patience = 1000; entries("/proc/self/task") > tasks && patience > 0; patience--)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (entries("/proc/self/task") > tasks)
        die("threads were left behind");
    if (entries("/proc/self/fd") > before)
        die("descriptors were left behind");
    if (lent != 0)
        die("answers of the host were not freed");
    printf("{\"handled\":%d,\"not_handled\":%d,\"slowest_ms\":%d,\"callbacks\":%d,\"descriptors\":%d,"
           "\"threads\":%d,\"unload_ms\":%d}\n",
           handled, not_handled, slowest_ms, callbacks, most_descriptors - before, most_threads - tasks,
           slowest_unload_ms);
    return 0;
}
