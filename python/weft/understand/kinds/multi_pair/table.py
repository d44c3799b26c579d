"""Several pairs between two nodes as a table: each size of each arrangement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from weft.base.interval import Interval
from weft.base.statistics import has_interval
from weft.base.table import ResultColumn, ResultTable, Value
from weft.understand.multi_pair.multi_pair import MultiPairPoint

MOST_SIZES = 6
"""The most sizes that fit a terminal; of more, the first, the last and some in between are shown."""


def _known(name: str) -> Callable[[MultiPairPoint], Value]:
    """A getter for an interval over launches, or over timings if there is one launch; it returns the median alone if
    these are too few."""

    def read(one: MultiPairPoint) -> Value:
        value: Interval | None = getattr(one, name)
        launches = len(one.by_launch_mbps)
        is_known = has_interval(launches if launches > 1 else one.timings)
        return value if value is None or is_known else value.median

    return read


SUM = ResultColumn("sum_mbps", "all pairs", Interval, _known("sum_mbps"))
LATENCY = ResultColumn("latency_us", "latency", Interval, _known("latency_us"))
_COLUMNS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("test", "test", str, shown="data"),
    ResultColumn("name", "arrangement", str),
    ResultColumn("pairs", "pairs", int, shown="data"),
    ResultColumn("size_bytes", "size", int, shown="page"),
    SUM,
    ResultColumn("spread_pct", "spread"),
    ResultColumn("of_alone_share", "of alone", Interval, _known("of_alone"), shown="median"),
    ResultColumn("least_mbps", "slowest pair", read=lambda one: min(_of_pairs(one), default=None)),
    ResultColumn("most_mbps", "fastest pair", read=lambda one: max(_of_pairs(one), default=None)),
    LATENCY,
)


def pairs_table(points: Sequence[MultiPairPoint]) -> ResultTable:
    """All sizes of all arrangements of all steps; latency is half a round trip, the mean over pairs."""
    return ResultTable.of("several pairs", _COLUMNS, points)


def short_tables(whole: ResultTable) -> Iterator[ResultTable]:
    """Two tables of one step: the arrangements over some sizes, and all columns at the largest size."""
    test, sizes = whole.values("test")[0], sorted({*whole.values("size_bytes")})
    is_timed = any(one is not None for one in whole.values("latency_us"))
    value = LATENCY if is_timed else SUM
    title = f"{test} by bytes of a message, {value.heading}"
    some = whole.where("size_bytes", *_some(sizes))
    yield some.pivoted("name", "size_bytes", value.name, title)
    yield whole.where("size_bytes", sizes[-1]).titled(f"{test} at {sizes[-1]} B")


def _some(sizes: list[int]) -> list[int]:
    if len(sizes) <= MOST_SIZES:
        return sizes
    last = len(sizes) - 1
    return [sizes[round(index * last / (MOST_SIZES - 1))] for index in range(MOST_SIZES)]


def _of_pairs(point: MultiPairPoint) -> list[float]:
    """The rate of each pair; empty if there is only one."""
    rates = [pair.throughput_mbps.median for pair in point.each]
    return rates if len(rates) > 1 else []
