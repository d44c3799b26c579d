"""Interference as a table: the slow-down of a victim beside each congestor."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.quantity import format_mbps
from weft.base.table import ResultColumn, ResultTable
from weft.runs.meta import RunMeta
from weft.understand.curve.over_launches import over_launches
from weft.understand.kinds.interference.slow_down import SlowDown
from weft.understand.kinds.interference.trials import WHOLE


def _shared(one: SlowDown) -> str:
    if one.shared is None:
        return "not known"
    return one.shared[0].limit if one.shared else "nothing"


SLOW_DOWN = ResultColumn("slow_down", "slow-down", Interval, over_launches("slow_down", "units"))
_COLUMNS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("victim", "victim", str, shown="page"),
    ResultColumn("victim_nodes", "its nodes", int, shown="page"),
    ResultColumn("size_bytes", "size", int),
    ResultColumn("congestor", "congestor", str),
    ResultColumn("congestor_nodes", "nodes of it", int, shown="page"),
    ResultColumn("alone_us", "alone", Interval, over_launches("alone_us", "units"), shown="median"),
    ResultColumn(
        "beside_us", "beside", Interval, over_launches("beside_us", "units"), shown="median"
    ),
    SLOW_DOWN,
    ResultColumn("mean", "of means", Interval, over_launches("mean", "units"), shown="median"),
    ResultColumn("p99", "of 99 %", Interval, over_launches("p99", "units"), shown="median"),
    ResultColumn("congestor_mbps", "congestor"),
    ResultColumn("has_ended", "ended", bool, lambda one: one.covered < WHOLE),
    ResultColumn("repeats", "repetitions", int, shown="page"),
    ResultColumn("shared", "most loaded that both share", str, _shared, shown="page"),
)


def interference_table(found: Sequence[SlowDown]) -> ResultTable:
    """A row for each size and congestor of each step."""
    return ResultTable.of("interference", _COLUMNS, found)


def short_table(name: str, rows: Sequence[SlowDown], _: RunMeta) -> ResultTable:
    """The table of one step, with the shared limits as remarks."""
    first = rows[0]
    title = (
        f"{name}: {first.victim} on {first.victim_nodes} nodes, congestors on "
        f"{first.congestor_nodes}"
    )
    shared = {one.congestor: f"{one.congestor}: {shared_text(one)}" for one in rows}
    return ResultTable.of(title, _COLUMNS, rows, list(shared.values()))


def shared_text(one: SlowDown) -> str:
    """The limits that victim and congestor share, in words."""
    if one.shared is None:
        return "where it meets the victim is not known"
    if not one.shared:
        return "shares no link or switch with the victim"
    most, more = one.shared[0], len(one.shared) - 1
    return (
        f"shares {most.limit} ({format_mbps(most.capacity_mbps)}), which {most.congestor_share:.0%} of its bytes cross "
        f"and {most.victim_share:.0%} of the victim's" + (f"; and {more} more" if more else "")
    )
