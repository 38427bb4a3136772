/*
 *     driver library=PATH pick=FILE accounts=FILE pid=N seconds=S ...
 *
 * loads the library, waits for the first pick that is handled, and then puts it under load for *seconds*
 * after *warmup* seconds. `pid` is whose processor time is measured meanwhile; the other options stand in
 * `read_option`. It prints one line of JSON; times in it are nanoseconds, `first_pick_at` is of the monotonic
 * clock.
 */
#include "driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* A service with 100,000 bindings is up in a few seconds; a busy machine may need some more. */
enum { PATIENCE = 60 };

static const char *library, *accounts;
static double seconds, warmup;
static clockid_t processor;
static struct load load = {.threads = 1};
static uint64_t fresh_from;

_Noreturn void die(const char *reason, ...)
{
    va_list rest;
    va_start(rest, reason);
    vfprintf(stderr, reason, rest);
    va_end(rest);
    fputc('\n', stderr);
    exit(1);
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec time = {0, 0};
    if (clock_gettime(clock, &time) != 0)
        die("the process to be measured is gone");
    return (int64_t)time.tv_sec * NANO + time.tv_nsec;
}

int64_t now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void sleep_until(int64_t moment)
{
    struct timespec until = {moment / NANO, moment % NANO};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static void read_option(const char *name, size_t length, const char *value)
{
#define IS(option) (length == sizeof(option) - 1 && memcmp(name, option, length) == 0)
    if (IS("library"))
        library = value;
    else if (IS("accounts"))
        accounts = value;
    else if (IS("pick"))
        load.pick = text_read(value);
    else if (IS("records"))
        load.records = text_lines(text_read(value), &load.kinds_of_records);
    else if (IS("pid") && clock_getcpuclockid(atoi(value), &processor) == 0)
        return;
    else if (IS("threads"))
        load.threads = atoi(value);
    else if (IS("rate"))
        load.rate = atof(value);
    else if (IS("records_rate"))
        load.records_rate = atof(value);
    else if (IS("bound"))
        load.bound = strtoull(value, NULL, 10);
    else if (IS("fresh_share"))
        load.fresh_share = atof(value);
    else if (IS("fresh_from"))
        fresh_from = strtoull(value, NULL, 10);
    else if (IS("seconds"))
        seconds = atof(value);
    else if (IS("warmup"))
        warmup = atof(value);
    else
        die("%s cannot be understood", name);
#undef IS
}

static void print(const struct seen *seen, int64_t first_pick_at, int64_t first_pick_cpu, int64_t used)
{
    printf("{\"first_pick_at\":%lld,\"first_pick_cpu\":%lld,\"elapsed\":%lld,\"cpu\":%lld,",
           (long long)first_pick_at, (long long)first_pick_cpu, (long long)(load.end - load.begin),
           (long long)used);
    printf("\"picks\":%llu,\"handled\":%llu,\"answered\":%llu,\"late\":%llu,\"records\":%llu,"
           "\"longest\":%lld,\"counts\":",
           (unsigned long long)seen->picks, (unsigned long long)seen->handled,
           (unsigned long long)seen->answered, (unsigned long long)seen->late,
           (unsigned long long)seen->records, (long long)seen->histogram.longest);
    histogram_print(&seen->histogram);
    printf("}\n");
}

int main(int count, char **arguments)
{
    for (int number = 1; number < count; number++)
        read_option(arguments[number], strcspn(arguments[number], "="), strchr(arguments[number], '=') + 1);
    prctl(PR_SET_TIMERSLACK, 1ul); /* threads inherit it: arrivals are to be as random as they were drawn */
    plugin_load(library, accounts);
    load_first(&load, (int64_t)PATIENCE * NANO);
    int64_t first_pick_at = now(), first_pick_cpu = read_clock(processor);
    load.begin = first_pick_at + (int64_t)(warmup * NANO);
    load.end = load.begin + (int64_t)(seconds * NANO);
    load_start(&load, fresh_from);
    sleep_until(load.begin);
    int64_t before = read_clock(processor);
    sleep_until(load.end);
    int64_t used = read_clock(processor) - before;
    struct seen *seen = load_finish();
    plugin_unload();
    print(seen, first_pick_at, first_pick_cpu, used);
    return 0;
}
