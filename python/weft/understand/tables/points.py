"""Latency, throughput and losses of a pair at each message size, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.quantity import format_us
from weft.base.table import ResultColumn, ResultTable
from weft.understand.curve.delivery import DeliveryCounts
from weft.understand.curve.over_launches import over_launches
from weft.understand.curve.points import CurvePoint


def _mode_times(one: CurvePoint) -> str | None:
    return ", ".join(map(format_us, one.modes.locations)) if one.modes.count > 1 else None


_POINTS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("pattern", "pattern", str, shown="data"),
    ResultColumn("transport", "transport", str, shown="data"),
    ResultColumn("size_bytes", "size", int),
    ResultColumn("latency_us", "one way", Interval, over_launches("latency_us")),
    ResultColumn("throughput_mbps", "rate", Interval, over_launches("throughput_mbps")),
    ResultColumn("launches", "launches", int, shown="page"),
    ResultColumn("coverage_share", "coverage", read=lambda one: one.coverage, shown="data"),
    ResultColumn("modes", "modes", int, lambda one: one.modes.count),
    ResultColumn("mode_times", "modes at", str, _mode_times, shown="page"),
    ResultColumn("expected_mbps", "neighbours promise", Interval, shown="page"),
    ResultColumn("is_dip", "dip", bool, lambda one: one.dip),
)
_JITTER = ResultColumn("jitter_us", "jitter", Interval, over_launches("jitter_us"), shown="median")
_DELIVERED = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("size_bytes", "size", int),
    ResultColumn("sent", "sent", int),
    ResultColumn("loss_pct", "lost", Interval, over_launches("loss_pct"), spec=".3f"),
    ResultColumn("offered_mbps", "sent", Interval, over_launches("offered_mbps"), shown="median"),
    _JITTER,
    ResultColumn("overrun", "overrun", int),
    ResultColumn("duplicated", "twice", int),
    ResultColumn("ring", "no room in ring", int),
    ResultColumn("backlog", "in backlog", int),
    ResultColumn(
        "reordered", "out of order", int, lambda one: one.reordered if one.jitter_us else None
    ),
)


def points_table(points: Sequence[CurvePoint]) -> ResultTable:
    """All sizes of all steps. `latency_us` is half a round trip, empty for streams; `coverage_share` is the confidence
    of the intervals; a dip is slower than its neighbours can explain."""
    return ResultTable.of("points", _POINTS, points)


def deliveries_table(delivered: Sequence[DeliveryCounts]) -> ResultTable:
    """All sizes of all steps whose messages may be lost; counts are totals over launches."""
    return ResultTable.of("deliveries", _DELIVERED, delivered)
