/* The method of OSU's osu_latency and osu_bw (OMB 7, https://mvapich.cse.ohio-state.edu/benchmarks/) with its published
 * parameters, written anew: a mean over many messages after some that are not timed, fewer of them above 8 KiB.
 *
 *   latency: 10,000 round trips after 100, above 8 KiB 1,000 after 10; blocking calls; half of the mean.
 *   bw: a window of 64 messages that do not block, then 4 bytes back; 100 windows after 10, above 8 KiB 20 after 2.
 *
 * usage: osu_method latency|bw BYTES ...
 * Prints a line "BYTES MICROSECONDS" for each size: of one message, one way. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES 8192
#define WINDOW 64
#define ACK_BYTES 4

enum { DATA_TAG = 1, ACK_TAG = 101 };

struct end {
    int rank, bytes;
    char *outgoing, *incoming;
    MPI_Request requests[WINDOW];
};

static void send(struct end *end, int bytes, int tag)
{
    MPI_Send(end->outgoing, bytes, MPI_BYTE, 1 - end->rank, tag, MPI_COMM_WORLD);
}

static void receive(struct end *end, int bytes, int tag)
{
    MPI_Recv(end->incoming, bytes, MPI_BYTE, 1 - end->rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void round_trip(struct end *end)
{
    if (end->rank == 0) {
        send(end, end->bytes, DATA_TAG);
        receive(end, end->bytes, DATA_TAG);
    } else {
        receive(end, end->bytes, DATA_TAG);
        send(end, end->bytes, DATA_TAG);
    }
}

static void window(struct end *end)
{
    for (int i = 0; i < WINDOW; i++)
        if (end->rank == 0)
            MPI_Isend(end->outgoing, end->bytes, MPI_BYTE, 1, DATA_TAG, MPI_COMM_WORLD, &end->requests[i]);
        else
            MPI_Irecv(end->incoming, end->bytes, MPI_BYTE, 0, DATA_TAG, MPI_COMM_WORLD, &end->requests[i]);
    MPI_Waitall(WINDOW, end->requests, MPI_STATUSES_IGNORE);
    if (end->rank == 0)
        receive(end, ACK_BYTES, ACK_TAG);
    else
        send(end, ACK_BYTES, ACK_TAG);
}

static double mean_seconds(struct end *end, void (*once)(struct end *), int times, int skip)
{
    double start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < times + skip; i++) {
        if (i == skip)
            start = MPI_Wtime();
        once(end);
    }
    return (MPI_Wtime() - start) / times;
}

static char *page_aligned(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes)) {
        fprintf(stderr, "osu_method: no %zu bytes of memory\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memset(memory, 'a', bytes);
}

static double message_us(struct end *end, int is_latency)
{
    const int is_large = end->bytes > LARGE_BYTES;
    if (is_latency)
        return mean_seconds(end, round_trip, is_large ? 1000 : 10000, is_large ? 10 : 100) / 2 * 1e6;
    return mean_seconds(end, window, is_large ? 20 : 100, is_large ? 2 : 10) / WINDOW * 1e6;
}

int main(int count, char **arguments)
{
    struct end end = {0};
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &end.rank);
    for (int i = 2; i < count; i++) {
        end.bytes = atoi(arguments[i]);
        end.outgoing = page_aligned((size_t)end.bytes + ACK_BYTES);
        end.incoming = page_aligned((size_t)end.bytes + ACK_BYTES);
        const double us = message_us(&end, !strcmp(arguments[1], "latency"));
        if (end.rank == 0)
            printf("%d %.6f\n", end.bytes, us);
        free(end.outgoing);
        free(end.incoming);
    }
    MPI_Finalize();
    return 0;
}
