/* Two processes that spin on two counters in shared memory: what a round trip between two processors cannot beat.
 *
 * usage: spin_counters CPU CPU ROUND_TRIPS      prints half a round trip in nanoseconds */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct line {
    _Alignas(128) atomic_ulong count;
};

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set)) {
        perror("sched_setaffinity");
        exit(1);
    }
}

static void wait_for(atomic_ulong *count, unsigned long value)
{
    while (atomic_load_explicit(count, memory_order_acquire) != value)
        ;
}

static void echo(struct line *lines, unsigned long round_trips)
{
    for (unsigned long n = 1; n <= round_trips; n++) {
        wait_for(&lines[0].count, n);
        atomic_store_explicit(&lines[1].count, n, memory_order_release);
    }
}

static double drive_ns(struct line *lines, unsigned long round_trips)
{
    const unsigned long warm_up = round_trips / 10;
    struct timespec start, end;
    for (unsigned long n = 1; n <= round_trips; n++) {
        if (n == warm_up + 1)
            clock_gettime(CLOCK_MONOTONIC, &start);
        atomic_store_explicit(&lines[0].count, n, memory_order_release);
        wait_for(&lines[1].count, n);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / (round_trips - warm_up);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: spin_counters CPU CPU ROUND_TRIPS\n");
        return 2;
    }
    const unsigned long round_trips = strtoul(argv[3], NULL, 10);
    struct line *lines =
        mmap(NULL, 2 * sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lines == MAP_FAILED || round_trips < 10)
        return 1;
    const pid_t child = fork();
    if (child < 0)
        return 1;
    pin(atoi(argv[child ? 1 : 2]));
    if (!child) {
        echo(lines, round_trips);
        return 0;
    }
    printf("%.2f\n", drive_ns(lines, round_trips) / 2);
    wait(NULL);
    return 0;
}
