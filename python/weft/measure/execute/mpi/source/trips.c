/* Round trips between many pairs at a time. A message without bytes says that there are no more. */
#include "many.h"

#include <stdlib.h>

#define RESERVED_TRIPS 65536

enum { TRIP_TAG = 3 };

/* One end of the round trips of a pair. */
struct end {
    struct world *world;
    char *buffer;
    int64_t size_bytes;
    int peer, is_blocking;
    MPI_Request incoming; /* not of blocking calls */
};

static void send(struct end *end, int64_t bytes)
{
    MPI_Request request;
    if (end->is_blocking) {
        MPI_Send(end->buffer, (int)bytes, MPI_BYTE, end->peer, TRIP_TAG, MPI_COMM_WORLD);
        return;
    }
    MPI_Isend(end->buffer, (int)bytes, MPI_BYTE, end->peer, TRIP_TAG, MPI_COMM_WORLD, &request);
    wait_for(end->world, &request, MPI_STATUS_IGNORE);
}

/* A receive is posted before the message that it answers is sent. */
static void expect(struct end *end)
{
    if (!end->is_blocking)
        MPI_Irecv(end->buffer, (int)end->size_bytes, MPI_BYTE, end->peer, TRIP_TAG, MPI_COMM_WORLD, &end->incoming);
}

/* The bytes that came. */
static int receive(struct end *end)
{
    int count;
    MPI_Status status;
    if (end->is_blocking)
        MPI_Recv(end->buffer, (int)end->size_bytes, MPI_BYTE, end->peer, TRIP_TAG, MPI_COMM_WORLD, &status);
    else
        wait_for(end->world, &end->incoming, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    return count;
}

/* The first round trip is thrown away. */
static void ping(struct end *end, const struct phase *phase, struct table *rows)
{
    const int64_t wanted = phase->by_count ? (int64_t)phase->repeats * phase->trials : INT64_MAX;
    const int64_t most_ns = phase->at_most_ns ? phase->at_most_ns : INT64_MAX;
    const int64_t within_ns = phase->by_count ? most_ns : phase->trial_ns * phase->trials;
    int64_t warm_ns = 0;
    for (int64_t trip = -1; trip < wanted && (trip < 1 || now_ns() - warm_ns < within_ns); trip++) {
        const int64_t start_ns = now_ns();
        expect(end);
        send(end, phase->size_bytes);
        receive(end);
        const int64_t end_ns = now_ns();
        if (trip < 0)
            warm_ns = end_ns;
        else
            add(rows, &(struct row){trip, end->world->rank, end->peer, end->size_bytes, 1, start_ns, end_ns - start_ns});
        tell_alive(end->world, end_ns);
    }
    send(end, 0);
}

static void pong(struct end *end)
{
    for (expect(end); receive(end); expect(end))
        send(end, end->size_bytes);
}

/* The transfer that this rank is in, or NULL. */
static const struct transfer *own_transfer(const struct phase *phase, int rank)
{
    const struct transfer *own = NULL;
    for (const struct transfer *one = phase->transfers; one < phase->transfers + phase->count; one++) {
        if (one->src != rank && one->dst != rank)
            continue;
        if (own)
            fail("a rank is in two round trips at a time");
        own = one;
    }
    return own;
}

int64_t run_trips(struct world *world, const struct phase *phase, struct table *rows)
{
    const struct transfer *const own = own_transfer(phase, world->rank);
    if (!own) {
        const int64_t barrier_ns = meet(world);
        rest(world);
        return barrier_ns;
    }
    const int begins = own->src == world->rank;
    struct end end = {
        .world = world,
        .buffer = buffer_of(phase->size_bytes),
        .size_bytes = phase->size_bytes,
        .peer = begins ? own->dst : own->src,
        .is_blocking = !world->settings->nonblocking && !world->settings->shares_cpu,
    };
    reserve(rows, phase->by_count ? (size_t)(phase->repeats * phase->trials) : RESERVED_TRIPS);
    const int64_t barrier_ns = meet(world);
    if (begins)
        ping(&end, phase, rows);
    else
        pong(&end);
    rest(world);
    free(end.buffer);
    return barrier_ns;
}
