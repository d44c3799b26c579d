/* What the parts that run phases between many ranks have in common. */
#ifndef WEFT_MANY_H
#define WEFT_MANY_H

#include "weft_mpi.h"

/* Messages from one rank to another; its streams have their messages under way independently. */
struct transfer {
    int src, dst, streams;
};

/* What an MPI's own collective does. */
enum operation { NONE, ALLREDUCE, ALLGATHER, ALLTOALL, BCAST, REDUCE_SCATTER };

/* What ranks compute, send and receive, and what has to happen before; see program.h. */
struct program;

/* The transfers that run at the same time, or a collective or a program of all, and when they have run enough. */
struct phase {
    long index;
    enum operation operation;
    struct program *program; /* this rank's part, or NULL */
    int is_pingpong, by_count;
    int64_t size_bytes, trial_ns, at_most_ns;
    long repeats, trials;
    int count;
    struct transfer *transfers;
};

/* One timed batch on this rank's clock; of a program a message. */
struct row {
    int64_t batch, src, dst, size_bytes, messages, start_ns, elapsed_ns;
};

/* What a rank did with its time in one execution of a program; it waited for the rest. */
struct spent {
    int64_t rank, start_ns, end_ns, compute_ns, communicate_ns;
};

/* A stretch of a rank's time that a program asks for, and what came meanwhile, where the rank was stopped. */
struct timed_lap {
    int64_t rank, lap, begin_ns, end_ns, received_bytes;
};

/* Records of a kind, of so many numbers each, and the word that they are printed behind. */
struct table {
    const char *word;
    int width;
    int64_t *numbers;
    size_t count, room;
};

/* What a phase has measured at this rank: rows, and of a program times that were spent, and laps. */
struct results {
    struct table rows, spent, laps;
};

struct world {
    const struct settings *settings;
    int rank, ranks;
    int64_t offset_ns, error_ns; /* to be added to this rank's clock to have rank 0's, and how wrong that may be */
    int64_t told_ns;
};

/* Room for so many records in all. */
void reserve(struct table *table, size_t room);
/* Add a record: a structure of the table's numbers. */
void add(struct table *table, const void *record);

/* Whoever waits on a processor that it shares lets the others run. */
void let_others_run(const struct world *world);
/* Wait for a request as MPI does, or where processors are shared let the others run meanwhile. */
void wait_for(const struct world *world, MPI_Request *request, MPI_Status *status);
/* Say on standard error, at most twice a second, that messages move here. */
void tell_alive(struct world *world, int64_t now_ns);

/* The next phase of rank 0's standard input, at all ranks; 0 when there is none. To be released. */
int next_phase(const struct world *world, struct phase *phase);
void release_phase(struct phase *phase);
/* The next number of a line, which is passed. */
int64_t next_number(char **next);

/* The barrier before the transfers of a phase; how long this rank was in it. */
int64_t meet(struct world *world);

/* The barrier behind them, whose time does not matter. */
void rest(const struct world *world);

/* Meet, send one way, rest: the rows are the receivers'. Gives the time in the barrier. */
int64_t run_streams(struct world *world, const struct phase *phase, struct table *rows);
/* Meet, send there and back, rest: the rows are those of who begins. Gives the time in the barrier. */
int64_t run_trips(struct world *world, const struct phase *phase, struct table *rows);
/* Meet, call MPI's collective, so many times; rest: the rows are of all ranks. Gives the time in the last barrier. */
int64_t run_collective(struct world *world, const struct phase *phase, struct table *rows);
/* Meet, do what the program says, so many times; rest. Gives the time in the last barrier. */
int64_t run_program(struct world *world, const struct phase *phase, struct results *results);

#endif
