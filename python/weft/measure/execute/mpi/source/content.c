/* What buffers of collectives hold before and after: numbers, added modulo 2^32. What stands for a sum is the sum of what
 * stands for its parts; neighbours are weighed differently, as in crates/plan/src/collective/contents.rs. */
#include "collective.h"

static uint32_t weight_of(uint64_t rank, uint64_t other, uint64_t which)
{
    uint64_t mixed = ((rank << 35 | other << 3 | which) + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(mixed >> 32);
}

uint32_t number_at(const struct content *content, int64_t at)
{
    return content->weights[at % WEIGHTS] * ((uint32_t)at << 1 | 1);
}

struct content content_of(int rank, int other)
{
    struct content content;
    for (int which = 0; which < WEIGHTS; which++)
        content.weights[which] = weight_of((uint64_t)rank, (uint64_t)other, (uint64_t)which);
    return content;
}

struct content sum_of(int ranks)
{
    struct content sum = {{0}};
    for (int rank = 0; rank < ranks; rank++) {
        const struct content one = content_of(rank, 0);
        for (int which = 0; which < WEIGHTS; which++)
            sum.weights[which] += one.weights[which];
    }
    return sum;
}

void fill(uint32_t *buffer, struct part part, const struct content *content)
{
    for (int64_t n = 0; n < part.count; n++)
        buffer[n] = number_at(content, part.at + n);
}

int64_t first_wrong(const uint32_t *buffer, struct part part, const struct content *content)
{
    for (int64_t n = 0; n < part.count; n++)
        if (buffer[n] != number_at(content, part.at + n))
            return n;
    return -1;
}
