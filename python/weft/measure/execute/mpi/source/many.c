/* Phases between all ranks: a barrier, the transfers, and what they measured, which rank 0 prints.
 *
 *   clock RANK OFFSET_NS ERROR_NS         once for each rank: what its clock lacks to rank 0's
 *   row PHASE BATCH SRC DST BYTES MESSAGES START_NS ELAPSED_NS
 *   spent PHASE RANK START_NS END_NS COMPUTE_NS COMMUNICATE_NS    for each time that a program was carried out
 *   lap PHASE RANK LAP BEGIN_NS END_NS RECEIVED_BYTES             for each of its laps
 *   over PHASE BARRIER_NS ...             how long each rank was in the barrier */
#define _GNU_SOURCE
#include "many.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READINGS 16
#define TELL_EVERY_NS 500000000
#define NAP_US 200

enum { ASK_TAG = 1, ANSWER_TAG = 2 };

void reserve(struct table *table, size_t room)
{
    if (room <= table->room)
        return;
    table->numbers = realloc(table->numbers, room * (size_t)table->width * sizeof *table->numbers);
    if (!table->numbers)
        fail("there is no memory for so many results");
    table->room = room;
}

static int64_t *record_at(const struct table *table, size_t index)
{
    return table->numbers + index * (size_t)table->width;
}

void add(struct table *table, const void *record)
{
    if (table->count == table->room)
        reserve(table, table->room ? 2 * table->room : 64);
    memcpy(record_at(table, table->count++), record, (size_t)table->width * sizeof *table->numbers);
}

void let_others_run(const struct world *world)
{
    if (world->settings->shares_cpu)
        sched_yield();
}

void wait_for(const struct world *world, MPI_Request *request, MPI_Status *status)
{
    int is_done = 0;
    if (!world->settings->shares_cpu) {
        MPI_Wait(request, status);
        return;
    }
    for (MPI_Test(request, &is_done, status); !is_done; MPI_Test(request, &is_done, status))
        sched_yield();
}

void tell_alive(struct world *world, int64_t now)
{
    if (now - world->told_ns < TELL_EVERY_NS)
        return;
    world->told_ns = now;
    fputs("weft_mpi: alive\n", stderr);
}

int64_t meet(struct world *world)
{
    MPI_Request request;
    const int64_t entered_ns = now_ns();
    if (world->settings->shares_cpu) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        wait_for(world, &request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    world->told_ns = now_ns();
    return world->told_ns - entered_ns;
}

/* A rank that has finished yields the processor to those that have not. */
void rest(const struct world *world)
{
    int is_done = 0;
    MPI_Request request;
    if (!world->settings->shares_cpu) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done)
            return;
        usleep(NAP_US);
    }
}

/* What must be added to this rank's clock to have rank 0's: of some readings that with the shortest round trip
 * (Cristian 1989), whose half is the error. */
static void ask_for_clock(const struct world *world, int64_t *offset_ns, int64_t *error_ns)
{
    int64_t shortest_ns = INT64_MAX;
    for (int n = 0; n < READINGS; n++) {
        int64_t there_ns;
        MPI_Request answer;
        const int64_t asked_ns = now_ns();
        MPI_Send(NULL, 0, MPI_BYTE, 0, ASK_TAG, MPI_COMM_WORLD);
        MPI_Irecv(&there_ns, 1, MPI_INT64_T, 0, ANSWER_TAG, MPI_COMM_WORLD, &answer);
        wait_for(world, &answer, MPI_STATUS_IGNORE);
        const int64_t heard_ns = now_ns();
        if (heard_ns - asked_ns >= shortest_ns)
            continue;
        shortest_ns = heard_ns - asked_ns;
        *offset_ns = there_ns - (asked_ns + heard_ns) / 2;
        *error_ns = (shortest_ns + 1) / 2;
    }
}

static void answer_for_clock(const struct world *world, int rank)
{
    for (int n = 0; n < READINGS; n++) {
        MPI_Request question;
        MPI_Irecv(NULL, 0, MPI_BYTE, rank, ASK_TAG, MPI_COMM_WORLD, &question);
        wait_for(world, &question, MPI_STATUS_IGNORE);
        const int64_t here_ns = now_ns();
        MPI_Send(&here_ns, 1, MPI_INT64_T, rank, ANSWER_TAG, MPI_COMM_WORLD);
    }
}

/* One rank after the other, so that they do not disturb each other. */
static void compare_clocks(struct world *world)
{
    int64_t own[2] = {0, 0};
    int64_t *all = allocate(sizeof own * (size_t)world->ranks);
    for (int other = 1; other < world->ranks; other++) {
        rest(world);
        if (world->rank == 0)
            answer_for_clock(world, other);
        else if (world->rank == other)
            ask_for_clock(world, &own[0], &own[1]);
    }
    MPI_Gather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int other = 0; world->rank == 0 && other < world->ranks; other++)
        printf("clock %d %lld %lld\n", other, (long long)all[2 * other], (long long)all[2 * other + 1]);
    fflush(stdout);
    free(all);
    world->offset_ns = own[0];
    world->error_ns = own[1];
}

