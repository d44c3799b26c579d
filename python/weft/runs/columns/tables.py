"""Files that a run has beside its samples: EVIDENCE_NAME and PAGES_NAME a measured one, ACTIVITIES_NAME each with a
program, the others a simulated one (BOTTLENECKS_NAME all, others by kind)."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

BOTTLENECKS_NAME = "bottlenecks.parquet"
"""By step, phase, source and destination: the constraint that limited the transfer when it ended."""

LOADS_NAME = "loads.parquet"
"""By step, phase and constraint: what it carried on the wire, the mean over the phase, and what it can carry, both in
10^6 bit/s; the latter is infinite where there is no limit."""

OCCUPATION_NAME = "occupation.parquet"
"""By step, phase, node, part of the node and task: what share of the time it was busy, interrupts per second."""

CATEGORIES_NAME = "categories.parquet"
"""By step, phase, node and category: cycles of a message, of machines whose costs are given by category."""

APPLICATIONS_NAME = "applications.parquet"
"""By step and phase of a stream with application load: gamma, and what a byte takes in ns: receiving it on a processor
that does all of it, the application's processor as placed, the busiest of all else, the link; and what it takes under
the same load where nothing is moved away from the application's processor."""

RESPONSES_NAME = "responses.parquet"
"""By step, phase and batch of a web server: its users, how many of them waited on average, and the mean, median, 95th
and 99th percentile of the time from a request to the last byte of its page, in ns."""

PAGES_NAME = "pages.parquet"
"""By step, phase and launch of a live web server: its users, how many of them waited on average, response times in ns
(mean and quantiles) of so many `requests`, from when each was due to the last byte of its page; requests without an
answer, and how late the generator itself was (99th percentile)."""

ACTIVITIES_NAME = "activities.parquet"
"""By step, phase and launch of a program, the times that it was carried out there (`trial`), and node (as in the
samples): how long the node computed, communicated and waited until its own last end, and when that was, in ns from the
begin. What is simulated is carried out once."""

LAPS_NAME = "laps.parquet"
"""By step, phase and launch of interference, node and `lap`: when the node began and ended its part of a repetition of
the victim. Of a congestor's node: from its begin until it was stopped, or had nothing more to do, and what it
received meanwhile. In ns from the begin of the phase."""

CASTS_NAME = "casts.parquet"
"""By step, phase, launch and node of a cast of a file: what the node did with its time (`blocked`: what came waited for
memory), bytes of the file that it had before and that the source holds, bytes on each network, and when it had the
first chunk, the last, and all on its disk, since the cast began (null where it never had). `src` is its predecessor at
the end, null for the source. Times of several networks add up."""

TRAFFIC_NAME = "traffic.parquet"
"""By step, phase and launch of a traffic simulation: over how many `nodes`, how many seconds were simulated, and in how
many `steps` of them nodes exchanged messages (a simulated network carries out some only); a hash of where all cars are
in the end, how many are at home, wait to leave, drive and have arrived; how often a car passed the end of a link;
messages and bytes of all seconds. Of those steps: how long they took, and how long nodes computed, communicated and
waited, in ns over all nodes."""

CACHES_NAME = "caches.parquet"
"""By step, phase, node, processor, cache and kind of access (read, write, instruction): accesses for each message (of a
ping-pong, both ways), and what part of them hit."""

BUDGET_NAME = "budget.parquet"
"""By step, phase and stage: where the time of a message went, one way, in ns; together the latency."""

PHASES_NAME = "phases.parquet"
"""Of steps that keep a sample of their transfers: every phase in numbers that stand for all of them (PHASES_SCHEMA in
weft.runs.digests)."""

RATE_COUNTS_NAME = "rate-counts.parquet"
"""Of the same steps: how many transfers had a rate of `least_mbps` to 0.1 % above, in phase `phase` and those that were
computed with it."""

BOTTLENECK_COUNTS_NAME = "bottleneck-counts.parquet"
"""Of the same steps: how many transfers each constraint held back, likewise."""

EVIDENCE_NAME = "evidence.parquet"
"""What the host did while batches were timed: by step, phase, launch and node, for `batches` batches from `batch` on,
how much a counter of the kernel grew, or the latest value of a gauge. `cpu` is null but for counters that are kept by
processor. A difference of 0 has no row; `evidence` in run.json names the counters that were read."""

GAUGES = frozenset(
    (
        "application_iteration_ps",
        "cpu_khz",
        "tcp_lost",
        "tcp_rtt_ns",
        "tcp_rtt_variation_ns",
        "tcp_window_segments",
        "tcp_delivery_bytes_per_s",
        "tcp_unread_bytes",
    )
)
"""Counters of evidence whose value is that at the end of a stretch; all others grow."""

ADDED_LATER: dict[str, int | None] = {"capacity_mbps": None, "stands": 1}
ADDED_TO_ACTIVITIES: dict[str, int | None] = {"launch": 0, "trial": 0}
"""Columns that folders of earlier builds lack, and what they would have: of any table, and of that of activities, for
where another lacks these it is damaged."""

