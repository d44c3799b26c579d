/* Streams between many ranks, both ways and to several at a time: one loop serves all of a rank's.
 *
 * A receiver has said that there is room for so many messages when the stream begins (`window`), and says so again after
 * each half of them, so that buffers are bounded. Blocking calls are a stream that has one message under way at a time;
 * non-blocking ones have a window of them. Who is timed ends with messages without bytes, one for each receive that
 * is still posted. The receiver takes the times, as weft's agents do over TCP:
 * by count, a trial is over when its last message is there;
 * by time, messages are counted from edge to edge of windows of time, after a quarter of one to warm up. */
#include "many.h"

#include <stdlib.h>

#define WINDOW_MESSAGES 64
#define WINDOW_BYTES (1 << 20)
#define WARM_UP_DIVISOR 4
/* Messages of one stream that are taken before the others have their turn. */
#define TURN 16

enum { FIRST_TAG = 16 };

/* What has come of one transfer, over all its streams. */
struct tally {
    int src, streams;
    int64_t messages;
    int64_t *edge_ns, *edge_messages; /* by time: when each edge was passed, and the messages until then */
    int64_t *trial_ns;                /* by count: when the latest stream ended each trial */
    int *trial_streams;               /* and how many have */
};

struct stream {
    int peer, tag, sends, is_over;
    int at_once;         /* messages that may be under way */
    int64_t share;       /* messages of a trial */
    int64_t wanted;      /* messages in all; -1 where time ends it */
    int64_t begun, done; /* requests */
    int64_t granted;     /* sender: halves of the window that the receiver has taken; receiver: that it has told */
    int is_asking;       /* sender: a receive for the next grant is posted */
    int ends;            /* receiver: messages without bytes that have come */
    MPI_Request *ring;   /* the requests behind the oldest, which is in the loop's list */
    struct tally *tally;
};

struct loop {
    struct world *world;
    const struct phase *phase;
    int window, half;
    char *outgoing, *incoming;
    int count, active;
    struct stream *streams;
    MPI_Request *heads; /* for each stream its oldest request, and behind these a receive for its next grant */
    int *indices;
    MPI_Status *statuses;
    int tallies;
    struct tally *tally;
    long edges_left, edges;
    int64_t start_ns, next_edge_ns;
};

