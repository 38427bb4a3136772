#include "driver.h"

#include <stdio.h>

/* Below OCTAVE each nanosecond has a place of its own, above that each octave has OCTAVE places. */
static size_t place_of(int64_t took)
{
    int octave = 0;
    for (int64_t rest = took; rest >= 2 * OCTAVE; rest /= 2)
        octave++;
    size_t place = (size_t)(octave * OCTAVE + (took >> octave));
    return place < PLACES ? place : PLACES - 1;
}

static int64_t middle_of(size_t place)
{
    size_t octave = place < 2 * OCTAVE ? 0 : place / OCTAVE - 1;
    int64_t start = (int64_t)(place - octave * OCTAVE) << octave;
    return start + (((int64_t)1 << octave) - 1) / 2;
}

void histogram_add(struct histogram *histogram, int64_t took)
{
    histogram->counts[place_of(took)]++;
    if (took > histogram->longest)
        histogram->longest = took;
}

void histogram_join(struct histogram *into, const struct histogram *other)
{
    for (size_t place = 0; place < PLACES; place++)
        into->counts[place] += other->counts[place];
    if (other->longest > into->longest)
        into->longest = other->longest;
}

/* As JSON: nanoseconds and how often, where there is anything. */
void histogram_print(const struct histogram *histogram)
{
    const char *between = "";
    printf("[");
    for (size_t place = 0; place < PLACES; place++) {
        if (histogram->counts[place] == 0)
            continue;
        printf("%s[%lld,%llu]", between, (long long)middle_of(place),
               (unsigned long long)histogram->counts[place]);
        between = ",";
    }
    printf("]");
}
