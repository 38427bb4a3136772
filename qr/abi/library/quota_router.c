/*
 * What the host sees: one function from a method and JSON to JSON, called from any thread, many at a time. It
 * always returns 0 with a whole envelope. A pick without an answer is "not handled", never an error: for an
 * error the host makes the client's request fail, for "not handled" it uses its own scheduler.
 */
#include "library.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>

enum {
    ABI_VERSION = 1,
    NEWEST_SCHEMA = 6,
    ROUTES_MS = 250,  /* the host waits for it, several times as it starts; the service knows it by heart */
    HANDLE_MS = 10000 /* a dashboard request may read history; a person gives up after that */
};

#define TEXT(literal) {literal, sizeof(literal) - 1}
#define REGISTRATION(schema)                                                                                \
    TEXT("{\"ok\":true,\"result\":{\"schema_version\":" #schema ",\"metadata\":{\"Name\":\"Quota Router\"," \
         "\"Version\":\"" QUOTA_ROUTER_VERSION "\",\"Author\":\"quota-router\","                            \
         "\"GitHubRepository\":\"https://github.com/quota-router/quota-router\",\"Logo\":\"\","             \
         "\"ConfigFields\":[{\"Name\":\"mode\",\"Type\":\"enum\","                                          \
         "\"EnumValues\":[\"active\",\"shadow\",\"off\"],\"Description\":\"shadow only records\"},"         \
         "{\"Name\":\"policy\",\"Type\":\"string\",\"Description\":\"order of accounts\"}]},"               \
         "\"capabilities\":{\"scheduler\":true,\"scheduler_across_priorities\":true,\"usage_plugin\":true," \
         "\"management_api\":true}}}")

/* The answers that need no service; UNAVAILABLE has the text of contract.py in base64. */
enum answer { NOT_HANDLED, OK, UNKNOWN_METHOD, NO_ROUTES, UNAVAILABLE, REGISTERED };
static const cliproxy_buffer answers[] = {
    [NOT_HANDLED] = TEXT("{\"ok\":true,\"result\":{\"Handled\":false}}"),
    [OK] = TEXT("{\"ok\":true,\"result\":{}}"),
    [UNKNOWN_METHOD] =
        TEXT("{\"ok\":false,\"error\":{\"code\":\"unknown_method\",\"message\":\"no such method\"}}"),
    [NO_ROUTES] = TEXT("{\"ok\":false,\"error\":{\"code\":\"service_unavailable\","
                       "\"message\":\"the quota-router service does not answer\"}}"),
    [UNAVAILABLE] =
        TEXT("{\"ok\":true,\"result\":{\"StatusCode\":503,\"Headers\":{\"Content-Type\":[\"text/plain\"]},"
             "\"Body\":\"VGhlIHF1b3RhLXJvdXRlciBzZXJ2aWNlIGRvZXMgbm90IGFuc3dlci4gSXMgYHFyIHNlcnZlYCBydW5u"
             "aW5nPwo=\"}}"),
    [REGISTERED] = REGISTRATION(1), REGISTRATION(2), REGISTRATION(3),
    REGISTRATION(4), REGISTRATION(5), REGISTRATION(6),
};

/* With min(the host's schema, ours): a host refuses more than its own, and none at all counts as 1. */
static cliproxy_buffer registration(cliproxy_buffer request)
{
    static const char key[] = "\"schema_version\":";
    const char *end = (const char *)request.ptr + request.len;
    const char *at = memmem(request.ptr, request.len, key, sizeof key - 1);
    int schema = 0;
    for (at = at == NULL ? end : at + sizeof key - 1; at < end && *at == ' '; at++)
        ;
    for (; at < end && isdigit((unsigned char)*at) && schema <= NEWEST_SCHEMA; at++)
        schema = schema * 10 + *at - '0';
    return answers[REGISTERED + (schema < 1 ? 1 : schema > NEWEST_SCHEMA ? NEWEST_SCHEMA : schema) - 1];
}

/* The two answers that a pick may have, to the letter. Anything else, however well meant, could make the
   client's request fail, and the host has no fallback then; so it is not passed on. */
