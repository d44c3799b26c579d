/* The buffer of a collective that weft itself carries out: bytes, added modulo 256. What stands for a sum is the sum of what
 * stands for its parts (crates/plan/src/collective/contents.rs). */
#include "program.h"

#include <stdio.h>
#include <string.h>

static uint8_t byte_at(const struct stretch *stretch, int64_t at)
{
    const uint8_t element = (uint8_t)((uint8_t)(at ^ at >> 8) << 1 | 1);
    return (uint8_t)(stretch->weights[at % BYTE_WEIGHTS] * element);
}

void fill_buffer(const struct program *program, uint8_t *memory)
{
    for (const struct stretch *one = program->before; one < program->before + program->before_count; one++)
        for (int64_t at = one->range.from; at < one->range.to; at++)
            memory[at] = byte_at(one, at);
}

void pack(const struct task *task, uint8_t *memory)
{
    uint8_t *to = memory + task->place;
    for (const struct range *one = task->range; one < task->range + task->ranges; one++) {
        memcpy(to, memory + one->from, (size_t)(one->to - one->from));
        to += one->to - one->from;
    }
}

void unpack(const struct task *task, uint8_t *memory)
{
    const uint8_t *from = memory + task->place;
    for (const struct range *one = task->range; one < task->range + task->ranges; one++) {
        const int64_t count = one->to - one->from;
        uint8_t *const to = memory + one->from;
        if (task->adds)
            for (int64_t n = 0; n < count; n++)
                to[n] = (uint8_t)(to[n] + from[n]);
        else
            memcpy(to, from, (size_t)count);
        from += count;
    }
}

void check_buffer(const struct world *world, const struct program *program, long phase, const uint8_t *memory)
{
    char text[160];
    for (const struct stretch *one = program->after; one < program->after + program->after_count; one++)
        for (int64_t at = one->range.from; at < one->range.to; at++) {
            if (memory[at] == byte_at(one, at))
                continue;
            snprintf(text, sizeof text, "wrong-result rank %d: the result of phase %ld is wrong: element %lld is %u, should be %u",
                     world->rank, phase, (long long)at, memory[at], byte_at(one, at));
            fail(text);
        }
}
