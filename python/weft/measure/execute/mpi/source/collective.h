/* What the parts that carry out an MPI's collectives have in common. */
#ifndef WEFT_COLLECTIVE_H
#define WEFT_COLLECTIVE_H

#include "many.h"

enum { WEIGHTS = 8 };

/* What stands for the contributions that numbers are the sum of. */
struct content {
    uint32_t weights[WEIGHTS];
};

/* So many numbers of a buffer of the operation, from a position on. */
struct part {
    int64_t at, count;
};

/* Of what a rank has, for another rank or for all (0). */
struct content content_of(int rank, int other);
/* Of the sum of what all ranks have for all. */
struct content sum_of(int ranks);

uint32_t number_at(const struct content *content, int64_t at);
void fill(uint32_t *buffer, struct part part, const struct content *content);
/* The first number that is another, or -1. */
int64_t first_wrong(const uint32_t *buffer, struct part part, const struct content *content);

#endif
