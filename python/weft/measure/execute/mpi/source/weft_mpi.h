/* What the parts of the program have in common. */
#ifndef WEFT_MPI_H
#define WEFT_MPI_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* What weft wants, as its arguments say. */
struct settings {
    int streams, nonblocking, by_count, takes_orders, verify;
    int shares_cpu; /* found out: who waits lets the others run */
    long window, trials, repeats, at_least;
    int64_t largest_bytes, trial_ns, at_most_ns, until_ns, epoch_ns;
    const char *phases, *cpus;
};

/* The monotonic clock of this node. */
int64_t now_ns(void);

/* End the whole job with a message. */
void fail(const char *what);

/* Memory, or the end of the job. */
void *allocate(size_t bytes);

/* A page-aligned buffer for a message, every page of it touched. */
char *buffer_of(int64_t bytes);

/* Prints a line `limit NAME BYTES` for each size at which a protocol of this MPI changes. */
void say_limits(void);

/* Find what records beside batches at this node: the agent that listens there under this name, NULL for none. Without it the
 * other two do nothing. */
void find_agent(const char *name, int rank);

/* A batch is about to begin; what was begun is over. */
void begin_recording(int64_t phase, int64_t batch);
void end_recording(void);

/* One step between two ranks, whose phases are in the settings. */
void run_pair(const struct settings *settings, int rank);

/* Phases between all ranks, which rank 0 reads from its standard input until it ends. */
void run_many(const struct settings *settings, int rank, int ranks);

#endif
