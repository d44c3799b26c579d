/* How much of a stretch of time others cover. */
#include "program.h"

#include <stdlib.h>

static int by_begin(const void *one, const void *other)
{
    const struct range *a = one, *b = other;
    return a->from < b->from ? -1 : a->from > b->from;
}

int64_t covered_ns(struct range whole, struct range *spans, int count)
{
    int64_t covered = 0, until = whole.from;
    qsort(spans, (size_t)count, sizeof *spans, by_begin);
    for (const struct range *one = spans; one < spans + count; one++) {
        const int64_t from = one->from > until ? one->from : until;
        const int64_t to = one->to < whole.to ? one->to : whole.to;
        if (to <= from)
            continue;
        covered += to - from;
        until = to;
    }
    return covered;
}
