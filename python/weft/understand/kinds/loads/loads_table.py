"""Streams whose receiver also computes, as tables over gamma."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable, Value
from weft.understand.kinds.loads.lines import load_lines
from weft.understand.kinds.loads.live_loads import TASKS, LiveLoad
from weft.understand.kinds.loads.loaded import LoadedPoint

MOST_PROCESSORS = 4
"""The most processors with soft interrupts that have a column."""
_TASKS_NOTE = "softirq: of the whole node, in system too unless its kernel keeps it apart; receiving: without the work"


def _live(read: Callable[[LiveLoad], Value]) -> Callable[[LoadedPoint], Value]:
    """Reads a measured load; None if the point was simulated."""
    return lambda one: read(one.live) if one.live else None


def _rate(one: LoadedPoint) -> Value:
    return one.live.throughput_mbps if one.live else one.throughput_mbps


def _gain(one: LoadedPoint) -> Value:
    return one.live.gain if one.live and one.live.gain else one.gain


_STEP = ResultColumn("step", "step", int, shown="data")
_SIZE = ResultColumn("size_bytes", "size", int, shown="data")
_GAMMA = ResultColumn("gamma", "gamma", spec="g")
_LOADS = (
    _STEP,
    _SIZE,
    _GAMMA,
    ResultColumn("gamma_done", "done", read=_live(lambda one: one.gamma_done), spec=".2f"),
    ResultColumn("throughput_mbps", "rate", Interval, _rate),
    ResultColumn("laws_mbps", "LAWS at most"),
    ResultColumn("before_mbps", "before"),
    ResultColumn("gain_share", "gain", Interval, _gain),
    ResultColumn("laws_gain_share", "LAWS at most", read=lambda one: one.laws_gain),
    ResultColumn("p", "p", Interval, _live(lambda one: one.p_at_gamma), ".2f", "median"),
    ResultColumn("waits", "waits", read=_live(lambda one: one.waits), spec=".2f"),
    ResultColumn("lost_pct", "lost", Interval, _live(lambda one: one.lost_pct), shown="median"),
)
_PROCESSORS = (
    _STEP,
    _SIZE,
    _GAMMA,
    ResultColumn("node", "node", str),
    *(ResultColumn(f"{task}_us", task) for task in TASKS),
    ResultColumn("receiving_us", "receiving"),
)
_SOFTIRQS = (
    _GAMMA,
    ResultColumn("processor", "processor", str),
    ResultColumn("softirq_us", "softirq"),
)


def loads_table(points: Sequence[LoadedPoint]) -> ResultTable:
    """A row for each gamma; "before" is the rate without offload, computed or measured."""
    return ResultTable.of("loads", _LOADS, points)


def processors_table(points: Sequence[LoadedPoint]) -> ResultTable:
    """A row for each measured gamma and node; "receiving" is without the application's work."""
    title = "processor time of a message by task"
    return ResultTable(title, _PROCESSORS, [row for one in points for row in _tasks(one)])


def live_tables(step: str, points: Sequence[LoadedPoint]) -> Iterator[ResultTable]:
    """The tables of one step and size: throughput and gain over gamma, then the processor time of a message."""
    live = [one.live for one in points if one.live]
    before = f"is measured, step {live[0].before}" if live[0].before else "is by LAWS"
    title = f"{step}: stream of {points[0].size_bytes} B whose receiver computes; before {before}"
    yield replace(loads_table(points).titled(title), remarks=load_lines(points))
    yield replace(processors_table(points), remarks=[_TASKS_NOTE])
    yield _softirqs_table(points)


def _softirqs_table(points: Sequence[LoadedPoint]) -> ResultTable:
    """Soft interrupts over gamma, for the receiver's processors with the most; the points must be measured ones."""
    taken = [(one.gamma, *list(one.live.softirq_ns.items())[-1]) for one in points if one.live]
    sums = Counter[int]()
    for _, _, by_cpu in taken:
        sums.update({cpu: round(ns) for cpu, ns in by_cpu.items()})
    cpus = sorted(cpu for cpu, _ in sums.most_common(MOST_PROCESSORS))
    rows = [
        (gamma, f"cpu{cpu}", by_cpu.get(cpu, 0.0) / 1e3)
        for gamma, _, by_cpu in taken
        for cpu in cpus
    ]
    title = f"{taken[0][1]}: softirq of a message by processor, µs"
    return ResultTable("", _SOFTIRQS, rows).pivoted("gamma", "processor", "softirq_us", title)


def _tasks(one: LoadedPoint) -> Iterator[list[Value]]:
    if one.live is None:
        return
    receiver = list(one.live.processor_ns)[-1]
    for node, times_ns in one.live.processor_ns.items():
        times_us = [times_ns.get(task, 0.0) / 1e3 for task in TASKS]
        receiving_us = one.live.host_ns / 1e3 if node == receiver else None
        yield [one.step, one.size_bytes, one.gamma, node, *times_us, receiving_us]
