/* A program as it comes: numbers on a line, see crates/plan/src/program/words.rs; before them how it computes, from how many
 * bytes on messages wait for their receive, and how many messages' times are wanted. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

/* Enough for all that calls for as many tasks. */
static int count_of(char **next)
{
    const int64_t count = next_number(next);
    if (count < 0 || count > INT32_MAX)
        fail("a program is not as it should be: a count is out of range");
    return (int)count;
}

static int index_of(char **next, int below)
{
    const int64_t index = next_number(next);
    if (index < 0 || index >= below)
        fail("a program is not as it should be: it names a task that there is not");
    return (int)index;
}

static struct range read_range(char **next)
{
    const int64_t from = next_number(next);
    return (struct range){from, next_number(next)};
}

static void read_message(struct task *task, char **next)
{
    task->peer = count_of(next);
    task->amount = next_number(next);
    task->tag = count_of(next);
    task->place = next_number(next);
    task->adds = (int)next_number(next);
    task->ranges = count_of(next);
    task->range = allocate(sizeof *task->range * (size_t)task->ranges);
    for (int n = 0; n < task->ranges; n++)
        task->range[n] = read_range(next);
}

static struct task read_task(char **next)
{
    struct task task = {.kind = (enum kind)next_number(next)};
    if (task.kind == COMPUTES) {
        task.amount = next_number(next);
        task.cpu = count_of(next);
    } else {
        read_message(&task, next);
    }
    return task;
}

static int by_task_waited_for(const void *one, const void *other)
{
    const struct dependent *a = one, *b = other;
    return a->on < b->on ? -1 : a->on > b->on;
}

/* Those that wait for a task stand together. */
static void read_needs(struct program *program, int needs, char **next)
{
    program->dependent = allocate(sizeof *program->dependent * (size_t)needs);
    for (struct dependent *one = program->dependent; one < program->dependent + needs; one++) {
        one->task = index_of(next, program->tasks);
        one->on = index_of(next, program->tasks);
        one->for_end = (int)next_number(next);
        program->task[one->task].needs++;
    }
    qsort(program->dependent, (size_t)needs, sizeof *program->dependent, by_task_waited_for);
    for (struct dependent *one = program->dependent; one < program->dependent + needs; one++) {
        struct task *const on = &program->task[one->on];
        if (!on->dependents++)
            on->dependent = one;
    }
}

static struct stretch *read_stretches(int count, char **next)
{
    struct stretch *all = allocate(sizeof *all * (size_t)count);
    for (struct stretch *one = all; one < all + count; one++) {
        one->range = read_range(next);
        for (int which = 0; which < BYTE_WEIGHTS; which++)
            one->weights[which] = (uint8_t)next_number(next);
    }
    return all;
}

static int64_t longest_message(const struct program *program)
{
    int64_t longest = 1;
    for (const struct task *one = program->task; one < program->task + program->tasks; one++)
        if (one->kind != COMPUTES && one->amount > longest)
            longest = one->amount;
    return longest;
}

void read_program(struct program *program, char *line)
{
    char *next = line;
    program->compute = (enum compute)next_number(&next);
    program->rendezvous_bytes = next_number(&next);
    program->most_rows = next_number(&next);
    program->tasks = count_of(&next);
    const int needs = count_of(&next);
    program->laps = count_of(&next);
    program->before_count = count_of(&next);
    program->after_count = count_of(&next);
    program->stop = (int)next_number(&next);
    program->buffer_bytes = next_number(&next);
    program->memory_bytes = next_number(&next);
    program->task = allocate(sizeof *program->task * (size_t)program->tasks);
    for (int n = 0; n < program->tasks; n++)
        program->task[n] = read_task(&next);
    read_needs(program, needs, &next);
    program->lap = allocate(sizeof *program->lap * (size_t)program->laps);
    for (struct lap *one = program->lap; one < program->lap + program->laps; one++) {
        one->begin = index_of(&next, program->tasks);
        one->end = index_of(&next, program->tasks);
    }
    program->before = read_stretches(program->before_count, &next);
    program->after = read_stretches(program->after_count, &next);
    program->longest_bytes = longest_message(program);
}

void release_program(struct program *program)
{
    for (int n = 0; n < program->tasks; n++)
        free(program->task[n].range);
    free(program->task);
    free(program->dependent);
    free(program->lap);
    free(program->before);
    free(program->after);
}