static bool is_pick_answer(cliproxy_buffer answer)
{
    static const char head[] = "{\"ok\":true,\"result\":{\"AuthID\":\"";
    const char *text = answer.ptr, *id = text + sizeof head - 1, *at = id;
    if (strlen(text) != answer.len)
        return false;
    if (strncmp(text, head, sizeof head - 1) != 0)
        return strcmp(text, answers[NOT_HANDLED].ptr) == 0;
    while ((unsigned char)*at >= ' ' && *at != '"') { /* up to the end of a JSON string */
        bool escape = *at++ == '\\';
        if (escape && strspn(at, "\"\\/bfnrtu") == 0)
            return false;
        if (escape && *at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") < 4)
            return false;
        at += escape;
    }
    return at > id && strcmp(at, "\",\"Handled\":true}}") == 0;
}

static cliproxy_buffer pick(cliproxy_buffer request)
{
    cliproxy_buffer reply = {NULL, 0};
    if (ask_for_pick(request, &reply) && is_pick_answer(reply))
        return reply;
    free(reply.ptr);
    return answers[NOT_HANDLED];
}

/* How an answer begins is enough to look at here: a wrong one costs a 502 and nothing else. */
static cliproxy_buffer manage(const char *method, cliproxy_buffer request, int limit, enum answer otherwise)
{
    cliproxy_buffer reply = {NULL, 0};
    if (ask(method, request, &reply, now_ms() + limit) && strncmp(reply.ptr, "{\"ok\":", 6) == 0)
        return reply;
    free(reply.ptr);
    return answers[otherwise];
}

/* The path of this library without its ending and, as the host does it, without the last "-v" that has a
   version behind it. Returns its last part, which is the plugin's id. */
const char *find_library(char stem[MAX_PATH])
{
    static const char letters[] = "0123456789.+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    Dl_info library = {.dli_fname = ""};
    dladdr(answers, &library);
    snprintf(stem, MAX_PATH, "%s", library.dli_fname);
    char *slash = strrchr(stem, '/'), *end = strrchr(stem, '.');
    for (char *at = strstr(stem, "-v"); at != NULL; at = strstr(at + 1, "-v"))
        if (isdigit((unsigned char)at[2]) && at[2 + strspn(at + 2, letters)] == '\0')
            end = at;
    if (end != NULL)
        *end = '\0';
    return slash == NULL ? stem : slash + 1;
}

/* The file `<plugin id><ending>` beside the library, or NULL. */
static FILE *open_beside(const char *ending)
{
    char path[MAX_PATH + 8];
    find_library(path);
    return fopen(strcat(path, ending), "re"); /* "e" is O_CLOEXEC: the host starts child processes */
}

/* Without a service `<plugin id>.pages` answers: the host asks as it starts, and not again when one comes. */
static cliproxy_buffer routes(const char *method, cliproxy_buffer request)
{
    cliproxy_buffer said = manage(method, request, ROUTES_MS, NO_ROUTES);
    FILE *file = said.ptr == answers[NO_ROUTES].ptr ? open_beside(".pages") : NULL;
    char *line = NULL;
    if (file == NULL)
        return said;
    if (getline(&line, &(size_t){0}, file) > 0 && strncmp(line, "{\"ok\":", 6) == 0)
        said = (cliproxy_buffer){line, strlen(line)};
    else
        free(line);
    fclose(file);
    return said;
}

/* Where the service listens: `<plugin id>.conf` beside the library says it, unless the environment does. */
static void find_service(char socket[MAX_SOCKET])
{
    char line[2 * MAX_SOCKET];
    const char *chosen = getenv("QUOTA_ROUTER_SOCKET");
    int deadline;
    FILE *file = open_beside(".conf");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "socket=%103[^\r\n]", socket);
        if (sscanf(line, "pick_deadline_ms=%5d", &deadline) == 1 && deadline > 0)
            pick_ms = deadline;
    }
    if (file != NULL)
        fclose(file);
    if (chosen != NULL && *chosen != '\0')
        snprintf(socket, MAX_SOCKET, "%s", chosen);
}

/* Registering and reconfiguring are one: read where the service is, tell it, and answer for ourselves. What
   the service says is of no use to the host, and a mistake in it would switch the plugin off. */
static cliproxy_buffer configure(const char *method, cliproxy_buffer request)
{
    char socket[MAX_SOCKET] = "";
    find_service(socket);
    connections_aim(socket);
    callbacks_configure(method, request);
    return registration(request);
}

#define IS(name) (strcmp(method, name) == 0)

static int plugin_call(const char *method, const uint8_t *body, size_t length, cliproxy_buffer *answer)
{
    cliproxy_buffer request = body == NULL ? NOTHING : (cliproxy_buffer){(void *)body, length};
    *answer = answers[OK];
    if (method == NULL)
        *answer = answers[UNKNOWN_METHOD];
    else if (IS("scheduler.pick"))
        *answer = pick(request);
    else if (IS("usage.handle"))
        notes_dropped += !ask(method, request, NULL, 0); /* at once or never: one thread brings them all */
    else if (IS("plugin.register") || IS("plugin.reconfigure"))
        *answer = configure(method, request);
    else if (IS("management.register"))
        *answer = routes(method, request);
    else if (IS("management.handle"))
        *answer = manage(method, request, HANDLE_MS, UNAVAILABLE);
    else if (!IS("plugin.quiesce")) /* a copy that rests is in nobody's way */
        *answer = answers[UNKNOWN_METHOD];
    return 0;
}

/* The host hands the constants back like any other answer. */
static void plugin_free(void *ptr, size_t length)
{
    (void)length;
    for (size_t at = 0; at < sizeof answers / sizeof *answers; at++)
        if (ptr == answers[at].ptr)
            return;
    free(ptr);
}

/* Called once, after loading. Nothing is started yet: the host may be a command that ends in a moment. */
__attribute__((visibility("default"))) int cliproxy_plugin_init(const cliproxy_host_api *api,
                                                                cliproxy_plugin_api *plugin)
{
    if (api == NULL || plugin == NULL || api->abi_version != ABI_VERSION)
        return 1;
    host = api;
    connections_open();
    *plugin = (cliproxy_plugin_api){ABI_VERSION, plugin_call, plugin_free, shut_down};
    return 0;
}
