/* The answers that need no service, all of them constants, and the little that is read of what others say. */
#include "library.h"

#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}

const struct bytes NOT_HANDLED = TEXT("{\"ok\":true,\"result\":{\"Handled\":false}}");
const struct bytes OK = TEXT("{\"ok\":true,\"result\":{}}");
const struct bytes UNKNOWN_METHOD =
    TEXT("{\"ok\":false,\"error\":{\"code\":\"unknown_method\",\"message\":\"no such method\"}}");
const struct bytes NO_ROUTES = TEXT("{\"ok\":false,\"error\":{\"code\":\"service_unavailable\","
                                    "\"message\":\"the quota-router service does not answer\"}}");
/* "The quota-router service does not answer. Is `qr serve` running?\n" */
const struct bytes UNAVAILABLE =
    TEXT("{\"ok\":true,\"result\":{\"StatusCode\":503,\"Headers\":{\"Content-Type\":[\"text/plain\"]},"
         "\"Body\":"
         "\"VGhlIHF1b3RhLXJvdXRlciBzZXJ2aWNlIGRvZXMgbm90IGFuc3dlci4gSXMgYHFyIHNlcnZlYCBydW5uaW5nPwo=\"}}");

#define REGISTRATION(schema)                                                                                \
    TEXT("{\"ok\":true,\"result\":{\"schema_version\":" #schema ",\"metadata\":{\"Name\":\"Quota Router\"," \
         "\"Version\":\"" QUOTA_ROUTER_VERSION "\",\"Author\":\"quota-router\","                            \
         "\"GitHubRepository\":\"https://github.com/quota-router/quota-router\",\"Logo\":\"\","             \
         "\"ConfigFields\":[{\"Name\":\"mode\",\"Type\":\"enum\","                                          \
         "\"EnumValues\":[\"active\",\"shadow\",\"off\"],\"Description\":\"shadow only records\"},"         \
         "{\"Name\":\"policy\",\"Type\":\"string\",\"Description\":\"order of accounts\"}]},"               \
         "\"capabilities\":{\"scheduler\":true,\"scheduler_across_priorities\":true,\"usage_plugin\":true," \
         "\"management_api\":true}}}")

enum { NEWEST_SCHEMA = 6 };
static const struct bytes registrations[NEWEST_SCHEMA] = {
    REGISTRATION(1), REGISTRATION(2), REGISTRATION(3), REGISTRATION(4), REGISTRATION(5), REGISTRATION(6),
};

/* The number after the key, 0 without. The request's only other value is base64, which has no quotes. */
static int schema_of(struct bytes request)
{
    static const char key[] = "\"schema_version\":";
    const char *text = request.at, *end = text + request.length;
    int schema = 0;
    while (end - text >= (ptrdiff_t)sizeof key && memcmp(text, key, sizeof key - 1) != 0)
        text++;
    if (end - text < (ptrdiff_t)sizeof key)
        return 0;
    for (text += sizeof key - 1; text < end && *text == ' '; text++)
        ;
    for (; text < end && *text >= '0' && *text <= '9' && schema <= NEWEST_SCHEMA; text++)
        schema = schema * 10 + (*text - '0');
    return schema;
}

/* With min(the host's schema, ours): a host refuses more than its own, and none at all counts as 1. */
struct bytes registration(struct bytes request)
{
    int schema = request.length == 0 ? 0 : schema_of(request);
    return registrations[schema < 1 ? 0 : schema > NEWEST_SCHEMA ? NEWEST_SCHEMA - 1 : schema - 1];
}

/* The inside of a JSON string: no control byte, no bare quote, no unknown escape. */
static bool is_json_string(const uint8_t *text, const uint8_t *end)
{
    while (text < end) {
        uint8_t c = *text++;
        if (c < 0x20 || c == '"')
            return false;
        if (c != '\\')
            continue;
        if (text == end || memchr("\"\\/bfnrtu", *text, 9) == NULL)
            return false;
        if (*text++ == 'u') {
            for (int digit = 0; digit < 4; digit++)
                if (text == end || memchr("0123456789abcdefABCDEF", *text++, 22) == NULL)
                    return false;
        }
    }
    return true;
}

/*
 * The two answers that a pick may have, to the letter. Anything else, however well meant, could make the
 * client's request fail, and the host has no fallback then; so it is not passed on.
 */
bool is_pick_answer(struct bytes answer)
{
    static const char head[] = "{\"ok\":true,\"result\":{\"AuthID\":\"", tail[] = "\",\"Handled\":true}}";
    const size_t before = sizeof head - 1, after = sizeof tail - 1;
    const uint8_t *text = answer.at, *end = text + answer.length;
    if (answer.length == NOT_HANDLED.length && memcmp(text, NOT_HANDLED.at, answer.length) == 0)
        return true;
    return answer.length > before + after && memcmp(text, head, before) == 0 &&
           memcmp(end - after, tail, after) == 0 && is_json_string(text + before, end - after);
}

/* It looks like an envelope: enough for management calls, where a wrong one costs a 502 and nothing else. */
bool is_envelope(struct bytes answer)
{
    static const char head[] = "{\"ok\":";
    const char *text = answer.at;
    return answer.length > sizeof head && memcmp(text, head, sizeof head - 1) == 0 &&
           text[answer.length - 1] == '}';
}

/* One of the answers above; the host hands them back to be freed like any other. */
bool is_constant(const void *answer)
{
    const struct bytes *const named[] = {&NOT_HANDLED, &OK, &UNKNOWN_METHOD, &NO_ROUTES, &UNAVAILABLE};
    for (size_t at = 0; at < sizeof named / sizeof *named; at++)
        if (answer == named[at]->at)
            return true;
    for (size_t at = 0; at < NEWEST_SCHEMA; at++)
        if (answer == registrations[at].at)
            return true;
    return false;
}
