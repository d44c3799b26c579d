/* The method of LLNL's mpiGraph (https://github.com/LLNL/mpiGraph), written anew: the rates of all ordered pairs of
 * ranks. The ranks stand in a ring; for each distance d from 1 to n-1 each rank sends to the rank d to its right and
 * receives from the rank d to its left at once, `window` messages that do not block, after two barriers, `times`
 * times. Sending and receiving end, and are timed, apart from each other; a pair's rate is from its mean time.
 *
 * usage: mpigraph_method MESSAGE_BYTES TIMES WINDOW
 * Prints the seconds of all distances, then a line "send SRC DST RATE" and "receive SRC DST RATE" for each ordered
 * pair, in 10^6 byte/s (mpiGraph prints the same as two matrices in 2^20 byte/s).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exchange {
    int message_bytes, times, window;
    char *outgoing, *incoming;
    MPI_Request *sends, *receives;
};

struct seconds {
    double send, receive;
};

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "mpigraph_method: no %zu bytes of memory\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memset(memory, 0, bytes);
}

static struct exchange new_exchange(char **arguments)
{
    struct exchange it = {atoi(arguments[1]), atoi(arguments[2]), atoi(arguments[3]), 0, 0, 0, 0};
    if (it.message_bytes < 1 || it.times < 1 || it.window < 1) {
        fprintf(stderr, "mpigraph_method: MESSAGE_BYTES, TIMES and WINDOW are at least 1\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    it.outgoing = allocate((size_t)it.window * it.message_bytes);
    it.incoming = allocate((size_t)it.window * it.message_bytes);
    it.sends = allocate(it.window * sizeof *it.sends);
    it.receives = allocate(it.window * sizeof *it.receives);
    return it;
}

static void post(struct exchange *it, int left, int right)
{
    for (int i = 0; i < it->window; i++)
        MPI_Irecv(it->incoming + (size_t)i * it->message_bytes, it->message_bytes, MPI_BYTE, left, MPI_ANY_TAG,
                  MPI_COMM_WORLD, &it->receives[i]);
    for (int i = 0; i < it->window; i++)
        MPI_Isend(it->outgoing + (size_t)i * it->message_bytes, it->message_bytes, MPI_BYTE, right, i, MPI_COMM_WORLD,
                  &it->sends[i]);
}

/* The time of one message of a window, each way. */
static struct seconds time_window(struct exchange *it, int left, int right)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* the first may let some go before the others */
    struct seconds took = {0, 0};
    double start = MPI_Wtime();
    post(it, left, right);
    for (int all_sent = 0, all_received = 0; !all_sent || !all_received;) {
        if (!all_sent) {
            MPI_Testall(it->window, it->sends, &all_sent, MPI_STATUSES_IGNORE);
            if (all_sent)
                took.send = (MPI_Wtime() - start) / it->window;
        }
        if (!all_received) {
            MPI_Testall(it->window, it->receives, &all_received, MPI_STATUSES_IGNORE);
            if (all_received)
                took.receive = (MPI_Wtime() - start) / it->window;
        }
    }
    return took;
}

/* Fill in this rank's mean time of a message to and from each other rank. */
static void measure(struct exchange *it, int rank, int ranks, double *sending, double *receiving)
{
    for (int distance = 1; distance < ranks; distance++) {
        int right = (rank + distance) % ranks, left = (rank - distance + ranks) % ranks;
        for (int i = 0; i < it->times; i++) {
            struct seconds took = time_window(it, left, right);
            sending[right] += took.send / it->times;
            receiving[left] += took.receive / it->times;
        }
    }
}

static double rate(const struct exchange *it, double seconds)
{
    return it->message_bytes / seconds / 1e6;
}

/* Gather all times at rank 0, which prints them as rates. */
static void print_rates(const struct exchange *it, int rank, int ranks, double *mine, int is_send)
{
    double *all = rank == 0 ? allocate((size_t)ranks * ranks * sizeof *all) : NULL;
    MPI_Gather(mine, ranks, MPI_DOUBLE, all, ranks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks * ranks; i++) {
        int owner = i / ranks, partner = i % ranks;
        if (owner == partner)
            continue;
        printf("%s %d %d %.6f\n", is_send ? "send" : "receive", is_send ? owner : partner,
               is_send ? partner : owner, rate(it, all[i]));
    }
    free(all);
}

int main(int count, char **arguments)
{
    int rank, ranks;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count != 4) {
        fprintf(stderr, "usage: mpigraph_method MESSAGE_BYTES TIMES WINDOW\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    struct exchange it = new_exchange(arguments);
    double *sending = allocate(ranks * sizeof *sending), *receiving = allocate(ranks * sizeof *receiving);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    measure(&it, rank, ranks, sending, receiving);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.3f\n", MPI_Wtime() - start);
    print_rates(&it, rank, ranks, sending, 1);
    print_rates(&it, rank, ranks, receiving, 0);
    MPI_Finalize();
    return 0;
}
