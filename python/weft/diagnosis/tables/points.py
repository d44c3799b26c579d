"""What a pair reached at each message size, and what of it was lost, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from weft.diagnosis.delivery import Delivered
from weft.diagnosis.points import Point
from weft.diagnosis.tables.known import over_launches
from weft.interval import Interval
from weft.quantity import format_us
from weft.table import Column, Table


def _mode_times(one: Point) -> str | None:
    return ", ".join(map(format_us, one.modes.locations)) if one.modes.count > 1 else None


_POINTS = (
    Column("step", "step", int, shown="data"),
    Column("pattern", "pattern", str, shown="data"),
    Column("transport", "transport", str, shown="data"),
    Column("size_bytes", "size", int),
    Column("latency_us", "one way", Interval, over_launches("latency_us")),
    Column("throughput_mbps", "rate", Interval, over_launches("throughput_mbps")),
    Column("launches", "launches", int, shown="page"),
    Column("coverage_share", "coverage", read=lambda one: one.coverage, shown="data"),
    Column("modes", "modes", int, lambda one: one.modes.count),
    Column("mode_times", "modes at", str, _mode_times, shown="page"),
    Column("expected_mbps", "neighbours promise", Interval, shown="page"),
    Column("is_dip", "dip", bool, lambda one: one.dip),
)
_JITTER = Column("jitter_us", "jitter", Interval, over_launches("jitter_us"), shown="median")
_DELIVERED = (
    Column("step", "step", int, shown="data"),
    Column("size_bytes", "size", int),
    Column("sent", "sent", int),
    Column("loss_pct", "lost", Interval, over_launches("loss_pct"), spec=".3f"),
    Column("offered_mbps", "sent", Interval, over_launches("offered_mbps"), shown="median"),
    _JITTER,
    Column("overrun", "overrun", int),
    Column("duplicated", "twice", int),
    Column("ring", "no room in ring", int),
    Column("backlog", "in backlog", int),
    Column("reordered", "out of order", int, lambda one: one.reordered if one.jitter_us else None),
)


def points_table(points: Sequence[Point]) -> Table:
    """All sizes of all steps. `latency_us` is half a round trip, which streams do not have; `coverage_share` is the
    confidence of the intervals, and a dip is slower than its neighbours explain."""
    return Table.of("points", _POINTS, points)


def deliveries_table(delivered: Sequence[Delivered]) -> Table:
    """All sizes of all steps whose messages may get lost; counts are of all launches together."""
    return Table.of("deliveries", _DELIVERED, delivered)
