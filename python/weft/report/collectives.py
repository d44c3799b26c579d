"""The collectives of runs as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from weft.diagnosis.activities import activities
from weft.diagnosis.collectives import Collected, collectives
from weft.diagnosis.library_cost import LibraryCost, library_costs
from weft.quantity import format_mbps, format_us, significant
from weft.report.table import Table
from weft.runs.folder import Run
from weft.statistics import has_interval

_HEADERS = ["Run", "Bytes", "Algorithm", "Time", "Times the best", "Bus bandwidth", "Launches"]
_COST_HEADERS = [
    "Run", "Operation", "Nodes", "Bytes", "MPI library", "Best other", "Its time", "Library over it",
]  # fmt: skip


@dataclass(frozen=True)
class CollectiveStep:
    """One step of one run, under a label that no other has."""

    label: str
    run: Run
    ways: Sequence[Collected]

    @property
    def findings(self) -> str:
        """The best of the shortest and of the longest, in a clause."""
        best = [one for one in self.ways if one.times_best == 1.0]
        first, last = (f"{one.algorithm} at {one.size_bytes:,} B" for one in (best[0], best[-1]))
        ends = first if first == last else f"{first}, {last}"
        return f"{best[0].operation} over {best[0].nodes} nodes is fastest by {ends}"


def collective_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[CollectiveStep]:
    """Those of all runs, in their order."""
    named = zip(names, runs, strict=True)
    return [step for name, run in named for step in _of_run(name, run)]


def _of_run(name: str, run: Run) -> Iterator[CollectiveStep]:
    for step, ways in groupby(collectives(run.meta, activities(run)), lambda one: one.step):
        yield CollectiveStep(f"{name} · {run.meta.plan.steps[step].name}", run, list(ways))


def collective_table(steps: Sequence[CollectiveStep]) -> Table:
    """A row for each algorithm at each size."""
    return Table(_HEADERS, [_row(step.label, one) for step in steps for one in step.ways])


def _row(label: str, one: Collected) -> list[str]:
    return [
        label,
        f"{one.size_bytes:,}",
        one.algorithm,
        format_us(one.elapsed_us),
        significant(one.times_best, 3),
        format_mbps(one.bus_mbps),
        str(len(one.by_launch_mbps)),
    ]


def library_table(steps: Sequence[CollectiveStep]) -> Table:
    """A row for each operation, number of nodes and size; none where no library was measured beside others."""
    by_run = groupby(steps, lambda one: (one.label.partition(" · ")[0], id(one.run)))
    rows = [
        _cost_row(name, cost)
        for (name, _), own in by_run
        for cost in library_costs([one for step in own for one in step.ways])
    ]
    return Table(_COST_HEADERS, rows)


def _cost_row(name: str, one: LibraryCost) -> list[str]:
    return [
        name,
        one.operation,
        str(one.nodes),
        f"{one.size_bytes:,}",
        format_us(one.library_us),
        one.best,
        format_us(one.best_us),
        ratio_text(one),
    ]


def ratio_text(one: LibraryCost) -> str:
    """The ratio with its interval, where there are launches enough for one."""
    ends = (
        f" [{significant(one.ratio.low, 3)}, {significant(one.ratio.high, 3)}]"
        if has_interval(one.launches)
        else ""
    )
    return significant(one.ratio.median, 3) + ends
