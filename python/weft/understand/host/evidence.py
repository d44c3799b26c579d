"""The host's activity per message: processor time, interrupts, context switches, losses, and what limited TCP."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.plan.arrangements import Arrangement, arrangements
from weft.plan.phases import expand
from weft.runs.columns.tables import EVIDENCE_NAME, GAUGES
from weft.runs.folder import RunFolder
from weft.runs.records.records import NotReadRecord

_Place = tuple[int, int, int, int]
"""Step, phase, size in bytes, node. Batches that pin a jump are listed under the first phase of their size, because
each launch numbers these phases anew."""
DROPS = (
    "softnet_dropped",
    "interface_rx_dropped",
    "interface_tx_dropped",
    "nstat:TcpExtTCPBacklogDrop",
    "nstat:TcpExtTCPRcvQDrop",
    "nstat:UdpRcvbufErrors",
    "nstat:UdpSndbufErrors",
)
"""Frames and datagrams that the host itself dropped."""
LEAST_TICKED_NS = 100_000_000
"""Ten ticks of the slowest kernels, or a hundred of the fastest."""


@dataclass(frozen=True)
class Amounts:
    """The counters of a node in one phase of one launch, with the messages and bytes that it sent or received."""

    counted: dict[str, int]
    messages: float
    bytes: float

    def __add__(self, other: Amounts) -> Amounts:
        """The sum of both; the maximum for gauges."""
        counted = dict(self.counted)
        for name, value in other.counted.items():
            known = counted.get(name, 0)
            counted[name] = max(known, value) if name in GAUGES else known + value
        return Amounts(counted, self.messages + other.messages, self.bytes + other.bytes)

    def sum(self, *patterns: str) -> int:
        """The sum of all counters that match a pattern, such as `interrupts:*`."""
        return sum(
            value
            for name, value in self.counted.items()
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        )

    def per_message(self, *patterns: str) -> float:
        return self.sum(*patterns) / self.messages

    def share(self, *patterns: str) -> float:
        """The counters' share of the time of all stretches, at most 1; TCP counts in ticks, which may exceed a short
        stretch."""
        return min(1.0, self.sum(*patterns) / max(1, self.sum("elapsed_ns")))


class HostMeasure(NamedTuple):
    """A derived number; `needs` are the counters that it requires. `in_ticks`: they grow once per tick, so that the
    measure is meaningless for a short launch."""

    name: str
    needs: tuple[str, ...]
    of: Callable[[Amounts], float]
    in_ticks: bool = False

    def is_known(self, launches: list[Amounts]) -> bool:
        """Whether the launches were long enough for the measure."""
        return not self.in_ticks or all(
            one.counted["elapsed_ns"] >= LEAST_TICKED_NS for one in launches
        )


_USED = ("process_user_ns", "process_system_ns")
_SWITCHES = ("process_voluntary_switches", "process_involuntary_switches")
_WINDOW, _BUFFER = "tcp_receive_window_limited_ns", "tcp_send_buffer_limited_ns"

MEASURES = (
    HostMeasure("user_ns", ("process_user_ns",), lambda one: one.per_message("process_user_ns")),
    HostMeasure(
        "system_ns", ("process_system_ns",), lambda one: one.per_message("process_system_ns")
    ),
    HostMeasure("softirq_ns", ("cpu_softirq_ns",), lambda one: one.per_message("cpu_softirq_ns")),
    HostMeasure(
        "waiting_ns", ("process_waiting_ns",), lambda one: one.per_message("process_waiting_ns")
    ),
    HostMeasure("ns_per_byte", _USED, lambda one: one.sum(*_USED) / one.bytes),
    HostMeasure("interrupts", ("interrupts:*",), lambda one: one.per_message("interrupts:*")),
    HostMeasure(
        "softirqs",
        ("softirq_net_rx",),
        lambda one: one.per_message("softirq_net_rx", "softirq_net_tx"),
    ),
    HostMeasure("switches", _SWITCHES, lambda one: one.per_message(*_SWITCHES)),
    HostMeasure("drops", DROPS[:1], lambda one: float(one.sum(*DROPS))),
    HostMeasure("retransmits", ("tcp_retransmits",), lambda one: float(one.sum("tcp_retransmits"))),
    HostMeasure("receive_window_share", (_WINDOW,), lambda one: one.share(_WINDOW), True),
    HostMeasure("send_buffer_share", (_BUFFER,), lambda one: one.share(_BUFFER), True),
    HostMeasure(
        "network_share",
        ("tcp_busy_ns",),
        lambda one: max(0.0, one.share("tcp_busy_ns") - one.share(_WINDOW, _BUFFER)),
        True,
    ),
)
"""Times and counts are per message, one way; `ns_per_byte` is the agent's own time; drops and retransmits are per
launch. Shares are of the time in which TCP had data to send and was limited by the peer's window, by its own buffer, or
by the network (the congestion window, or data in flight)."""


@dataclass(frozen=True)
class PointEvidence:
    """One size of one step at one node; intervals are over launches. `part` names the phase of that size if the step
    has several pairs or many nodes; else it is empty.

    `measures` has those of MEASURES whose counters were read, `counters` all counters that changed: per message, or
    the value of a gauge.
    """

    step: int
    phase: int
    pattern: str
    transport: str
    size_bytes: int
    part: str
    node: str
    launches: int
    measures: dict[str, Interval]
    counters: dict[str, Interval]


@dataclass(frozen=True)
class EvidencePoints:
    """All points of a run with evidence, and the counters that could not be read, by node."""

    points: list[PointEvidence]
    missing: dict[str, list[NotReadRecord]]

    def to_json(self) -> dict[str, object]:
        return {"evidence": self.points, "missing": self.missing}


def evidence(run: RunFolder) -> EvidencePoints:
    """The evidence recorded with the batches of a run, by step, phase and node; O(n) in the rows."""
    places = sorted(amounts_by_launch(run).items())
    parts = _Parts(run)
    points = [
        _point(run, place, list(launches.values()), parts.of(*place[:2]))
        for place, launches in places
    ]
    missing = {one["node"]: one["missing"] for one in run.meta.evidence if one["missing"]}
    return EvidencePoints(points, missing)


def amounts_by_launch(run: RunFolder) -> dict[_Place, dict[int, Amounts]]:
    """The amounts of each place, by launch."""
    table = run.side_table(EVIDENCE_NAME)
    keys = ["step", "phase", "launch", "node"]
    table = table.set_column(
        table.column_names.index("counter"), "counter", table["counter"].cast("string")
    )
    grown = table.group_by([*keys, "counter"]).aggregate([("value", "sum"), ("value", "max")])
    counted: dict[tuple[int, ...], dict[str, int]] = defaultdict(dict)
    for row in grown.to_pylist():
        of = "value_max" if row["counter"] in GAUGES else "value_sum"
        counted[tuple(row[key] for key in keys)][row["counter"]] = row[of]
    batches, listed = _batches(run), _pin_phases(run)
    recorded = table.filter(pc.equal(table["counter"], "elapsed_ns"))
    found: dict[_Place, dict[int, Amounts]] = defaultdict(dict)
    for row in recorded.group_by(keys).aggregate([("batches", "sum")]).to_pylist():
        step, phase, launch, node = place = tuple(row[key] for key in keys)
        if place not in batches:
            continue
        count, messages, size_bytes = batches[place]
        messages *= row["batches_sum"] / count * run.meta.plan.steps[step].crossings
        amounts = Amounts(counted[place], max(1.0, messages), max(1.0, messages * size_bytes))
        launches = found[step, listed.get(place[:3], phase), size_bytes, node]
        launches[launch] = launches[launch] + amounts if launch in launches else amounts
    return found


def _pin_phases(run: RunFolder) -> dict[tuple[int, ...], int]:
    """By step, phase and launch of phases that pin a jump: the first phase of the same size."""
    first: dict[tuple[int, int], int] = {}
    return {
        (one["step"], one["phase"], one["launch"]): first.setdefault(
            (one["step"], one["size_bytes"]), one["phase"]
        )
        for one in run.meta.phases
        if "bisects" in one
    }


def _batches(run: RunFolder) -> dict[tuple[int, ...], tuple[int, int, int]]:
    """By step, phase, launch and node: batches, messages sent or received, and bytes of a message."""
    keys = ["step", "phase", "launch", "node"]
    columns = [*keys[:3], "batch", "messages", "size_bytes"]
    samples, is_between = run.samples, pc.field("src") != pc.field("dst")
    table = pa.concat_tables(
        [
            samples.select([*columns, "src"]).rename_columns([*columns, "node"]),
            samples.filter(is_between).select([*columns, "dst"]).rename_columns([*columns, "node"]),
        ]
    )
    sums = [("batch", "count_distinct"), ("messages", "sum"), ("size_bytes", "max")]
    rows = table.group_by(keys).aggregate(sums).to_pylist()
    return {
        tuple(row[key] for key in keys): (
            row["batch_count_distinct"],
            row["messages_sum"],
            row["size_bytes_max"],
        )
        for row in rows
    }


class _Parts:
    """The names of a step's phases if one size has several; else empty."""

    def __init__(self, run: RunFolder) -> None:
        self._steps, self._nodes = run.meta.plan.steps, len(run.meta.nodes)
        self._arranged: dict[int, list[Arrangement]] = {}

    def of(self, index: int, phase: int) -> str:
        step = self._steps[index]
        if step.is_ensemble:
            return f"phase {phase}"
        if index not in self._arranged:
            self._arranged[index] = arrangements(expand(step, self._nodes))
        return next((one.name for one in self._arranged[index] if phase in one.phases), "")


