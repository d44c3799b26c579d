"""The collectives of runs as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from weft.diagnosis.activities import activities
from weft.diagnosis.collectives import Collected, collectives
from weft.diagnosis.library_cost import library_costs
from weft.diagnosis.tables.collectives import collectives_table, library_table
from weft.report.table import PageTable
from weft.runs.folder import Run
from weft.table import ResultTable


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


def collective_rows(steps: Sequence[CollectiveStep]) -> PageTable:
    """A row for each algorithm at each size."""
    return PageTable.of(
        ResultTable.joined([(one.label, collectives_table(one.ways)) for one in steps])
    )


def library_rows(steps: Sequence[CollectiveStep]) -> PageTable:
    """A row for each operation, number of nodes and size; none where no library was measured beside others."""
    by_run = groupby(steps, lambda one: (one.label.partition(" · ")[0], id(one.run)))
    costs = [
        (name, library_costs([one for step in own for one in step.ways]))
        for (name, _), own in by_run
    ]
    return PageTable.of(ResultTable.joined([(name, library_table(one)) for name, one in costs]))