static void print_records(const struct table *table, const struct phase *phase, const int64_t *numbers, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        printf("%s %ld", table->word, phase->index);
        for (int which = 0; which < table->width; which++)
            printf(" %lld", (long long)*numbers++);
        putchar('\n');
    }
}

/* The records of one rank after the other, so that rank 0 has room for those of one. */
static void collect(const struct world *world, const struct phase *phase, const struct table *table)
{
    unsigned long *counts = allocate(sizeof *counts * (size_t)world->ranks), own = table->count;
    const unsigned long width = (unsigned long)table->width;
    MPI_Gather(&own, 1, MPI_UNSIGNED_LONG, counts, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    if (world->rank == 0)
        print_records(table, phase, table->numbers, table->count);
    else if (own)
        MPI_Send(table->numbers, (int)(own * width), MPI_INT64_T, 0, ANSWER_TAG, MPI_COMM_WORLD);
    for (int other = 1; world->rank == 0 && other < world->ranks; other++) {
        if (!counts[other])
            continue;
        int64_t *const numbers = allocate(counts[other] * width * sizeof *numbers);
        MPI_Recv(numbers, (int)(counts[other] * width), MPI_INT64_T, other, ANSWER_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        print_records(table, phase, numbers, counts[other]);
        free(numbers);
    }
    free(counts);
}

static void print_over(const struct world *world, const struct phase *phase, int64_t barrier_ns)
{
    int64_t *all = allocate(sizeof *all * (size_t)world->ranks);
    MPI_Gather(&barrier_ns, 1, MPI_INT64_T, all, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (world->rank == 0) {
        printf("over %ld", phase->index);
        for (int other = 0; other < world->ranks; other++)
            printf(" %lld", (long long)all[other]);
        putchar('\n');
        fflush(stdout);
    }
    free(all);
}

static int has_transfers(const struct phase *phase, int rank)
{
    for (const struct transfer *one = phase->transfers; one < phase->transfers + phase->count; one++)
        if (one->src == rank || one->dst == rank)
            return 1;
    return 0;
}

static int64_t run_kind(struct world *world, const struct phase *phase, struct results *results)
{
    if (phase->program)
        return run_program(world, phase, results);
    if (phase->operation != NONE)
        return run_collective(world, phase, &results->rows);
    return phase->is_pingpong ? run_trips(world, phase, &results->rows) : run_streams(world, phase, &results->rows);
}

/* From this rank's clock to the run's. */
static void shift(const struct table *table, size_t column, int64_t shift_ns)
{
    for (size_t n = 0; n < table->count; n++)
        record_at(table, n)[column] += shift_ns;
}

#define COLUMN(type, name) (offsetof(type, name) / sizeof(int64_t))

static void put_on_the_run_s_clock(const struct world *world, const struct results *results)
{
    const int64_t shift_ns = world->offset_ns - world->settings->epoch_ns;
    shift(&results->rows, COLUMN(struct row, start_ns), shift_ns);
    shift(&results->spent, COLUMN(struct spent, start_ns), shift_ns);
    shift(&results->spent, COLUMN(struct spent, end_ns), shift_ns);
    shift(&results->laps, COLUMN(struct timed_lap, begin_ns), shift_ns);
    shift(&results->laps, COLUMN(struct timed_lap, end_ns), shift_ns);
}

static void run_phase(struct world *world, const struct phase *phase, struct results *results)
{
    const int takes_part = phase->program || phase->operation != NONE || has_transfers(phase, world->rank);
    results->rows.count = results->spent.count = results->laps.count = 0;
    if (takes_part)
        begin_recording(phase->index, 0);
    const int64_t barrier_ns = run_kind(world, phase, results);
    if (takes_part)
        end_recording();
    put_on_the_run_s_clock(world, results);
    collect(world, phase, &results->rows);
    collect(world, phase, &results->spent);
    collect(world, phase, &results->laps);
    print_over(world, phase, barrier_ns);
}

void run_many(const struct settings *settings, int rank, int ranks)
{
    struct world world = {.settings = settings, .rank = rank, .ranks = ranks};
    struct results results = {
        {"row", sizeof(struct row) / sizeof(int64_t), NULL, 0, 0},
        {"spent", sizeof(struct spent) / sizeof(int64_t), NULL, 0, 0},
        {"lap", sizeof(struct timed_lap) / sizeof(int64_t), NULL, 0, 0},
    };
    struct phase phase;
    compare_clocks(&world);
    while (next_phase(&world, &phase)) {
        run_phase(&world, &phase, &results);
        release_phase(&phase);
    }
    free(results.rows.numbers);
    free(results.spent.numbers);
    free(results.laps.numbers);
}
