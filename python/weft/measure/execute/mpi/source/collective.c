/* Collectives as the MPI library does them: MPI_Allreduce and the like, of numbers of 32 bits: sums of shorter ones saturate
 * in Open MPI where the processor has AVX (github.com/open-mpi/ompi/issues/8045). Rows are of ranks: from when each was through
 * the barrier until it had its result.
 *
 * A size is that of the whole buffer, rounded up to whole numbers. Where each rank has as much of it (allgather, alltoall),
 * that is rounded up, too. */
#define _GNU_SOURCE
#include "collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = sizeof(uint32_t) };

struct call {
    const struct world *world;
    enum operation operation;
    int64_t count, share; /* of the buffer, and of each rank */
    int64_t own_count, result_count;
    uint32_t *own, *result;
    int *counts; /* of a reduce-scatter, by rank */
};

/* The part of the buffer that a rank has in the end of a reduce-scatter. */
static struct part slot_of(const struct call *call, int rank)
{
    const int64_t ranks = call->world->ranks;
    const int64_t from = call->count / ranks * rank + call->count % ranks * rank / ranks;
    const int64_t to = call->count / ranks * (rank + 1) + call->count % ranks * (rank + 1) / ranks;
    return (struct part){from, to - from};
}

static struct part share_of(const struct call *call, int rank)
{
    return (struct part){call->share * rank, call->share};
}

static void measure_buffers(struct call *call)
{
    const int64_t ranks = call->world->ranks, whole = call->share * ranks;
    call->own_count = call->result_count = call->count;
    if (call->operation == ALLGATHER || call->operation == ALLTOALL) {
        call->own_count = call->operation == ALLGATHER ? call->share : whole;
        call->result_count = whole;
    }
    if (call->operation == REDUCE_SCATTER)
        call->result_count = slot_of(call, call->world->rank).count;
}

static uint32_t *numbers(int64_t count)
{
    return (uint32_t *)(void *)buffer_of(count ? count * NUMBER : NUMBER);
}

static struct call prepare(const struct world *world, const struct phase *phase)
{
    const int64_t ranks = world->ranks;
    struct call call = {.world = world, .operation = phase->operation, .count = (phase->size_bytes + NUMBER - 1) / NUMBER};
    call.share = (call.count + ranks - 1) / ranks;
    measure_buffers(&call);
    call.own = numbers(call.own_count);
    call.result = numbers(call.result_count);
    call.counts = allocate(sizeof *call.counts * (size_t)ranks);
    for (int rank = 0; rank < ranks; rank++)
        call.counts[rank] = (int)slot_of(&call, rank).count;
    return call;
}

static void release(struct call *call)
{
    free(call->own);
    free(call->result);
    free(call->counts);
}

static void fill_shares(const struct call *call)
{
    const int rank = call->world->rank;
    for (int other = 0; other < call->world->ranks; other++) {
        const struct content content = content_of(rank, other);
        fill(call->own + call->share * other, share_of(call, other), &content);
    }
}

/* What this rank has in the beginning, and nothing of the result. */
static void fill_all(const struct call *call)
{
    const int rank = call->world->rank;
    const struct content content = content_of(rank, 0);
    const struct part whole = {0, call->own_count};
    memset(call->result, 0, (size_t)call->result_count * NUMBER);
    if (call->operation == ALLTOALL)
        fill_shares(call);
    else if (call->operation == ALLGATHER)
        fill(call->own, share_of(call, rank), &content);
    else if (call->operation != BCAST)
        fill(call->own, whole, &content);
    else if (rank == 0)
        fill(call->result, whole, &content);
}

static void check(const struct call *call, long phase, struct part part, const uint32_t *found,
                  struct content right)
{
    char text[160];
    const int64_t wrong = first_wrong(found, part, &right);
    if (wrong < 0)
        return;
    snprintf(text, sizeof text, "wrong-result rank %d: the result of phase %ld is wrong: number %lld is %u, should be %u",
             call->world->rank, phase, (long long)(part.at + wrong), found[wrong], number_at(&right, part.at + wrong));
    fail(text);
}

/* Whether this rank has what it should have; the job ends where not. */
static void check_all(const struct call *call, long phase)
{
    const int rank = call->world->rank;
    const struct part whole = {0, call->count};
    if (call->operation == ALLREDUCE)
        check(call, phase, whole, call->result, sum_of(call->world->ranks));
    else if (call->operation == BCAST)
        check(call, phase, whole, call->result, content_of(0, 0));
    else if (call->operation == REDUCE_SCATTER)
        check(call, phase, slot_of(call, rank), call->result, sum_of(call->world->ranks));
    else
        for (int other = 0; other < call->world->ranks; other++) {
            const int is_alltoall = call->operation == ALLTOALL;
            const struct part part = share_of(call, is_alltoall ? rank : other);
            check(call, phase, part, call->result + call->share * other, content_of(other, is_alltoall ? rank : 0));
        }
}

static void carry_out(const struct call *call)
{
    const int share = (int)call->share, count = (int)call->count;
    switch (call->operation) {
    case ALLREDUCE:
        MPI_Allreduce(call->own, call->result, count, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
        break;
    case ALLGATHER:
        MPI_Allgather(call->own, share, MPI_UINT32_T, call->result, share, MPI_UINT32_T, MPI_COMM_WORLD);
        break;
    case ALLTOALL:
        MPI_Alltoall(call->own, share, MPI_UINT32_T, call->result, share, MPI_UINT32_T, MPI_COMM_WORLD);
        break;
    case BCAST:
        MPI_Bcast(call->result, count, MPI_UINT32_T, 0, MPI_COMM_WORLD);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(call->own, call->result, call->counts, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
        break;
    case NONE:
        fail("a phase is not as it should be: no collective");
    }
}

static struct row time_once(struct world *world, const struct call *call, int64_t size_bytes, int64_t *barrier_ns)
{
    *barrier_ns = meet(world);
    const int64_t start_ns = now_ns();
    carry_out(call);
    return (struct row){0, world->rank, (world->rank + 1) % world->ranks, size_bytes, 1, start_ns, now_ns() - start_ns};
}

/* As agents do it: once more before the first of several, which is not counted (crates/probe/src/ensemble/program). */
int64_t run_collective(struct world *world, const struct phase *phase, struct table *rows)
{
    int64_t barrier_ns = 0;
    struct call call = prepare(world, phase);
    for (long trial = phase->trials > 1 ? -1 : 0; trial < phase->trials; trial++) {
        fill_all(&call);
        tell_alive(world, now_ns());
        struct row row = time_once(world, &call, phase->size_bytes, &barrier_ns);
        row.batch = trial;
        if (trial >= 0)
            add(rows, &row);
        if (world->settings->verify)
            check_all(&call, phase->index);
        tell_alive(world, now_ns());
    }
    rest(world);
    release(&call);
    return barrier_ns;
}
