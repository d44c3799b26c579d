/* Phases as they come: a line each on rank 0's standard input, of words and numbers between single spaces.
 *
 *   INDEX stream|pingpong SIZE time TRIAL_NS TRIALS COUNT   SRC DST STREAMS   SRC DST STREAMS ...
 *   INDEX stream|pingpong SIZE count REPEATS AT_MOST_NS TRIALS COUNT   SRC DST STREAMS ...
 *   INDEX allreduce|allgather|alltoall|bcast|reduce-scatter SIZE count 1 0 TRIALS 0
 *   INDEX program SIZE count 1 0 TRIALS 0     and then a part for each rank, see words.c
 *
 * SRC and DST are ranks. Round trips end once they have taken AT_MOST_NS, unless that is 0. */
#define _GNU_SOURCE
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_TAG = 5 };

/* The line at all ranks, to be freed, or NULL at the end. */
static char *next_line(int rank)
{
    char *line = NULL;
    size_t room = 0;
    long length = 0;
    if (rank == 0)
        length = (long)getline(&line, &room, stdin);
    MPI_Bcast(&length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (length <= 0) {
        free(line);
        return NULL;
    }
    if (rank != 0)
        line = allocate((size_t)length + 1);
    MPI_Bcast(line, (int)length, MPI_CHAR, 0, MPI_COMM_WORLD);
    return line;
}

int64_t next_number(char **next)
{
    char *end;
    const int64_t value = strtoll(*next, &end, 10);
    if (end == *next)
        fail("a phase is not as it should be: a number is missing");
    *next = end;
    return value;
}

/* Whether the next word is this one, which is then passed. */
static int take(char **next, const char *word)
{
    const size_t length = strlen(word);
    *next += strspn(*next, " ");
    if (strncmp(*next, word, length))
        return 0;
    *next += length;
    return 1;
}

static struct transfer read_transfer(char **next, int ranks)
{
    struct transfer one;
    one.src = (int)next_number(next);
    one.dst = (int)next_number(next);
    one.streams = (int)next_number(next);
    if (one.src < 0 || one.dst < 0 || one.src >= ranks || one.dst >= ranks || one.src == one.dst)
        fail("a phase is not as it should be: it names a rank that there is not");
    return one;
}

static enum operation take_operation(char **next)
{
    static const char *const names[] = {
        [ALLREDUCE] = "allreduce", [ALLGATHER] = "allgather",           [ALLTOALL] = "alltoall",
        [BCAST] = "bcast",         [REDUCE_SCATTER] = "reduce-scatter",
    };
    for (enum operation one = ALLREDUCE; one <= REDUCE_SCATTER; one++)
        if (take(next, names[one]))
            return one;
    return NONE;
}

static void send_line(const char *line, long length, int rank)
{
    MPI_Send(&length, 1, MPI_LONG, rank, PART_TAG, MPI_COMM_WORLD);
    MPI_Send(line, (int)length + 1, MPI_CHAR, rank, PART_TAG, MPI_COMM_WORLD);
}

static char *receive_line(void)
{
    long length;
    MPI_Recv(&length, 1, MPI_LONG, 0, PART_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char *const line = allocate((size_t)length + 1);
    MPI_Recv(line, (int)length + 1, MPI_CHAR, 0, PART_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return line;
}

/* A rank's part, which comes in pieces that are asked for: MPICH gives up where a program reads more slowly than its input
 * comes. A piece behind which there are others ends with a plus. */
static char *read_part(size_t *length)
{
    char *whole = NULL, *piece = NULL;
    size_t room = 0;
    int goes_on = 1;
    for (*length = 0; goes_on;) {
        puts("more");
        fflush(stdout);
        const ssize_t got = getline(&piece, &room, stdin);
        whole = got < 2 ? NULL : realloc(whole, *length + (size_t)got + 1);
        if (!whole)
            fail("a phase is not as it should be: a rank's part of a program is missing, or there is no memory for it");
        memcpy(whole + *length, piece, (size_t)got + 1);
        *length += (size_t)got;
        goes_on = whole[*length - 2] == '+';
        if (goes_on)
            whole[*length - 2] = ' ';
    }
    free(piece);
    return whole;
}

/* Rank 0 reads the part of each rank; this rank's, to be freed. */
static char *own_line(const struct world *world)
{
    size_t length;
    if (world->rank != 0)
        return receive_line();
    char *const own = read_part(&length);
    for (int other = 1; other < world->ranks; other++) {
        char *const line = read_part(&length);
        send_line(line, (long)length, other);
        free(line);
    }
    return own;
}

static struct program *next_program(const struct world *world)
{
    struct program *const program = allocate(sizeof *program);
    char *const line = own_line(world);
    read_program(program, line);
    free(line);
    return program;
}

void release_phase(struct phase *phase)
{
    free(phase->transfers);
    if (phase->program)
        release_program(phase->program);
    free(phase->program);
}

int next_phase(const struct world *world, struct phase *phase)
{
    char *const line = next_line(world->rank);
    if (!line)
        return 0;
    char *next = line;
    phase->index = (long)next_number(&next);
    const int is_program = take(&next, "program");
    phase->operation = take_operation(&next);
    phase->is_pingpong = take(&next, "pingpong");
    if (!is_program && !phase->operation && !phase->is_pingpong && !take(&next, "stream"))
        fail("a phase is not as it should be: neither stream nor pingpong nor a collective nor a program");
    phase->size_bytes = next_number(&next);
    phase->by_count = take(&next, "count");
    if (!phase->by_count && !take(&next, "time"))
        fail("a phase is not as it should be: neither time nor count");
    const int64_t amount = next_number(&next);
    phase->repeats = phase->by_count ? (long)amount : 1;
    phase->trial_ns = phase->by_count ? 0 : amount;
    phase->at_most_ns = phase->by_count ? next_number(&next) : 0;
    phase->trials = (long)next_number(&next);
    phase->count = (int)next_number(&next);
    phase->transfers = allocate(sizeof *phase->transfers * (size_t)phase->count);
    for (int i = 0; i < phase->count; i++)
        phase->transfers[i] = read_transfer(&next, world->ranks);
    free(line);
    phase->program = is_program ? next_program(world) : NULL;
    return 1;
}
