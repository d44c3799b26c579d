"""Steps of several pairs between two nodes, ready to be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.diagnose.multi_pair import MultiPairPoint, multi_pair_points
from weft.diagnose.pair_order import pair_orders
from weft.quantity import format_bytes, format_us, range_mbps
from weft.report.table import Table
from weft.run.folder import Run


@dataclass(frozen=True)
class PairStep:
    """One test of one run; `label` is the run's name."""

    label: str
    run: Run
    test: str
    points: Sequence[MultiPairPoint]

    @property
    def table(self) -> Table:
        """All sizes of all arrangements."""
        headers = ["Arrangement", "Size", "All pairs", "Spread", "Of alone", "Latency"]
        return Table(headers, [_row(point) for point in self.points])

    @property
    def findings(self) -> list[str]:
        """The policies in order, for each number of pairs."""
        return [order.text for order in pair_orders(self.points)]


def _row(point: MultiPairPoint) -> list[str]:
    return [
        point.name,
        format_bytes(point.size_bytes),
        range_mbps(point.sum_mbps),
        f"{point.spread_pct:.1f} %",
        f"{point.of_alone.median:.1%}" if point.of_alone else "",
        format_us(point.latency_us.median) if point.latency_us else "",
    ]


def pair_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[PairStep]:
    """Those of all runs, in their order."""
    return [one for name, run in zip(names, runs, strict=True) for one in _of_run(name, run)]


def _of_run(name: str, run: Run) -> Iterator[PairStep]:
    points = multi_pair_points(run)
    for step in dict.fromkeys(point.step for point in points):
        mine = [point for point in points if point.step == step]
        yield PairStep(name, run, mine[0].test, mine)
