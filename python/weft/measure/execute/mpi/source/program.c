/* A phase that is a program: played so many times, and what each rank did with its time.
 *
 * As agents do it (crates/probe/src/ensemble/program): once more before the first of several, which is not counted; a row for
 * each message that came, from when its source began with it until it was taken. When that was the source says afterwards. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

struct stage {
    struct world *world;
    const struct program *program;
    const struct phase *phase;
    uint8_t *memory;
    struct processors *processors;
    struct execution execution;
    int *sends, *receives;           /* by rank: messages to it and from it */
    int *sends_from, *receives_from; /* by rank: where they begin among those of all */
    int64_t *told_ns, *heard_ns;     /* by message: when its source began with it, on rank 0's clock */
    int64_t *numbers;                /* by rank: messages from it that have rows */
    struct range *moving, *computing;
};

static int sum_up(const int *counts, int *from, int ranks)
{
    int all = 0;
    for (int rank = 0; rank < ranks; rank++) {
        from[rank] = all;
        all += counts[rank];
    }
    return all;
}

static void count_messages(struct stage *stage)
{
    const struct program *const program = stage->program;
    const int ranks = stage->world->ranks;
    for (const struct task *one = program->task; one < program->task + program->tasks; one++) {
        if (one->kind != COMPUTES && one->peer >= ranks)
            fail("a program is not as it should be: it names a rank that there is not");
        if (one->kind != COMPUTES)
            (one->kind == SENDS ? stage->sends : stage->receives)[one->peer]++;
    }
    const int sent = sum_up(stage->sends, stage->sends_from, ranks);
    const int received = sum_up(stage->receives, stage->receives_from, ranks);
    stage->told_ns = allocate(sizeof *stage->told_ns * (size_t)sent);
    stage->heard_ns = allocate(sizeof *stage->heard_ns * (size_t)received);
}

static void check_tags(const struct stage *stage)
{
    int *most = NULL, is_known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &is_known);
    for (int rank = 0; is_known && rank < stage->world->ranks; rank++)
        if (stage->sends[rank] - 1 > *most)
            fail("a program has more messages between two ranks than this MPI has tags");
}

static struct stage prepare(struct world *world, const struct phase *phase)
{
    const struct program *const program = phase->program;
    const size_t ranks = (size_t)world->ranks, tasks = (size_t)program->tasks;
    struct stage stage = {.world = world, .program = program, .phase = phase};
    const int64_t bytes = program->buffer_bytes ? program->memory_bytes : 2 * program->longest_bytes;
    stage.memory = (uint8_t *)buffer_of(bytes);
    stage.processors = processors_of(program);
    stage.execution.times = allocate(sizeof *stage.execution.times * tasks);
    stage.sends = allocate(sizeof *stage.sends * ranks);
    stage.receives = allocate(sizeof *stage.receives * ranks);
    stage.sends_from = allocate(sizeof *stage.sends_from * ranks);
    stage.receives_from = allocate(sizeof *stage.receives_from * ranks);
    stage.numbers = allocate(sizeof *stage.numbers * ranks);
    stage.moving = allocate(sizeof *stage.moving * 2 * tasks);
    stage.computing = allocate(sizeof *stage.computing * tasks);
    count_messages(&stage);
    check_tags(&stage);
    return stage;
}

static void release(struct stage *stage)
{
    free(stage->memory);
    release_processors(stage->processors);
    free(stage->execution.times);
    free(stage->sends);
    free(stage->receives);
    free(stage->sends_from);
    free(stage->receives_from);
    free(stage->told_ns);
    free(stage->heard_ns);
    free(stage->numbers);
    free(stage->moving);
    free(stage->computing);
}

/* Each source tells when it began with its messages; tags number those between two ranks. */
static void tell_begins(struct stage *stage)
{
    MPI_Request request;
    const struct program *const program = stage->program;
    for (int task = 0; task < program->tasks; task++) {
        const struct task *const one = &program->task[task];
        if (one->kind == SENDS)
            stage->told_ns[stage->sends_from[one->peer] + one->tag] =
                stage->execution.times[task].begun_ns + stage->world->offset_ns;
    }
    MPI_Ialltoallv(stage->told_ns, stage->sends, stage->sends_from, MPI_INT64_T, stage->heard_ns, stage->receives,
                   stage->receives_from, MPI_INT64_T, MPI_COMM_WORLD, &request);
    wait_for(stage->world, &request, MPI_STATUS_IGNORE);
}

/* When the source of a receive began, on this rank's clock. */
static int64_t sent_ns(const struct stage *stage, const struct task *receive)
{
    return stage->heard_ns[stage->receives_from[receive->peer] + receive->tag] - stage->world->offset_ns;
}

