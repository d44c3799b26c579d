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

/* The transfers that run at the same time, or a collective of all, and when they have run enough. */
struct phase {
    long index;
    enum operation operation;
    int is_pingpong, by_count;
    int64_t size_bytes, trial_ns;
    long repeats, trials;
    int count;
    struct transfer *transfers;
};

/* One timed batch on this rank's clock. */
struct row {
    int64_t batch, src, dst, messages, start_ns, elapsed_ns;
};

/* What a phase has measured at this rank. */
struct rows {
    struct row *all;
    size_t count, room;
};

struct world {
    const struct settings *settings;
    int rank, ranks;
    int64_t offset_ns, error_ns; /* to be added to this rank's clock to have rank 0's, and how wrong that may be */
    int64_t told_ns;
};

/* Room for so many rows in all. */
void reserve(struct rows *rows, size_t room);
void add_row(struct rows *rows, struct row row);

/* Whoever waits on a processor that it shares lets the others run. */
void let_others_run(const struct world *world);
/* Wait for a request as MPI does, or where processors are shared let the others run meanwhile. */
void wait_for(const struct world *world, MPI_Request *request, MPI_Status *status);
/* Say on standard error, at most twice a second, that messages move here. */
void tell_alive(struct world *world, int64_t now_ns);

/* The next phase of rank 0's standard input, at all ranks; 0 when there is none. */
int next_phase(const struct world *world, struct phase *phase);

/* The barrier before the transfers of a phase; how long this rank was in it. */
int64_t meet(struct world *world);

/* The barrier behind them, whose time does not matter. */
void rest(const struct world *world);

/* Meet, send one way, rest: the rows are the receivers'. Gives the time in the barrier. */
int64_t run_streams(struct world *world, const struct phase *phase, struct rows *rows);
/* Meet, send there and back, rest: the rows are those of who begins. Gives the time in the barrier. */
int64_t run_trips(struct world *world, const struct phase *phase, struct rows *rows);
/* Meet, call MPI's collective, so many times; rest: the rows are of all ranks. Gives the time in the last barrier. */
int64_t run_collective(struct world *world, const struct phase *phase, struct rows *rows);

#endif
