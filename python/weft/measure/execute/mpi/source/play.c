/* One execution of a program: from a barrier to the end of this rank's last task. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

struct play {
    struct world *world;
    const struct program *program;
    uint8_t *memory;
    struct processors *processors;
    struct times *times;
    int *needs; /* by task: what it still waits for */
    int *ready; /* tasks that may begin, each once, in the order in which they came to that */
    int ready_first, ready_count, left, is_stopped;
    int active; /* requests, and by request its task */
    MPI_Request *requests;
    int *tasks, *indices;
    MPI_Status *statuses;
    int64_t end_ns;
};

static struct play prepare(struct world *world, const struct program *program, uint8_t *memory,
                           struct processors *processors, struct times *times)
{
    const size_t count = (size_t)program->tasks;
    struct play play = {world, program, memory, processors, times};
    play.left = program->tasks;
    play.needs = allocate(sizeof *play.needs * count);
    play.ready = allocate(sizeof *play.ready * count);
    play.requests = allocate(sizeof *play.requests * count);
    play.tasks = allocate(sizeof *play.tasks * count);
    play.indices = allocate(sizeof *play.indices * count);
    play.statuses = allocate(sizeof *play.statuses * count);
    memset(times, 0, sizeof *times * count);
    for (int task = 0; task < program->tasks; task++) {
        play.needs[task] = program->task[task].needs;
        if (!play.needs[task])
            play.ready[play.ready_count++] = task;
    }
    return play;
}

static void release(struct play *play)
{
    free(play->needs);
    free(play->ready);
    free(play->requests);
    free(play->tasks);
    free(play->indices);
    free(play->statuses);
}

static void let_go(struct play *play, int task, int has_ended)
{
    const struct task *const one = &play->program->task[task];
    for (const struct dependent *next = one->dependent; next < one->dependent + one->dependents; next++)
        if (next->for_end == has_ended && !--play->needs[next->task])
            play->ready[play->ready_count++] = next->task;
}

static void note_begin(struct play *play, int task, int64_t at_ns)
{
    play->times[task].begun_ns = at_ns;
    let_go(play, task, 0);
}

static void note_end(struct play *play, int task, int64_t at_ns)
{
    play->times[task].ended_ns = at_ns;
    play->end_ns = at_ns > play->end_ns ? at_ns : play->end_ns;
    play->is_stopped |= task == play->program->stop;
    play->left--;
    let_go(play, task, 1);
}

static int carries_data(const struct play *play)
{
    return play->program->buffer_bytes > 0;
}

/* What a message is sent from or comes to: of a collective a place of its own, else one that all have together, for nobody
 * looks at what comes there. */
static uint8_t *place_of(const struct play *play, const struct task *task)
{
    if (carries_data(play))
        return play->memory + task->place;
    return task->kind == SENDS ? play->memory : play->memory + play->program->longest_bytes;
}

static void begin_message(struct play *play, int task)
{
    const struct task *const one = &play->program->task[task];
    MPI_Request *const request = &play->requests[play->active];
    play->tasks[play->active++] = task;
    note_begin(play, task, now_ns());
    if (one->kind == RECEIVES) {
        MPI_Irecv(place_of(play, one), (int)one->amount, MPI_BYTE, one->peer, one->tag, MPI_COMM_WORLD, request);
        return;
    }
    if (carries_data(play))
        pack(one, play->memory);
    const int count = play->is_stopped ? 0 : (int)one->amount;
    MPI_Isend(place_of(play, one), count, MPI_BYTE, one->peer, one->tag, MPI_COMM_WORLD, request);
}

static void begin_ready(struct play *play)
{
    for (;;) {
        while (play->ready_first < play->ready_count) {
            const int task = play->ready[play->ready_first++];
            if (play->program->task[task].kind == COMPUTES)
                ask_processor(play->processors, task);
            else
                begin_message(play, task);
        }
        const int64_t now = now_ns();
        const int begun = next_begun(play->processors, now);
        if (begun < 0)
            return;
        note_begin(play, begun, now);
    }
}

static void end_message(struct play *play, int task, const MPI_Status *status)
{
    const struct task *const one = &play->program->task[task];
    int count = 0;
    play->times[task].moved_ns = now_ns();
    if (one->kind == RECEIVES) {
        MPI_Get_count(status, MPI_BYTE, &count);
        play->times[task].bytes = count;
        if (carries_data(play))
            unpack(one, play->memory);
    }
    note_end(play, task, carries_data(play) ? now_ns() : play->times[task].moved_ns);
}

/* End what has come or gone; how many. */
static int end_messages(struct play *play)
{
    int count = 0, kept = 0;
    if (!play->active)
        return 0;
    MPI_Testsome(play->active, play->requests, &count, play->indices, play->statuses);
    if (count == MPI_UNDEFINED || !count)
        return 0;
    for (int n = 0; n < count; n++)
        end_message(play, play->tasks[play->indices[n]], &play->statuses[n]);
    for (int n = 0; n < play->active; n++) {
        if (play->requests[n] == MPI_REQUEST_NULL)
            continue;
        play->requests[kept] = play->requests[n];
        play->tasks[kept++] = play->tasks[n];
    }
    play->active = kept;
    return count;
}

static int end_computing(struct play *play)
{
    int count = 0, task;
    for (int64_t now = now_ns(); (task = next_ended(play->processors, now)) >= 0; now = now_ns(), count++)
        note_end(play, task, now);
    return count;
}

void play(struct world *world, const struct program *program, uint8_t *memory, struct processors *processors,
          struct execution *execution)
{
    struct play play = prepare(world, program, memory, processors, execution->times);
    fill_buffer(program, memory);
    execution->barrier_ns = meet(world);
    execution->start_ns = play.end_ns = now_ns();
    begin_ready(&play);
    while (play.left) {
        const int ended = end_messages(&play) + end_computing(&play);
        begin_ready(&play);
        const int computes = are_busy(processors);
        if (ended || computes)
            tell_alive(world, now_ns());
        if (!ended && computes)
            compute_on(processors, now_ns());
        else if (!ended)
            let_others_run(world);
    }
    execution->end_ns = play.end_ns;
    release(&play);
}
