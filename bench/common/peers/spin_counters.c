/* Two processes that spin on two counters in shared memory: what a round trip between two processors cannot beat.
 *
 * usage: spin_counters CPU CPU ROUND_TRIPS BATCHES plain|pause
 *
 * Prints half a round trip in nanoseconds: the median of so many batches. With `pause` a process tells the processor
 * that it waits, which leaves the other's writes more of the memory bus. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static inline void wait_for(atomic_ulong *count, unsigned long value, int pauses)
{
    while (atomic_load_explicit(count, memory_order_acquire) != value)
        if (pauses) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            __asm__ volatile("isb");
#endif
        }
}

static void echo(struct line *lines, unsigned long round_trips, int pauses)
{
    for (unsigned long n = 1; n <= round_trips; n++) {
        wait_for(&lines[0].count, n, pauses);
        atomic_store_explicit(&lines[1].count, n, memory_order_release);
    }
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

/* Goes on counting from `from`; gives half of a round trip. */
static double batch_ns(struct line *lines, unsigned long from, unsigned long round_trips, int pauses)
{
    const double start_ns = now_ns();
    for (unsigned long n = from + 1; n <= from + round_trips; n++) {
        atomic_store_explicit(&lines[0].count, n, memory_order_release);
        wait_for(&lines[1].count, n, pauses);
    }
    return (now_ns() - start_ns) / round_trips / 2;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: spin_counters CPU CPU ROUND_TRIPS BATCHES plain|pause\n");
        return 2;
    }
    const unsigned long round_trips = strtoul(argv[3], NULL, 10), batches = strtoul(argv[4], NULL, 10);
    const int pauses = !strcmp(argv[5], "pause");
    double *times_ns = calloc(batches + 1, sizeof *times_ns);
    struct line *lines =
        mmap(NULL, 2 * sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lines == MAP_FAILED || !times_ns || !round_trips || !batches)
        return 1;
    const pid_t child = fork();
    if (child < 0)
        return 1;
    pin(atoi(argv[child ? 1 : 2]));
    if (!child) {
        echo(lines, round_trips * (batches + 1), pauses);
        return 0;
    }
    /* The first batch warms up. */
    for (unsigned long n = 0; n <= batches; n++)
        times_ns[n] = batch_ns(lines, n * round_trips, round_trips, pauses);
    qsort(times_ns + 1, batches, sizeof *times_ns, ascending);
    printf("%.2f\n", times_ns[1 + (batches - 1) / 2]);
    wait(NULL);
    free(times_ns);
    return 0;
}
