#include "driver.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a body has where something is written anew; benchmarks/bodies.py puts it there. */
static const char SESSION[] = "00000000-0000-4000-8000-000000000000";
static const char MOMENT[] = "2000-01-01T00:00:00.000000Z";
static const char USED[] = "0.12345";

enum { SESSION_DIGITS = 12 };

struct caller {
    pthread_t thread;
    struct text pick;
    char *session;
    uint64_t chance;
    struct seen seen;
};

static struct load load;
static struct caller *callers;
static pthread_t teller;
static atomic_uint_fast64_t next_fresh;
static uint64_t records;
static struct {
    pthread_mutex_t lock;
    int64_t next;
    uint64_t chance;
} arrivals = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* From 0 to below 1; a xorshift generator is good enough to spread load. */
static double drawn(uint64_t *chance)
{
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    return (double)(*chance >> 11) / (double)((uint64_t)1 << 53);
}

static int64_t gap(double rate, uint64_t *chance)
{
    return (int64_t)(-log(1 - drawn(chance)) / rate * NANO);
}

static void write_session(char *place, uint64_t number)
{
    static const char digits[] = "0123456789abcdef";
    char *last = place + sizeof SESSION - 2;
    for (int digit = 0; digit < SESSION_DIGITS; digit++, number /= 16)
        *last-- = digits[number % 16];
}

static void choose_session(struct caller *caller)
{
    bool fresh = drawn(&caller->chance) < load.fresh_share;
    uint64_t bound = (uint64_t)(drawn(&caller->chance) * (double)load.bound);
    write_session(caller->session, fresh ? atomic_fetch_add(&next_fresh, 1) : bound);
}

static void ask(struct caller *caller, int64_t since)
{
    bool handled = plugin_pick(caller->pick);
    int64_t end = now(), took = end - since;
    caller->seen.answered += end >= load.begin && end < load.end;
    if (since < load.begin || since >= load.end)
        return;
    histogram_add(&caller->seen.histogram, took);
    caller->seen.picks++;
    caller->seen.handled += handled;
}

/* Closed loop: the next question follows the answer. */
static void *ask_again_and_again(void *given)
{
    struct caller *caller = given;
    while (now() < load.end) {
        choose_session(caller);
        ask(caller, now());
    }
    return NULL;
}

/*
 * Open loop: questions arrive whether or not the last ones were answered. A thread takes the next arrival and
 * sleeps until then. That it wakes late is the machine's doing and not counted; that no thread was free is.
 */
static void *ask_when_due(void *given)
{
    struct caller *caller = given;
    for (;;) {
        pthread_mutex_lock(&arrivals.lock);
        int64_t due = arrivals.next += gap(load.rate, &arrivals.chance);
        pthread_mutex_unlock(&arrivals.lock);
        if (due >= load.end)
            return NULL;
        choose_session(caller);
        bool late = due <= now();
        caller->seen.late += late && due >= load.begin;
        if (!late)
            sleep_until(due);
        ask(caller, late ? due : now());
    }
}

static void write_record(struct text record, uint64_t *chance)
{
    char text[64];
    struct timespec time;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + 19, sizeof text - 19, ".%06ldZ", time.tv_nsec / 1000);
    memcpy(text_find(record, MOMENT), text, sizeof MOMENT - 1);
    snprintf(text, sizeof text, "%.5f", 0.1 + 0.3 * drawn(chance));
    memcpy(text_find(record, USED), text, sizeof USED - 1);
}

/* Usage records, one after the other, as the host's one worker delivers them. */
static void *tell_when_due(void *unused)
{
    uint64_t chance = 7;
    for (int64_t due = now(); due < load.end; due += gap(load.records_rate, &chance)) {
        sleep_until(due);
        struct text record = text_copy(load.records[records++ % load.kinds_of_records]);
        write_record(record, &chance);
        plugin_tell(record);
        free(record.bytes);
    }
    return unused;
}

/* Asks until an account is chosen: then the service is up, and knows its accounts. */
void load_first(struct load *asked, int64_t patience)
{
    int64_t end = now() + patience;
    while (!plugin_pick(asked->pick)) {
        if (now() > end)
            die("no pick was handled");
        sleep_until(now() + NANO / 1000);
    }
}

void load_start(struct load *asked, uint64_t fresh_from)
{
    load = *asked;
    atomic_store(&next_fresh, fresh_from);
    arrivals.next = now();
    arrivals.chance = fresh_from * 2 + 1;
    callers = calloc((size_t)load.threads + 1, sizeof *callers);
    for (int number = 0; number < load.threads; number++) {
        struct caller *caller = &callers[number];
        caller->pick = text_copy(load.pick);
        caller->session = text_find(caller->pick, SESSION);
        caller->chance = (fresh_from + (uint64_t)number) * 2654435761u + 1;
        pthread_create(&caller->thread, NULL, load.rate > 0 ? ask_when_due : ask_again_and_again, caller);
    }
    if (load.records_rate > 0)
        pthread_create(&teller, NULL, tell_when_due, NULL);
}

struct seen *load_finish(void)
{
    struct seen *all = calloc(1, sizeof *all);
    for (int number = 0; number < load.threads; number++) {
        const struct seen *seen = &callers[number].seen;
        pthread_join(callers[number].thread, NULL);
        histogram_join(&all->histogram, &seen->histogram);
        all->picks += seen->picks;
        all->handled += seen->handled;
        all->answered += seen->answered;
        all->late += seen->late;
    }
    if (load.records_rate > 0)
        pthread_join(teller, NULL);
    all->records = records;
    return all;
}
