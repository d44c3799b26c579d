/* The timed loops between rank 0, which drives, and rank 1, which serves.
 *
 * Which batches are run, and how many messages each has, is what the agent's driver does (crates/probe/src/pair/driver.rs).
 *
 * With orders=1 rank 0 prints `awaiting` once the phases are over, and reads how many batches come next and for each
 * PHASE BATCH BYTES MESSAGES, on one line; it runs them and prints `awaiting` again, until there are 0. A batch of a
 * number below 0 warms up and is not printed. */
#define _GNU_SOURCE
#include "weft_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WARM_UP_NS 1000000
#define WARM_UP_MESSAGES 20
/* A trial has at most so many times the messages that were tried before it, as agents have it. */
#define GROWTH 16
#define REPORT_EVERY_NS 200000000
/* The reader of results may be on this machine: it gets time to write them before the next phase is timed. */
#define SETTLE_US 5000
/* What passes orders on to rank 0 gets time to sleep again. */
#define SETTLE_ORDER_US 500
#define MOST_BATCHES 100000
/* Recording takes at most one part in so many of the time. */
#define RECORDING_FACTOR 12

enum { DRIVER = 0, SERVER = 1, ORDER_TAG = 1, DATA_TAG = 2 };

/* One batch; no messages means that there is nothing more to come. */
struct order {
    int64_t size_bytes, messages;
    int64_t phase, recorded; /* the number of the batch and 1, where something may be recorded beside it; else 0 */
};

/* A batch of a phase that was chosen by the samples so far. */
struct wanted {
    long phase, number;
    struct order order;
};

struct timing {
    int64_t start_ns, elapsed_ns;
};

struct end {
    const struct settings *settings;
    char *buffer;
    MPI_Request *requests;
    int peer;
    int64_t began_ns, recording_ns; /* recording takes so long since then */
};

static void send(struct end *end, int count)
{
    MPI_Send(end->buffer, count, MPI_BYTE, end->peer, DATA_TAG, MPI_COMM_WORLD);
}

