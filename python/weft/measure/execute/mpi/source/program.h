/* What the parts that carry out programs have in common: work with dependencies, as crates/plan/src/program/words.rs says it. */
#ifndef WEFT_PROGRAM_H
#define WEFT_PROGRAM_H

#include "many.h"

enum { BYTE_WEIGHTS = 8 };

enum kind { COMPUTES, SENDS, RECEIVES };

/* How computing passes the time: the processor is kept, left to others, or does real work. */
enum compute { SPIN, SLEEP, WORK };

/* A part of the buffer. */
struct range {
    int64_t from, to;
};

/* A part of the buffer and what its bytes are made of. */
struct stretch {
    struct range range;
    uint8_t weights[BYTE_WEIGHTS];
};

/* A task of this rank that waits for another. */
struct dependent {
    int task, on, for_end; /* it waits until the other has ended, else until it has begun */
};

struct task {
    enum kind kind;
    int64_t amount; /* nanoseconds, or bytes */
    int cpu;
    int peer, tag;
    int64_t place; /* where the message of a collective lies while it is on its way */
    int adds, ranges;
    struct range *range; /* what it is made of, or becomes part of */
    int needs;           /* how many others it waits for */
    int dependents;
    struct dependent *dependent; /* those that wait for it */
};

/* From the end of one task to that of another. */
struct lap {
    int begin, end;
};

struct program {
    enum compute compute;
    int64_t rendezvous_bytes; /* a longer message is on its way once its receive has begun */
    int64_t most_rows;
    int tasks, laps, before_count, after_count;
    int stop; /* the receive after which all that is sent is empty; -1 where there is none */
    int64_t buffer_bytes, memory_bytes;
    int64_t longest_bytes; /* of its messages */
    struct task *task;
    struct dependent *dependent;
    struct lap *lap;
    struct stretch *before, *after; /* what the buffer holds in the beginning, and must hold in the end */
};

/* When a task of an execution began, when its message had come or gone, and when it ended, on this rank's clock; and the bytes
 * that came. */
struct times {
    int64_t begun_ns, moved_ns, ended_ns, bytes;
};

struct execution {
    int64_t start_ns, end_ns, barrier_ns;
    struct times *times;
};

/* From a line of its numbers, with the settings of the phase in it. To be released. */
void read_program(struct program *program, char *line);
void release_program(struct program *program);

/* Bytes of a collective's buffer, which is at the beginning of the memory. */
void fill_buffer(const struct program *program, uint8_t *memory);
void pack(const struct task *task, uint8_t *memory);
void unpack(const struct task *task, uint8_t *memory);
/* End the job where the buffer is not as it must be. */
void check_buffer(const struct world *world, const struct program *program, long phase, const uint8_t *memory);

/* What a unit of real work takes, in picoseconds, and so many of them. */
int64_t calibrate_work(void);
void work(int64_t units);

/* A processor does one task after the other. */
struct processors;
struct processors *processors_of(const struct program *program);
void ask_processor(struct processors *processors, int task);
/* The next task that begins or has ended, or -1. */
int next_begun(struct processors *processors, int64_t now_ns);
int next_ended(struct processors *processors, int64_t now_ns);
int are_busy(const struct processors *processors);
/* Pass time while nothing else happens. */
void compute_on(struct processors *processors, int64_t now_ns);
void release_processors(struct processors *processors);

/* Meet, and do all tasks. `memory` holds the buffer and what is on its way, or is room for any message. */
void play(struct world *world, const struct program *program, uint8_t *memory, struct processors *processors,
          struct execution *execution);

/* How much of a stretch of time others cover, which may overlap. Sorts them. */
int64_t covered_ns(struct range whole, struct range *spans, int count);

#endif