/* Whether a message has come without its content, since its source has been stopped. */
static int is_emptied(const struct stage *stage, int task)
{
    return stage->program->stop >= 0 && stage->execution.times[task].bytes < stage->program->task[task].amount;
}

static void add_messages(struct stage *stage, struct table *rows)
{
    for (int task = 0; task < stage->program->tasks; task++) {
        const struct task *const one = &stage->program->task[task];
        if (one->kind != RECEIVES || is_emptied(stage, task) || (int64_t)rows->count >= stage->program->most_rows)
            continue;
        const int64_t start_ns = sent_ns(stage, one), elapsed_ns = stage->execution.times[task].moved_ns - start_ns;
        add(rows, &(struct row){stage->numbers[one->peer]++, one->peer, stage->world->rank, one->amount, 1, start_ns,
                                   elapsed_ns > 0 ? elapsed_ns : 0});
    }
}

/* From when on a message moves: where it was withheld, from when its receive has begun. */
static int64_t moves_from_ns(const struct stage *stage, int task)
{
    const struct task *const one = &stage->program->task[task];
    const int64_t begun_ns = stage->execution.times[task].begun_ns;
    if (one->kind == SENDS)
        return begun_ns;
    const int64_t from_ns = sent_ns(stage, one);
    const int is_withheld = one->amount > stage->program->rendezvous_bytes && begun_ns > from_ns;
    return is_withheld ? begun_ns : from_ns;
}

/* A rank computes; else a message leaves it or is on its way to it; else it waits. */
static struct spent spent_time(struct stage *stage)
{
    const struct execution *const done = &stage->execution;
    const struct range whole = {done->start_ns, done->end_ns};
    int computing = 0, moving = 0;
    for (int task = 0; task < stage->program->tasks; task++) {
        const struct task *const one = &stage->program->task[task];
        const struct times *const times = &done->times[task];
        if (one->kind == COMPUTES)
            stage->computing[computing++] = (struct range){times->begun_ns, times->ended_ns};
        else
            stage->moving[moving++] = (struct range){moves_from_ns(stage, task), times->moved_ns};
        if (one->kind == RECEIVES && one->adds)
            stage->computing[computing++] = (struct range){times->moved_ns, times->ended_ns};
    }
    const int64_t compute_ns = covered_ns(whole, stage->computing, computing);
    memcpy(stage->moving + moving, stage->computing, sizeof *stage->moving * (size_t)computing);
    const int64_t busy_ns = covered_ns(whole, stage->moving, moving + computing);
    return (struct spent){stage->world->rank, whole.from, whole.to, compute_ns, busy_ns - compute_ns};
}

/* Of a rank that was stopped, its time until then, or until it had nothing more to do. */
static struct timed_lap until_stop(const struct stage *stage)
{
    const struct execution *const done = &stage->execution;
    const int64_t stopped_ns = done->times[stage->program->stop].ended_ns;
    int64_t last_ns = done->start_ns, bytes = 0;
    for (int task = 0; task < stage->program->tasks; task++) {
        const struct times *const one = &done->times[task];
        if (task == stage->program->stop)
            continue;
        last_ns = one->ended_ns > last_ns ? one->ended_ns : last_ns;
        bytes += one->ended_ns <= stopped_ns ? one->bytes : 0;
    }
    return (struct timed_lap){stage->world->rank, 0, done->start_ns, last_ns < stopped_ns ? last_ns : stopped_ns, bytes};
}

static void add_laps(const struct stage *stage, struct results *results)
{
    const struct times *const times = stage->execution.times;
    if (stage->program->stop >= 0) {
        const struct timed_lap lap = until_stop(stage);
        add(&results->laps, &lap);
        return;
    }
    for (int n = 0; n < stage->program->laps; n++) {
        const struct lap *const one = &stage->program->lap[n];
        add(&results->laps,
            &(struct timed_lap){stage->world->rank, n, times[one->begin].ended_ns, times[one->end].ended_ns, 0});
    }
}

int64_t run_program(struct world *world, const struct phase *phase, struct results *results)
{
    struct stage stage = prepare(world, phase);
    for (long trial = phase->trials > 1 ? -1 : 0; trial < phase->trials; trial++) {
        play(world, phase->program, stage.memory, stage.processors, &stage.execution);
        if (world->settings->verify)
            check_buffer(world, phase->program, phase->index, stage.memory);
        tell_begins(&stage);
        if (trial < 0)
            continue;
        add_messages(&stage, &results->rows);
        const struct spent spent = spent_time(&stage);
        add(&results->spent, &spent);
        add_laps(&stage, results);
    }
    rest(world);
    release(&stage);
    return stage.execution.barrier_ns;
}
