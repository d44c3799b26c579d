"""Tables of a run beside its samples. Measured runs have EVIDENCE_NAME and PAGES_NAME, runs of programs
ACTIVITIES_NAME, simulated runs BOTTLENECKS_NAME and, depending on the pattern, others."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

BOTTLENECKS_NAME = "bottlenecks.parquet"
"""By step, phase, source and destination: the constraint that limited the transfer when it ended."""

LOADS_NAME = "loads.parquet"
"""By step, phase and constraint: the mean load on the wire over the phase, and the capacity (infinite if unlimited),
both in 10^6 bit/s."""

OCCUPATION_NAME = "occupation.parquet"
"""By step, phase, node, part of the node and task: share of time busy, and interrupts per second."""

CATEGORIES_NAME = "categories.parquet"
"""By step, phase, node and category: cycles per message, for machines whose costs are given by category."""

APPLICATIONS_NAME = "applications.parquet"
"""By step and phase of a stream with application load: gamma, and times per byte in ns: of receiving it on a processor
that does everything, of the application's processor as placed, of the busiest other part, and of the link; and the
total under the same load if nothing is moved off the application's processor."""

RESPONSES_NAME = "responses.parquet"
"""By step, phase and batch of a web server: users, mean number of waiting users, and mean, median, 95th and 99th
percentile of the time from a request to the last byte of its page, in ns."""

PAGES_NAME = "pages.parquet"
"""By step, phase and launch of a live web server: users, mean number of waiting users, response times in ns (mean and
quantiles) of `requests` requests, from when each was due to the last byte of its page; unanswered requests, and the
delay of the load generator itself (99th percentile)."""

ACTIVITIES_NAME = "activities.parquet"
"""By step, phase, launch, repetition (`trial`) and node (as in the samples) of a program: how long the node computed,
communicated and waited until its own last operation ended, and when that was, in ns from the start. Simulated programs
run once."""

LAPS_NAME = "laps.parquet"
"""By step, phase and launch of interference, node and `lap`: when the node began and ended its part of a repetition of
the victim, in ns from the start of the phase. For a congestor's node: from its start until it was stopped or had
finished, and the bytes it received meanwhile."""

CASTS_NAME = "casts.parquet"
"""By step, phase, launch and node of a cast of a file: how the node spent its time (`blocked`: received data waited for
memory), bytes of the file that it had before and that the source has, bytes on each network, and when it had the first
chunk, the last chunk, and everything on disk, since the start of the cast (null if never). `src` is its predecessor at
the end, null for the source. Times of several networks are summed."""

TRAFFIC_NAME = "traffic.parquet"
"""By step, phase and launch of a traffic simulation: number of `nodes`, seconds simulated, and the number of `steps` of
them in which nodes exchanged messages (a simulated network carries out only some). A hash of the final positions of
cars; how many are at home, wait to leave, drive and have arrived; how often a car passed the end of a link; messages
and bytes of all seconds. For those steps: their duration, and the times that nodes computed, communicated and waited,
in ns summed over nodes."""

CACHES_NAME = "caches.parquet"
"""By step, phase, node, processor, cache and kind of access (read, write, instruction): accesses per message (of a
ping-pong, both ways), and the share of hits."""

BUDGET_NAME = "budget.parquet"
"""By step, phase and stage: the part of a message's one-way time spent there, in ns; the sum is the latency."""

PHASES_NAME = "phases.parquet"
"""For steps that keep a sample of their transfers: a summary of every phase (PHASES_SCHEMA in weft.runs.digests)."""

RATE_COUNTS_NAME = "rate-counts.parquet"
"""For steps that keep a sample of their transfers: the number of transfers with a rate from `least_mbps` to 0.1 %
above, in phase `phase` and the phases computed with it."""

BOTTLENECK_COUNTS_NAME = "bottleneck-counts.parquet"
"""For steps that keep a sample of their transfers: the number of transfers limited by each constraint, in phase `phase`
and the phases computed with it."""

EVIDENCE_NAME = "evidence.parquet"
"""Host activity while batches were timed: by step, phase, launch and node, for `batches` batches from `batch` on, the
increase of a kernel counter, or the latest value of a gauge. `cpu` is null except for counters kept per processor.
Increases of 0 have no row; `evidence` in run.json names the counters that were read."""

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
"""Counters of evidence that report the value at the end of a stretch; all others report an increase."""

ADDED_LATER: dict[str, int | None] = {"capacity_mbps": None, "stands": 1}
ADDED_TO_ACTIVITIES: dict[str, int | None] = {"launch": 0, "trial": 0}
"""Columns that folders of earlier versions lack, with their default: of any table, and of activities. In other tables,
missing columns are damage."""

_KEY = [("step", pa.int32()), ("phase", pa.int32())]
_NAMED = pa.dictionary(pa.int32(), pa.string())


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([*_KEY, *columns.items()])


def _numbers(*names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names, pa.float64())


def _counts(*names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names, pa.int64())


def phase_code(table: pa.Table) -> pa.ChunkedArray:
    """Step and phase of each row as one number."""
    step = pc.shift_left(table["step"].cast(pa.int64()), 32)
    return pc.add(step, table["phase"].cast(pa.int64()))


def launch_code(table: pa.Table) -> pa.ChunkedArray:
    """Step, launch and phase of each row as one number."""
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
"""The schema of each table, by name."""


def added_later(schema: pa.Schema) -> dict[str, int | None]:
    """Columns of a table that folders of earlier versions lack, with their defaults."""
    is_activities = schema.equals(SCHEMAS[ACTIVITIES_NAME])
    return ADDED_LATER | (ADDED_TO_ACTIVITIES if is_activities else {})
