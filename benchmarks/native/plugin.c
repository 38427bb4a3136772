#include "driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The host's structs, in its own layout. */
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

static const char CONFIG[] = "{\"config_yaml\":\"e30K\",\"schema_version\":6}";
static const char REFUSED[] = "{\"ok\":false,\"error\":{\"code\":\"host_call_failed\",\"message\":\"no\"}}";

static void *library;
static struct host_api *host;
static struct plugin_api *plugin;
static struct text listing;

/* The host lists its accounts, and knows nothing else. */
static int answer_plugin(void *ctx, const char *method, const uint8_t *body, size_t size,
                         struct buffer *answer)
{
    (void)ctx, (void)body, (void)size;
    bool known = strcmp(method, "host.auth.list") == 0;
    struct text said = known ? listing : (struct text){(char *)REFUSED, sizeof REFUSED - 1};
    if (answer == NULL)
        return 0;
    answer->ptr = text_copy(said).bytes;
    answer->len = said.length;
    return 0;
}

static void free_answer(void *ptr, size_t length)
{
    (void)length;
    free(ptr);
}

static struct buffer call(const char *method, struct text body)
{
    struct buffer answer = {NULL, 0};
    if (plugin->call(method, (const uint8_t *)body.bytes, body.length, &answer) != 0 || answer.ptr == NULL)
        die("%s was not answered", method);
    return answer;
}

/* Asks for a pick, frees the answer as the host does, and says whether an account was chosen. */
bool plugin_pick(struct text body)
{
    static const char tail[] = "\"Handled\":true}}";
    const size_t length = sizeof tail - 1;
    struct buffer answer = call("scheduler.pick", body);
    const char *end = (const char *)answer.ptr + answer.len;
    bool handled = answer.len > length && memcmp(end - length, tail, length) == 0;
    plugin->free_buffer(answer.ptr, answer.len);
    return handled;
}

void plugin_tell(struct text record)
{
    struct buffer answer = call("usage.handle", record);
    plugin->free_buffer(answer.ptr, answer.len);
}

/* Loads and registers; *accounts* is a file with the answer to `host.auth.list`. */
void plugin_load(const char *path, const char *accounts)
{
    int (*init)(const struct host_api *, struct plugin_api *) = NULL;
    listing = text_read(accounts);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        die("%s", dlerror());
    *(void **)&init = dlsym(library, "cliproxy_plugin_init");
    host = calloc(1, sizeof *host);
    plugin = calloc(1, sizeof *plugin);
    *host = (struct host_api){1, malloc(1), answer_plugin, free_answer};
    if (init == NULL || init(host, plugin) != 0 || plugin->abi_version != 1)
        die("the library refuses to start");
    struct buffer answer = call("plugin.register", (struct text){(char *)CONFIG, sizeof CONFIG - 1});
    plugin->free_buffer(answer.ptr, answer.len);
}

void plugin_unload(void)
{
    plugin->shutdown();
    free(host->host_ctx);
    free(host);
    free(plugin);
    dlclose(library);
}
