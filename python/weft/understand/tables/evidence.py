"""The hosts' activity per message as tables."""

from __future__ import annotations

from collections.abc import Iterable

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable, Shown
from weft.understand.host.evidence import PointEvidence

WORDS = (
    "user, system and switches are the agent's own, over MPI the rank's (the kernel tells user from system by ticks), "
    "ns/B is its time for a byte; softirq (in steps of 10 ms), softirqs, interrupts and drops are the host's. The "
    "peer's window, the own buffer, the network: the share of time for which TCP had data and they held it up, of "
    "launches of 0.1 s or more at a size. Drops and resent segments are of a launch."
)
"""The meaning of the headings."""


def _measure(
    name: str, label: str, meaning: str, spec: str = "", shown: Shown = "median"
) -> ResultColumn:
    def read(one: PointEvidence) -> Interval | None:
        return one.measures.get(name)

    return ResultColumn(name, label, Interval, read, spec, shown, meaning)


_PLACE = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("phase", "phase", int, shown="data"),
    ResultColumn("size_bytes", "size", int),
    ResultColumn("part", "part", str),
    ResultColumn("node", "node", str),
    ResultColumn("launches", "launches", int, shown="data"),
)
MEASURES = (
    _measure("user_ns", "user", "Processor time of the agent, in user mode, per message"),
    _measure("system_ns", "system", "Processor time of the agent, in the kernel, per message"),
    _measure("softirq_ns", "softirq", "Processor time in softirqs, of the host, per message"),
    _measure("waiting_ns", "waiting", "Agent waiting for a processor, per message", shown="page"),
    _measure("ns_per_byte", "ns/B", "Processor time of the agent, per byte, ns"),
    _measure("interrupts", "interrupts", "Interrupts of the interface, per message", ".3g"),
    _measure("softirqs", "softirqs", "Network softirqs of the host, per message", ".3g"),
    _measure("switches", "switches", "Context switches of the agent, per message", ".3g"),
    _measure("drops", "drops", "Frames lost by the host, per launch", ".0f"),
    _measure("retransmits", "resent", "Segments sent again, per launch", ".0f"),
    _measure("receive_window_share", "window", "Time held up by the peer's window", ".0f"),
    _measure("send_buffer_share", "buffer", "Time held up by the send buffer", ".0f"),
    _measure("network_share", "network", "Time held up by the network", ".0f"),
)
_LONG = (
    *_PLACE,
    ResultColumn("kind", "kind", str),
    ResultColumn("name", "name", str),
    ResultColumn("value", "value", Interval),
)


def evidence_table(points: Iterable[PointEvidence]) -> ResultTable:
    """A row for each size and node, a column for each measure: medians over launches."""
    ordered = sorted(points, key=lambda one: (one.size_bytes, one.phase, one.node))
    return ResultTable.of("evidence", (*_PLACE, *MEASURES), ordered)


def long_table(points: Iterable[PointEvidence]) -> ResultTable:
    """A row for each measure and each counter that changed, of each size and node."""
    rows = [
        [*(column.of(one) for column in _PLACE), kind, name, value]
        for one in points
        for kind, values in (("measure", one.measures), ("counter", one.counters))
        for name, value in values.items()
    ]
    return ResultTable("evidence", _LONG, rows)
