/* The processors of a rank while it computes, one task at a time each, as those of agents are
 * (crates/probe/src/ensemble/program/processors.rs). The rank has one thread, which looks after messages as well. So processors
 * that sleep or spin only pass the time, side by side; where real work is done there is one. */
#define _GNU_SOURCE
#include "program.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Real work between two looks at messages, and the longest sleep. */
#define SLICE_NS 20000
#define NAP_US 50
/* How long real work is tried out: the fastest of some tries, for others may use the processor too. */
#define CALIBRATION_NS 2000000
#define CALIBRATIONS 5
#define STRETCH 50000

struct processor {
    int task, first, last; /* what it is about, and what waits for it; -1 for none */
    int64_t left;          /* when the task ends, or the units of work that are left of it */
};

struct processors {
    const struct program *program;
    int64_t unit_ps;
    int count;
    struct processor *all;
    int *next; /* by task: which waits behind it */
};

static int64_t used_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A chain of dependent operations on registers. */
void work(int64_t units)
{
    static volatile uint64_t sink;
    uint64_t state = 0x9e3779b97f4a7c15u ^ sink;
    for (int64_t n = 0; n < units; n++)
        state = (state ^ state >> 7) * 0x2545f4914f6cdd1du;
    sink = state;
}

int64_t calibrate_work(void)
{
    int64_t least_ps = INT64_MAX;
    for (int n = 0; n < CALIBRATIONS; n++) {
        int64_t units = 0, took_ns = 0;
        for (const int64_t start_ns = used_ns(); took_ns < CALIBRATION_NS; took_ns = used_ns() - start_ns) {
            work(STRETCH);
            units += STRETCH;
        }
        const int64_t ps = took_ns * 1000 / units;
        least_ps = ps < least_ps ? ps : least_ps;
    }
    return least_ps > 0 ? least_ps : 1;
}

static int most_cpus(const struct program *program)
{
    int most = 1;
    for (const struct task *one = program->task; one < program->task + program->tasks; one++)
        if (one->kind == COMPUTES && one->cpu >= most)
            most = one->cpu + 1;
    return most;
}

struct processors *processors_of(const struct program *program)
{
    struct processors *const found = allocate(sizeof *found);
    const int works = program->compute == WORK;
    found->program = program;
    found->unit_ps = works ? calibrate_work() : 1;
    found->count = works ? 1 : most_cpus(program);
    found->all = allocate(sizeof *found->all * (size_t)found->count);
    found->next = allocate(sizeof *found->next * (size_t)program->tasks);
    for (int n = 0; n < found->count; n++)
        found->all[n] = (struct processor){-1, -1, -1, 0};
    return found;
}

void release_processors(struct processors *processors)
{
    free(processors->next);
    free(processors->all);
    free(processors);
}

void ask_processor(struct processors *processors, int task)
{
    const int cpu = processors->program->task[task].cpu % processors->count;
    struct processor *const one = &processors->all[cpu];
    processors->next[task] = -1;
    if (one->first < 0)
        one->first = task;
    else
        processors->next[one->last] = task;
    one->last = task;
}

int next_begun(struct processors *processors, int64_t now_ns)
{
    for (struct processor *one = processors->all; one < processors->all + processors->count; one++) {
        if (one->task >= 0 || one->first < 0)
            continue;
        one->task = one->first;
        one->first = processors->next[one->task];
        const int64_t ns = processors->program->task[one->task].amount;
        const int works = processors->program->compute == WORK;
        one->left = works ? (int64_t)((double)ns * 1000 / (double)processors->unit_ps) : now_ns + ns;
        return one->task;
    }
    return -1;
}

int next_ended(struct processors *processors, int64_t now_ns)
{
    const int64_t end = processors->program->compute == WORK ? 0 : now_ns;
    for (struct processor *one = processors->all; one < processors->all + processors->count; one++) {
        if (one->task < 0 || one->left > end)
            continue;
        const int task = one->task;
        one->task = -1;
        return task;
    }
    return -1;
}

int are_busy(const struct processors *processors)
{
    for (const struct processor *one = processors->all; one < processors->all + processors->count; one++)
        if (one->task >= 0)
            return 1;
    return 0;
}

static void nap(const struct processors *processors, int64_t now_ns)
{
    int64_t us = NAP_US;
    for (const struct processor *one = processors->all; one < processors->all + processors->count; one++)
        if (one->task >= 0 && (one->left - now_ns) / 1000 < us)
            us = (one->left - now_ns) / 1000;
    if (us > 0)
        usleep((useconds_t)us);
}

void compute_on(struct processors *processors, int64_t now_ns)
{
    if (processors->program->compute == SLEEP)
        nap(processors, now_ns);
    if (processors->program->compute != WORK)
        return;
    const int64_t slice = SLICE_NS * 1000 / processors->unit_ps + 1;
    const int64_t units = processors->all->left < slice ? processors->all->left : slice;
    work(units);
    processors->all->left -= units;
}
