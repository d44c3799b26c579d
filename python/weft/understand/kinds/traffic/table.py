"""Traffic simulations as a table: their speed relative to real time, over numbers of nodes."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.runs.meta import RunMeta
from weft.understand.curve.over_launches import over_launches
from weft.understand.kinds.traffic.driven import SHARES, TrafficResult, hashes_differ


def _share(kind: str) -> ResultColumn:
    return ResultColumn(f"{kind}_share", kind, read=lambda one: one.share[kind])


RATIO = ResultColumn("real_time_ratio", "times real time", Interval, over_launches("steps_per_s"))
COMPUTE, *_OTHERS = map(_share, SHARES)
_COLUMNS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("nodes", "nodes", int),
    ResultColumn("seconds", "seconds of traffic", int, shown="page"),
    RATIO,
    COMPUTE,
    *_OTHERS,
    ResultColumn("bytes_per_step", "B/step", read=lambda one: one.bytes / one.seconds),
    ResultColumn("messages_per_step", "msgs/step", read=lambda one: one.messages / one.seconds),
    ResultColumn("hash", "hash of all cars", str, shown="page"),
)


def traffic_table(found: Sequence[TrafficResult]) -> ResultTable:
    """A row for each number of nodes of each step."""
    return ResultTable.of("traffic", _COLUMNS, found)


def short_table(name: str, phases: Sequence[TrafficResult], _: RunMeta) -> ResultTable:
    """The table of one step, with the final state of the cars as remarks."""
    first = phases[0]
    hashes = ", ".join(dict.fromkeys(one.hash for one in phases))
    said = "DIFFER between numbers of nodes" if hashes_differ(phases) else "of all cars"
    remarks = (
        f"cars: {first.home:,} at home, {first.waiting:,} wait to leave, {first.driving:,} drive, "
        f"{first.arrived:,} have arrived",
        f"hash {said}: {hashes}",
    )
    title = f"{name}: {first.seconds:,} s, times faster than real time"
    return ResultTable.of(title, _COLUMNS, phases, remarks)
