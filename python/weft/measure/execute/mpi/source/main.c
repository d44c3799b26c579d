/* weft's timed loops over MPI.
 *
 * usage: weft_mpi KEY=VALUE ...     (weft starts it under mpirun; see pair_step.py and many_step.py for what it says)
 *
 *   calls=blocking|nonblocking  epoch_ns=N  cpus=A,B,... (one for each rank, optional)
 *
 *   agent=NAME  records beside batches at each node, see beside.c (optional)
 *
 *   pattern=pingpong|stream  between two ranks
 *     window=N  phases=INDEX:BYTES,INDEX:BYTES,...  until_ns=N (0: none)
 *     rule=time  trial_ns=N at_least=N at_most_ns=N (0: none)   or   rule=count  repeats=N;   trials=N
 *     orders=1 largest_bytes=N: further batches come on standard input, see pair.c
 *
 *   pattern=many  between all ranks; the phases come in on rank 0's standard input, see phase.c
 *     verify=1: results of collectives are checked */
#define _GNU_SOURCE
#include "weft_mpi.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE_BYTES 4096

int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void fail(const char *what)
{
    fprintf(stderr, "weft_mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

void *allocate(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        fail("there is no memory");
    return memory;
}

char *buffer_of(int64_t bytes)
{
    void *buffer;
    if (bytes > INT32_MAX || posix_memalign(&buffer, PAGE_BYTES, (size_t)bytes))
        fail("no memory for the largest message, or it has more bytes than MPI counts (2^31 - 1)");
    return memset(buffer, 0x5a, (size_t)bytes);
}

static const char *value_of(int argc, char **argv, const char *key)
{
    const size_t length = strlen(key);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], key, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    return NULL;
}

static int64_t number_of(int argc, char **argv, const char *key)
{
    const char *text = value_of(argc, argv, key);
    return text ? strtoll(text, NULL, 10) : 0;
}

static int is(const char *text, const char *expected)
{
    return text && !strcmp(text, expected);
}

static struct settings read_settings(int argc, char **argv)
{
    const int64_t window = number_of(argc, argv, "window");
    return (struct settings){
        .streams = is(value_of(argc, argv, "pattern"), "stream"),
        .nonblocking = is(value_of(argc, argv, "calls"), "nonblocking"),
        .by_count = is(value_of(argc, argv, "rule"), "count"),
        .verify = number_of(argc, argv, "verify") != 0,
        .takes_orders = number_of(argc, argv, "orders") != 0,
        .window = window > 0 ? window : 1,
        .trials = number_of(argc, argv, "trials"),
        .repeats = number_of(argc, argv, "repeats"),
        .at_least = number_of(argc, argv, "at_least"),
        .largest_bytes = number_of(argc, argv, "largest_bytes"),
        .trial_ns = number_of(argc, argv, "trial_ns"),
        .at_most_ns = number_of(argc, argv, "at_most_ns"),
        .until_ns = number_of(argc, argv, "until_ns"),
        .epoch_ns = number_of(argc, argv, "epoch_ns"),
        .phases = value_of(argc, argv, "phases"),
        .cpus = value_of(argc, argv, "cpus"),
    };
}

/* This process's rank as its launcher says it; -1 where it says none. */
static int rank_by_environment(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (getenv(names[n]))
            return atoi(getenv(names[n]));
    return -1;
}

/* To the processor of the list at the rank's position; whether that was possible. */
static int pin(const char *cpus, int rank)
{
    cpu_set_t set;
    for (; rank > 0 && cpus; rank--)
        cpus = strchr(cpus, ',') ? strchr(cpus, ',') + 1 : NULL;
    if (!cpus)
        return 0;
    CPU_ZERO(&set);
    CPU_SET(atoi(cpus), &set);
    return !sched_setaffinity(0, sizeof set, &set);
}

/* Whether ranks anywhere share a processor: those that are pinned on the same one, or more ranks of a machine than it
 * has processors for them. Ranks with the same boot of a kernel are on one machine, in whatever namespaces. */
static int shares_cpu(int rank, int ranks, int is_pinned)
{
    struct {
        char boot[64];
        int cpu;
    } own = {"", -1}, *all = allocate(sizeof own * (size_t)ranks);
    cpu_set_t set;
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(own.boot, sizeof own.boot, file))
        snprintf(own.boot, sizeof own.boot, "rank %d", rank);
    if (file)
        fclose(file);
    if (is_pinned)
        own.cpu = sched_getcpu();
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    int rivals = 0;
    for (int other = 0; other < ranks; other++)
        rivals += !strcmp(all[other].boot, own.boot) && all[other].cpu == own.cpu;
    free(all);
    const int room = is_pinned || sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    int shares = rivals > room;
    MPI_Allreduce(MPI_IN_PLACE, &shares, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return shares;
}

static void introduce(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    printf("library %s\n", version);
    say_limits();
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    /* Nothing is handed on while a batch is timed, also where an MPI makes standard output a terminal. */
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    struct settings settings = read_settings(argc, argv);
    const int early_rank = rank_by_environment();
    /* Before MPI gets its memory, which should be near; again where the rank was not known yet. */
    const int is_pinned = early_rank >= 0 && pin(settings.cpus, early_rank);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int is_many = is(value_of(argc, argv, "pattern"), "many");
    if (ranks < 2 || (ranks > 2 && !is_many))
        fail("the job has another number of ranks than was asked for: mpirun is not that of this program's MPI");
    if (!(is_pinned && early_rank == rank) && settings.cpus && !pin(settings.cpus, rank))
        fail("cannot pin to the processor that was asked for");
    settings.shares_cpu = shares_cpu(rank, ranks, settings.cpus != NULL);
    find_agent(value_of(argc, argv, "agent"), rank);
    if (rank == 0)
        introduce();
    if (is_many)
        run_many(&settings, rank, ranks);
    else
        run_pair(&settings, rank);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