_KEY = [("step", pa.int32()), ("phase", pa.int32())]
_NAMED = pa.dictionary(pa.int32(), pa.string())


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([*_KEY, *columns.items()])


def _numbers(*names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names, pa.float64())


def _counts(*names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names, pa.int64())


def phase_code(table: pa.Table) -> pa.ChunkedArray:
    """Step and phase of each row in one number."""
    step = pc.shift_left(table["step"].cast(pa.int64()), 32)
    return pc.add(step, table["phase"].cast(pa.int64()))


def launch_code(table: pa.Table) -> pa.ChunkedArray:
    """Step, launch and phase of each row in one number."""
    launch = pc.shift_left(table["launch"].cast(pa.int64()), 32)
    step = pc.shift_left(table["step"].cast(pa.int64()), 48)
    return pc.add(pc.add(step, launch), table["phase"].cast(pa.int64()))


SCHEMAS = {
    BOTTLENECKS_NAME: _schema(src=pa.int32(), dst=pa.int32(), bottleneck=_NAMED),
    LOADS_NAME: _schema(
        constraint=_NAMED,
        start_ns=pa.int64(),
        elapsed_ns=pa.int64(),
        **_numbers("mbps", "capacity_mbps"),
    ),
    OCCUPATION_NAME: _schema(
        node=_NAMED, part=_NAMED, task=_NAMED, **_numbers("share", "interrupts_per_s")
    ),
    CATEGORIES_NAME: _schema(node=_NAMED, category=_NAMED, **_numbers("cycles")),
    ACTIVITIES_NAME: _schema(
        launch=pa.int32(),
        trial=pa.int32(),
        node=pa.int32(),
        compute_ns=pa.int64(),
        communicate_ns=pa.int64(),
        wait_ns=pa.int64(),
        end_ns=pa.int64(),
    ),
    LAPS_NAME: _schema(
        launch=pa.int32(),
        node=pa.int32(),
        lap=pa.int32(),
        **_counts("begin_ns", "end_ns", "received_bytes"),
    ),
    CASTS_NAME: _schema(
        launch=pa.int32(),
        node=pa.int32(),
        src=pa.int32(),
        **_counts("read_ns", "receive_ns", "write_ns", "forward_ns", "wait_ns", "blocked_ns"),
        **_counts("size_bytes", "held_bytes", "received_bytes", "received_second_bytes"),
        **_counts("sent_bytes", "sent_second_bytes", "damaged"),
        **_counts("first_ns", "last_ns", "whole_ns"),
    ),
    TRAFFIC_NAME: _schema(
        launch=pa.int32(),
        nodes=pa.int32(),
        seconds=pa.int32(),
        steps=pa.int32(),
        **_counts("hash", "home", "waiting", "driving", "arrived", "passed"),
        **_counts("messages", "bytes", "elapsed_ns", "compute_ns", "communicate_ns", "wait_ns"),
    ),
    CACHES_NAME: _schema(
        node=_NAMED, part=_NAMED, cache=_NAMED, access=_NAMED, **_numbers("accesses", "hit_rate")
    ),
    BUDGET_NAME: _schema(stage=_NAMED, **_numbers("elapsed_ns")),
    APPLICATIONS_NAME: _schema(
        **_numbers("gamma", "communication_ns", "host_ns", "other_ns", "link_ns", "before_ns")
    ),
    RESPONSES_NAME: _schema(
        batch=pa.int32(),
        users=pa.int32(),
        **_numbers("waiting", "mean_ns", "median_ns", "p95_ns", "p99_ns"),
    ),
    PAGES_NAME: _schema(
        launch=pa.int32(),
        users=pa.int32(),
        requests=pa.int64(),
        errors=pa.int64(),
        timeouts=pa.int64(),
        **_numbers("waiting", "mean_ns", "median_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns"),
        **_numbers("late_ns"),
    ),
    PHASES_NAME: _schema(
        size_bytes=pa.int64(),
        transfers=pa.int64(),
        elapsed_ns=pa.int64(),
        slowest_src=pa.int64(),
        slowest_dst=pa.int64(),
        **_numbers("slowest_mbps", "tenth_mbps", "median_mbps", "nine_tenths_mbps"),
        **_numbers("fastest_mbps", "mean_mbps", "aggregate_mbps"),
    ),
    EVIDENCE_NAME: _schema(
        launch=pa.int32(),
        batch=pa.int32(),
        batches=pa.int32(),
        node=pa.int32(),
        counter=_NAMED,
        cpu=pa.int32(),
        value=pa.int64(),
    ),
    RATE_COUNTS_NAME: _schema(least_mbps=pa.float64(), transfers=pa.int64()),
    BOTTLENECK_COUNTS_NAME: _schema(bottleneck=pa.string(), transfers=pa.int64()),
}
"""What each of them holds, by name."""


def added_later(schema: pa.Schema) -> dict[str, int | None]:
    """Columns of a table that folders of earlier builds lack, and what they would have."""
    is_activities = schema.equals(SCHEMAS[ACTIVITIES_NAME])
    return ADDED_LATER | (ADDED_TO_ACTIVITIES if is_activities else {})
