/*
 * What the host sees: one function from a method and JSON to JSON, called from any thread, many at a time. It
 * always returns 0 with a whole envelope. A pick without an answer is "not handled", never an error: for an
 * error the host makes the client's request fail, for "not handled" it uses its own scheduler.
 */
#include "library.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ABI_VERSION = 1,
    ROUTES_MS = 1000,  /* the host's configuration waits for it; the service answers from memory */
    HANDLE_MS = 10000, /* a dashboard request may read history; a person gives up after that */
    LEAVE_MS = 1000    /* for calls under way at the end, which the host has waited for already */
};

static atomic_int active; /* calls of the host under way */

static struct bytes checked(struct frame reply, bool (*fits)(struct bytes), struct bytes otherwise)
{
    struct bytes answer = {reply.payload, reply.length};
    if (fits(answer))
        return answer;
    free(reply.payload);
    return otherwise;
}

static struct bytes pick(struct bytes request)
{
    struct frame reply;
    bool answered = link_pick(request, &reply) == DONE;
    return answered ? checked(reply, is_pick_answer, NOT_HANDLED) : NOT_HANDLED;
}

static struct bytes manage(const char *method, struct bytes request, int limit, struct bytes otherwise)
{
    struct frame reply;
    bool answered = link_ask(method, request, &reply, now_ms() + limit) == DONE;
    return answered ? checked(reply, is_envelope, otherwise) : otherwise;
}

/*
 * Registering and reconfiguring are one: read where the service is, tell it, and answer for ourselves. What
 * the service says is of no use to the host, and a mistake in it would switch the plugin off.
 */
static struct bytes configure(const char *method, struct bytes request)
{
    struct settings settings;
    read_settings(&settings);
    set_pick_deadline_ms(settings.pick_deadline_ms);
    callbacks_configure(settings.plugin, link_aim(settings.socket), method, request);
    return registration(request);
}

static bool is(const char *method, const char *name)
{
    return strcmp(method, name) == 0;
}

static struct bytes answer_to(const char *method, struct bytes request)
{
    if (is(method, "scheduler.pick"))
        return pick(request);
    if (is(method, "usage.handle"))
        return link_note(method, request), OK;
    if (is(method, "plugin.register") || is(method, "plugin.reconfigure"))
        return configure(method, request);
    if (is(method, "management.register"))
        return manage(method, request, ROUTES_MS, NO_ROUTES);
    if (is(method, "management.handle"))
        return manage(method, request, HANDLE_MS, UNAVAILABLE);
    if (is(method, "plugin.quiesce"))
        return callbacks_rest(), OK;
    return UNKNOWN_METHOD;
}

static int plugin_call(const char *method, const uint8_t *body, size_t length, cliproxy_buffer *answer)
{
    if (answer == NULL)
        return 0;
    atomic_fetch_add(&active, 1);
    struct bytes request = {body, body == NULL ? 0 : length};
    struct bytes said = method == NULL ? UNKNOWN_METHOD : answer_to(method, request);
    answer->ptr = (void *)said.at;
    answer->len = said.length;
    atomic_fetch_sub(&active, 1);
    return 0;
}

static void plugin_free(void *ptr, size_t length)
{
    (void)length;
    if (!is_constant(ptr))
        free(ptr);
}

static void plugin_shutdown(void)
{
    const struct timespec moment = {0, 1000000};
    int64_t limit = now_ms() + LEAVE_MS;
    link_close();
    callbacks_stop();
    while (atomic_load(&active) > 0 && now_ms() < limit)
        nanosleep(&moment, NULL);
}

/* Called once, after loading. Nothing is started yet: the host may be a command that ends in a moment. */
__attribute__((visibility("default"))) int cliproxy_plugin_init(const cliproxy_host_api *host,
                                                                cliproxy_plugin_api *plugin)
{
    if (host == NULL || plugin == NULL || host->abi_version != ABI_VERSION)
        return 1;
    link_open();
    callbacks_open(host);
    *plugin = (cliproxy_plugin_api){ABI_VERSION, plugin_call, plugin_free, plugin_shutdown};
    return 0;
}
