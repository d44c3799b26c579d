/* The agent of this node records what the node does beside batches, see crates/probe/src/agent/beside.rs. This process says
 * when one begins and ends and what it has used so far, and goes on when the agent has read its counters. */
#define _GNU_SOURCE
#include "weft_mpi.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ENDS = 0, BEGINS = 1 };

static int agent = -1;

static void leave(void)
{
    close(agent);
    agent = -1;
}

static int is_of_this_user(void)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    return !getsockopt(agent, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == geteuid();
}

void find_agent(const char *name, int rank)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!name || (agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
        return;
    /* Behind a zero the name is one of the network namespace, not of a file. */
    const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s-%d", name, rank);
    const socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (connect(agent, (struct sockaddr *)&address, bytes) || !is_of_this_user())
        leave();
}

static int64_t ns_of(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

static void say(int64_t what, int64_t phase, int64_t batch)
{
    char answer;
    struct rusage used;
    if (agent < 0)
        return;
    getrusage(RUSAGE_SELF, &used);
    const int64_t words[] = {what, phase, batch, ns_of(used.ru_utime), ns_of(used.ru_stime), used.ru_nvcsw,
                             used.ru_nivcsw, used.ru_minflt + used.ru_majflt};
    if (send(agent, words, sizeof words, MSG_NOSIGNAL) != sizeof words || recv(agent, &answer, 1, 0) != 1)
        leave();
}

void begin_recording(int64_t phase, int64_t batch)
{
    say(BEGINS, phase, batch);
}

void end_recording(void)
{
    say(ENDS, 0, 0);
}
