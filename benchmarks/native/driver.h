/*
 * A host that does nothing but ask: it loads the plugin library as the host does and puts it under load.
 * Times are nanoseconds of the monotonic clock unless a name says otherwise.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NANO = 1000000000 };

/* driver.c */
_Noreturn void die(const char *reason, ...);
int64_t now(void);
void sleep_until(int64_t moment);

/* text.c: bodies read from files, with places that are written anew for each call. */
struct text {
    char *bytes;
    size_t length;
};
struct text text_read(const char *path);
struct text text_copy(struct text text);
char *text_find(struct text text, const char *mark);
struct text *text_lines(struct text text, size_t *count);

/* plugin.c: the library. */
void plugin_load(const char *path, const char *listing);
bool plugin_pick(struct text body);
void plugin_tell(struct text record);
void plugin_unload(void);

/* histogram.c: how long calls took, exact to one part in 128. */
enum { OCTAVE = 128, PLACES = (36 - 6) * OCTAVE }; /* 36 bits of nanoseconds are 68 seconds */
struct histogram {
    uint64_t counts[PLACES];
    int64_t longest;
};
void histogram_add(struct histogram *histogram, int64_t took);
void histogram_join(struct histogram *into, const struct histogram *other);
void histogram_print(const struct histogram *histogram);

/* load.c: the threads that call. */
struct load {
    struct text pick, *records;
    size_t kinds_of_records;
    int threads;
    double rate;         /* picks a second, at random; 0: each thread asks again at once */
    double records_rate; /* usage records a second */
    uint64_t bound;      /* sessions 0 to this are bound already */
    double fresh_share;  /* of picks that are for new sessions */
    int64_t begin, end;  /* only what begins in this time counts */
};
struct seen {
    struct histogram histogram;
    uint64_t picks, handled;
    uint64_t answered; /* in the time that counts; of an overloaded service these are not the same picks */
    uint64_t late; /* arrivals that found all threads busy; their wait counts */
    uint64_t records;
};
void load_first(struct load *load, int64_t patience);
void load_start(struct load *load, uint64_t fresh_from);
struct seen *load_finish(void);

#endif