def _point(run: RunFolder, place: _Place, launches: list[Amounts], part: str) -> PointEvidence:
    index, phase, size_bytes, node = place
    step, name = run.meta.plan.steps[index], run.meta.nodes[node]["name"]
    read = _counters_read(run, index, name)
    has = [one for one in MEASURES if all(map(read, one.needs)) and one.is_known(launches)]
    moved = sorted({counter for one in launches for counter in one.counted})
    return PointEvidence(
        step=index,
        phase=phase,
        pattern=step.pattern.kind,
        transport=step.transport,
        size_bytes=size_bytes,
        part=part,
        node=name,
        launches=len(launches),
        measures={
            one.name: median_interval([one.of(amounts) for amounts in launches], upper=True)
            for one in has
        },
        counters={
            counter: median_interval([_one(amounts, counter) for amounts in launches], upper=True)
            for counter in moved
        },
    )


def _one(amounts: Amounts, counter: str) -> float:
    value = amounts.counted.get(counter, 0)
    return float(value) if counter in GAUGES else value / amounts.messages


def _counters_read(run: RunFolder, step: int, node: str) -> Callable[[str], bool]:
    """A test whether a counter, or a family such as `interrupts:*`, was read at a node in a step."""
    mine = [one for one in run.meta.evidence if one["node"] == node and step in one["steps"]]
    names = {name for one in mine for name in one["counters"]}
    families = {name.partition(":")[0] + ":*" for name in names if ":" in name}
    return (names | families).__contains__