static void receive(struct end *end, int count)
{
    MPI_Recv(end->buffer, count, MPI_BYTE, end->peer, DATA_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start_send(struct end *end, int count, long slot)
{
    MPI_Isend(end->buffer, count, MPI_BYTE, end->peer, DATA_TAG, MPI_COMM_WORLD, &end->requests[slot]);
}

static void start_receive(struct end *end, int count, long slot)
{
    MPI_Irecv(end->buffer, count, MPI_BYTE, end->peer, DATA_TAG, MPI_COMM_WORLD, &end->requests[slot]);
}

static void pingpong(struct end *end, int drives, int count, int64_t round_trips)
{
    if (drives) {
        for (int64_t n = 0; n < round_trips; n++) {
            send(end, count);
            receive(end, count);
        }
    } else {
        for (int64_t n = 0; n < round_trips; n++) {
            receive(end, count);
            send(end, count);
        }
    }
}

/* The receive is posted before the message that it answers is sent. */
static void pingpong_nonblocking(struct end *end, int drives, int count, int64_t round_trips)
{
    MPI_Request *const in = &end->requests[0], *const out = &end->requests[1];
    if (!drives)
        start_receive(end, count, 0);
    for (int64_t n = 0; n < round_trips; n++) {
        if (drives)
            start_receive(end, count, 0);
        else
            MPI_Wait(in, MPI_STATUS_IGNORE);
        start_send(end, count, 1);
        MPI_Wait(out, MPI_STATUS_IGNORE);
        if (drives)
            MPI_Wait(in, MPI_STATUS_IGNORE);
        else if (n + 1 < round_trips)
            start_receive(end, count, 0);
    }
}

/* After each window, and at the end, one byte comes back. */
static void stream(struct end *end, int drives, int count, int64_t messages)
{
    const long window = end->settings->window;
    for (int64_t done = 0; done < messages;) {
        const long burst = messages - done < window ? (long)(messages - done) : window;
        for (long n = 0; n < burst; n++) {
            if (end->settings->nonblocking)
                drives ? start_send(end, count, n) : start_receive(end, count, n);
            else
                drives ? send(end, count) : receive(end, count);
        }
        if (end->settings->nonblocking)
            MPI_Waitall((int)burst, end->requests, MPI_STATUSES_IGNORE);
        drives ? receive(end, 1) : send(end, 1);
        done += burst;
    }
}

static void transfer(struct end *end, int drives, struct order order)
{
    const int count = (int)order.size_bytes;
    if (end->settings->streams)
        stream(end, drives, count, order.messages);
    else if (end->settings->nonblocking)
        pingpong_nonblocking(end, drives, count, order.messages);
    else
        pingpong(end, drives, count, order.messages);
}

static struct timing batch(struct end *end, struct order order)
{
    char ready;
    const int64_t announced_ns = now_ns();
    if (announced_ns - end->began_ns < RECORDING_FACTOR * end->recording_ns)
        order.recorded = 0;
    MPI_Send(&order, sizeof order, MPI_BYTE, SERVER, ORDER_TAG, MPI_COMM_WORLD);
    if (order.recorded) /* at both ends at the same time */
        begin_recording(order.phase, order.recorded - 1);
    MPI_Recv(&ready, 1, MPI_BYTE, SERVER, ORDER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int64_t start_ns = now_ns();
    transfer(end, 1, order);
    const int64_t end_ns = now_ns();
    if (order.recorded) {
        end_recording();
        end->recording_ns += now_ns() - end_ns + start_ns - announced_ns;
    }
    return (struct timing){start_ns, end_ns - start_ns};
}

static void serve(struct end *end)
{
    for (;;) {
        struct order order;
        const char ready = 1;
        MPI_Recv(&order, sizeof order, MPI_BYTE, DRIVER, ORDER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!order.messages)
            return;
        if (order.recorded)
            begin_recording(order.phase, order.recorded - 1);
        MPI_Send(&ready, 1, MPI_BYTE, DRIVER, ORDER_TAG, MPI_COMM_WORLD);
        transfer(end, 0, order);
        if (order.recorded)
            end_recording();
    }
}

/* What one message takes, by some that are not timed: where the latest size's time, grown as NetPIPE grows it, would leave
   a trial to one message, that time instead. */
static int64_t expected_ns(struct end *end, int64_t size, int64_t latest_ns, int64_t latest_size)
{
    int64_t guess_ns;
    if (latest_size) {
        const double growth = (double)size / (double)latest_size;
        guess_ns = (int64_t)((double)latest_ns * (growth > 1 ? growth : 1));
        if (2 * guess_ns > end->settings->trial_ns)
            return guess_ns;
    } else
        guess_ns = batch(end, (struct order){size, 1}).elapsed_ns;
    int64_t messages = WARM_UP_NS / (guess_ns > 0 ? guess_ns : 1);
    messages = messages < 1 ? 1 : messages > WARM_UP_MESSAGES ? WARM_UP_MESSAGES : messages;
    int64_t each_ns = batch(end, (struct order){size, messages}).elapsed_ns / messages;
    while (messages <= INT32_MAX / GROWTH && end->settings->trial_ns / (each_ns > 0 ? each_ns : 1) > messages * GROWTH) {
        messages *= GROWTH;
        each_ns = batch(end, (struct order){size, messages}).elapsed_ns / messages;
    }
    return latest_size && guess_ns < each_ns ? guess_ns : each_ns;
}

static int64_t messages_for(struct end *end, int64_t size, int64_t latest_ns, int64_t latest_size)
{
    const struct settings *settings = end->settings;
    if (settings->by_count) {
        const int64_t warm_up = settings->repeats / 10;
        batch(end, (struct order){size, warm_up > 0 ? warm_up : 1});
        return settings->repeats;
    }
    const int64_t each_ns = expected_ns(end, size, latest_ns, latest_size);
    const int64_t messages = settings->trial_ns / (each_ns > 0 ? each_ns : 1);
    const int64_t capped = messages > INT32_MAX ? INT32_MAX : messages;
    return capped > settings->at_least ? capped : settings->at_least;
}

static void print_row(const struct settings *settings, const struct wanted *one, struct timing timing)
{
    printf("row %ld %ld %lld %lld %lld %lld\n", one->phase, one->number, (long long)one->order.size_bytes,
           (long long)one->order.messages, (long long)(timing.start_ns - settings->epoch_ns),
           (long long)timing.elapsed_ns);
}

/* Runs one phase and prints its rows; returns the best time of one message. */
static int64_t phase(struct end *end, long index, int64_t size, int64_t latest_ns, int64_t latest_size)
{
    const struct settings *settings = end->settings;
    const int64_t messages = messages_for(end, size, latest_ns, latest_size);
    const int64_t began_ns = now_ns();
    int64_t best_ns = INT64_MAX;
    for (long trial = 0; trial < settings->trials; trial++) {
        const struct timing timing = batch(end, (struct order){size, messages, index, trial + 1});
        if (timing.elapsed_ns / messages < best_ns)
            best_ns = timing.elapsed_ns / messages;
        print_row(settings, &(struct wanted){index, trial, {size, messages}}, timing);
        if (!settings->by_count && settings->at_most_ns && now_ns() - began_ns >= settings->at_most_ns)
            break;
    }
    printf("over %ld\n", index);
    return best_ns;
}

/* Hands on what was printed, where the latest time was long ago; returns when that was. */
static int64_t report(int64_t latest_ns)
{
    if (now_ns() - latest_ns < REPORT_EVERY_NS)
        return latest_ns;
    fflush(stdout);
    usleep(SETTLE_US);
    return now_ns();
}

/* The next batches, to be freed, and how many; 0 when there are no more. */
static long next_order(const struct settings *settings, struct wanted **batches)
{
    long count;
    puts("awaiting");
    fflush(stdout);
    if (scanf("%ld", &count) != 1 || !count)
        return 0;
    if (count < 0 || count > MOST_BATCHES)
        fail("an order is not as it should be: its number of batches");
    *batches = allocate(sizeof **batches * (size_t)count);
    for (struct wanted *one = *batches; one < *batches + count; one++) {
        long long bytes, messages;
        if (scanf("%ld %ld %lld %lld", &one->phase, &one->number, &bytes, &messages) != 4 || bytes < 1 ||
            bytes > settings->largest_bytes || messages < 1)
            fail("an order is not as it should be: a batch that the step does not have");
        one->order = (struct order){bytes, messages, one->phase, one->number + 1};
    }
    return count;
}

static void follow(struct end *end)
{
    struct wanted *batches;
    for (long count; (count = next_order(end->settings, &batches)) > 0; free(batches)) {
        usleep(SETTLE_ORDER_US);
        int64_t reported_ns = now_ns();
        for (const struct wanted *one = batches; one < batches + count; one++) {
            const struct timing timing = batch(end, one->order);
            if (one->number >= 0)
                print_row(end->settings, one, timing);
            reported_ns = report(reported_ns);
        }
    }
}

static void drive(struct end *end)
{
    const struct settings *settings = end->settings;
    const int crossings = settings->streams ? 1 : 2;
    int64_t latest_ns = 0, latest_size = 0, reported_ns = now_ns();
    for (const char *next = strchr(settings->phases, ':') ? settings->phases : NULL; next; next = strchr(next, ',') ? strchr(next, ',') + 1 : NULL) {
        char *colon;
        const long index = strtol(next, &colon, 10);
        const int64_t size = strtoll(colon + 1, NULL, 10);
        latest_ns = phase(end, index, size, latest_ns, latest_size);
        latest_size = size;
        reported_ns = report(reported_ns);
        if (settings->until_ns && latest_ns / crossings >= settings->until_ns)
            break;
    }
    if (settings->takes_orders)
        follow(end);
    const struct order over = {0};
    MPI_Send(&over, sizeof over, MPI_BYTE, SERVER, ORDER_TAG, MPI_COMM_WORLD);
}

static int64_t largest_bytes(const struct settings *settings)
{
    int64_t largest = settings->largest_bytes > 0 ? settings->largest_bytes : 1;
    for (const char *colon = strchr(settings->phases, ':'); colon; colon = strchr(colon + 1, ':'))
        if (strtoll(colon + 1, NULL, 10) > largest)
            largest = strtoll(colon + 1, NULL, 10);
    return largest;
}

void run_pair(const struct settings *settings, int rank)
{
    if (!settings->phases)
        fail("needs phases; it is started by weft");
    struct end end = {settings, buffer_of(largest_bytes(settings)), NULL, 1 - rank, now_ns(), 0};
    end.requests = allocate(sizeof *end.requests * (size_t)(settings->window + 2));
    if (rank == DRIVER)
        drive(&end);
    else
        serve(&end);
    free(end.requests);
    free(end.buffer);
}