/* When a rank began to send, at the latest, on rank 0's clock. */
static int64_t latest_start_ns(const struct loop *loop)
{
    return loop->start_ns + loop->world->offset_ns + loop->world->error_ns;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One of `count` shares of `total` that differ by one at most. */
static int64_t share(int64_t total, int count, int index)
{
    return total / count + (index < total % count);
}

static void post(struct loop *loop, struct stream *stream, int index)
{
    const int64_t slot = stream->begun % stream->at_once;
    MPI_Request *const place = stream->begun == stream->done ? &loop->heads[index] : &stream->ring[slot];
    const int count = (int)loop->phase->size_bytes;
    if (stream->sends)
        MPI_Isend(loop->outgoing, count, MPI_BYTE, stream->peer, stream->tag, MPI_COMM_WORLD, place);
    else
        MPI_Irecv(loop->incoming, count, MPI_BYTE, stream->peer, stream->tag, MPI_COMM_WORLD, place);
    stream->begun++;
}

/* The oldest request is complete; the next one takes its place. */
static void pop(struct loop *loop, struct stream *stream, int index)
{
    stream->done++;
    loop->heads[index] = MPI_REQUEST_NULL;
    if (stream->begun > stream->done)
        loop->heads[index] = stream->ring[stream->done % stream->at_once];
}

static void finish(struct loop *loop, struct stream *stream)
{
    stream->is_over = 1;
    loop->active--;
}

static int is_timed_out(const struct loop *loop)
{
    return !loop->phase->by_count && !loop->edges_left;
}

/* Begin what may begin; end a stream that is through. Grants that were told are all taken in before. */
static void serve_sender(struct loop *loop, struct stream *stream, int index)
{
    const int is_ending = stream->wanted < 0 ? is_timed_out(loop) : stream->begun == stream->wanted;
    while (!is_ending && stream->begun - stream->done < stream->at_once &&
           stream->begun - stream->granted * loop->half < loop->window && stream->begun != stream->wanted)
        post(loop, stream, index);
    if (!stream->is_asking && stream->begun >= (stream->granted + 1) * loop->half) {
        stream->is_asking = 1;
        MPI_Irecv(NULL, 0, MPI_BYTE, stream->peer, stream->tag + 1, MPI_COMM_WORLD, &loop->heads[loop->count + index]);
    }
    if (!is_ending || stream->begun > stream->done || stream->is_asking)
        return;
    for (int n = 0; stream->wanted < 0 && n < stream->at_once; n++)
        MPI_Send(NULL, 0, MPI_BYTE, stream->peer, stream->tag, MPI_COMM_WORLD);
    finish(loop, stream);
}

static void serve_receiver(struct loop *loop, struct stream *stream, int index)
{
    while (!stream->ends && stream->begun - stream->done < stream->at_once && stream->begun != stream->wanted)
        post(loop, stream, index);
    if (stream->begun == stream->done)
        finish(loop, stream);
}

static void end_trial(struct stream *stream, int64_t received)
{
    const int64_t trial = received / stream->share - 1;
    struct tally *const tally = stream->tally;
    tally->trial_ns[trial] = now_ns();
    tally->trial_streams[trial]++;
}

static void take(struct loop *loop, struct stream *stream, MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    if (!bytes) {
        stream->ends++;
        return;
    }
    stream->tally->messages++;
    const int64_t received = stream->done + 1;
    if (loop->phase->by_count && received % stream->share == 0)
        end_trial(stream, received);
    if (received % loop->half == 0)
        MPI_Send(NULL, 0, MPI_BYTE, stream->peer, stream->tag + 1, MPI_COMM_WORLD);
}

/* A request of the list is complete, and perhaps those behind it. */
static void complete(struct loop *loop, int place, MPI_Status *status)
{
    const int index = place % loop->count;
    struct stream *const stream = &loop->streams[index];
    if (place >= loop->count) {
        stream->is_asking = 0;
        stream->granted++;
    } else {
        int is_done = 1;
        for (int turn = 0; is_done; turn++) {
            if (!stream->sends)
                take(loop, stream, status);
            pop(loop, stream, index);
            is_done = 0;
            if (turn < TURN && stream->begun > stream->done)
                MPI_Test(&loop->heads[index], &is_done, status);
        }
    }
    if (stream->sends)
        serve_sender(loop, stream, index);
    else
        serve_receiver(loop, stream, index);
}

/* Note what has come by the edges that have been passed. Where a busy machine kept us from looking for half a window or
 * more, the next one is as long as it should be, from now. At the last, senders end. */
static void pass_edges(struct loop *loop, int64_t now)
{
    while (loop->edges_left && loop->next_edge_ns <= now) {
        const long edge = loop->edges - loop->edges_left--;
        for (struct tally *one = loop->tally; one < loop->tally + loop->tallies; one++) {
            one->edge_ns[edge] = now;
            one->edge_messages[edge] = one->messages;
        }
        const int is_far_past = now - loop->next_edge_ns >= loop->phase->trial_ns / 2;
        loop->next_edge_ns = loop->phase->trial_ns + (is_far_past ? now : loop->next_edge_ns);
    }
    for (int index = 0; is_timed_out(loop) && index < loop->count; index++)
        if (loop->streams[index].sends && !loop->streams[index].is_over)
            serve_sender(loop, &loop->streams[index], index);
}

static void go_on(struct loop *loop)
{
    while (loop->active || (loop->edges_left && loop->tallies)) {
        int done = 0;
        MPI_Testsome(2 * loop->count, loop->heads, &done, loop->indices, loop->statuses);
        for (int n = 0; done != MPI_UNDEFINED && n < done; n++)
            complete(loop, loop->indices[n], &loop->statuses[n]);
        const int64_t now = now_ns();
        if (!loop->phase->by_count && loop->next_edge_ns <= now)
            pass_edges(loop, now);
        if (done > 0)
            tell_alive(loop->world, now);
        else
            let_others_run(loop->world);
    }
}

static void add_stream(struct loop *loop, const struct transfer *transfer, int number, struct tally *tally)
{
    const struct phase *const phase = loop->phase;
    const int at_once = loop->world->settings->nonblocking ? loop->window : 1;
    struct stream *const stream = &loop->streams[loop->count++];
    *stream = (struct stream){
        .peer = tally ? transfer->src : transfer->dst,
        .tag = FIRST_TAG + 2 * number,
        .sends = !tally,
        .at_once = at_once,
        .share = phase->by_count ? share(phase->repeats, transfer->streams, number) : 0,
        .ring = allocate(sizeof *stream->ring * (size_t)at_once),
        .tally = tally,
    };
    stream->wanted = phase->by_count ? stream->share * phase->trials : -1;
    if (tally && (stream->share || !phase->by_count))
        tally->streams++;
}

static struct tally new_tally(const struct loop *loop, int src)
{
    const size_t trials = (size_t)loop->phase->trials;
    return (struct tally){
        .src = src,
        .edge_ns = allocate(sizeof(int64_t) * (trials + 1)),
        .edge_messages = allocate(sizeof(int64_t) * (trials + 1)),
        .trial_ns = allocate(sizeof(int64_t) * trials),
        .trial_streams = allocate(sizeof(int) * trials),
    };
}

/* Fewer messages of larger sizes: what is under way when time is up must be waited for. */
static int window_of(const struct phase *phase)
{
    const int64_t fitting = least(WINDOW_MESSAGES, WINDOW_BYTES / phase->size_bytes);
    return fitting < 2 ? 2 : (int)fitting;
}

/* All memory, and all streams that begin or end here. */
static void prepare(struct loop *loop)
{
    const struct phase *const phase = loop->phase;
    const int rank = loop->world->rank;
    int streams = 0, tallies = 0;
    for (const struct transfer *one = phase->transfers; one < phase->transfers + phase->count; one++) {
        streams += one->src == rank || one->dst == rank ? one->streams : 0;
        tallies += one->dst == rank;
    }
    loop->streams = allocate(sizeof *loop->streams * (size_t)streams);
    loop->heads = allocate(sizeof *loop->heads * 2 * (size_t)streams);
    loop->indices = allocate(sizeof *loop->indices * 2 * (size_t)streams);
    loop->statuses = allocate(sizeof *loop->statuses * 2 * (size_t)streams);
    loop->tally = allocate(sizeof *loop->tally * (size_t)tallies);
    for (const struct transfer *one = phase->transfers; one < phase->transfers + phase->count; one++) {
        struct tally *tally = NULL;
        if (one->src != rank && one->dst != rank)
            continue;
        if (one->dst == rank) {
            tally = &loop->tally[loop->tallies++];
            *tally = new_tally(loop, one->src);
        }
        for (int number = 0; number < one->streams; number++)
            add_stream(loop, one, number, tally);
    }
    for (int place = 0; place < 2 * loop->count; place++)
        loop->heads[place] = MPI_REQUEST_NULL;
    loop->outgoing = buffer_of(phase->size_bytes);
    loop->incoming = buffer_of(phase->size_bytes);
}

/* Receives are posted before the barrier, so that no message comes unexpected. */
static void post_receives(struct loop *loop)
{
    loop->active = loop->count;
    for (int index = 0; index < loop->count; index++)
        if (!loop->streams[index].sends)
            serve_receiver(loop, &loop->streams[index], index);
}

static void start_sends(struct loop *loop)
{
    loop->start_ns = now_ns();
    loop->next_edge_ns = loop->start_ns + loop->phase->trial_ns / WARM_UP_DIVISOR;
    for (int index = 0; index < loop->count; index++)
        if (loop->streams[index].sends)
            serve_sender(loop, &loop->streams[index], index);
}

static void window_rows(const struct loop *loop, const struct tally *tally, struct table *rows)
{
    for (long edge = 1; edge < loop->edges; edge++)
        add(rows, &(struct row){edge - 1, tally->src, loop->world->rank, loop->phase->size_bytes,
                                tally->edge_messages[edge] - tally->edge_messages[edge - 1], tally->edge_ns[edge - 1],
                                tally->edge_ns[edge] - tally->edge_ns[edge - 1]});
}

/* A rank that a busy machine let out of the barrier late may find that all has come already: then the transfer began
 * when the sender did, by as much as the clocks are known. */
static void trial_rows(const struct loop *loop, const struct tally *tally, const int64_t *starts_ns, struct table *rows)
{
    const struct world *const world = loop->world;
    int64_t start_ns = least(loop->start_ns, starts_ns[tally->src] - world->offset_ns + world->error_ns);
    for (long trial = 0; trial < loop->phase->trials && tally->trial_streams[trial] == tally->streams; trial++) {
        const int64_t elapsed_ns = tally->trial_ns[trial] - start_ns;
        add(rows, &(struct row){trial, tally->src, world->rank, loop->phase->size_bytes, loop->phase->repeats, start_ns,
                                elapsed_ns > 0 ? elapsed_ns : 1});
        start_ns = tally->trial_ns[trial];
    }
}

static void release(struct loop *loop)
{
    for (int index = 0; index < loop->count; index++)
        free(loop->streams[index].ring);
    for (int n = 0; n < loop->tallies; n++) {
        free(loop->tally[n].edge_ns);
        free(loop->tally[n].edge_messages);
        free(loop->tally[n].trial_ns);
        free(loop->tally[n].trial_streams);
    }
    free(loop->streams);
    free(loop->heads);
    free(loop->indices);
    free(loop->statuses);
    free(loop->tally);
    free(loop->outgoing);
    free(loop->incoming);
}

int64_t run_streams(struct world *world, const struct phase *phase, struct table *rows)
{
    const int window = window_of(phase);
    const long edges = phase->by_count ? 0 : phase->trials + 1;
    struct loop loop = {
        .world = world,
        .phase = phase,
        .window = window,
        .half = window / 2,
        .edges = edges,
        .edges_left = edges,
    };
    prepare(&loop);
    post_receives(&loop);
    const int64_t barrier_ns = meet(world);
    start_sends(&loop);
    go_on(&loop);
    rest(world);
    int64_t *const starts_ns = allocate(sizeof *starts_ns * (size_t)world->ranks), own_ns = latest_start_ns(&loop);
    MPI_Allgather(&own_ns, 1, MPI_INT64_T, starts_ns, 1, MPI_INT64_T, MPI_COMM_WORLD);
    for (const struct tally *one = loop.tally; one < loop.tally + loop.tallies; one++)
        if (phase->by_count)
            trial_rows(&loop, one, starts_ns, rows);
        else
            window_rows(&loop, one, rows);
    free(starts_ns);
    release(&loop);
    return barrier_ns;
}
