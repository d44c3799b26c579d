"""The steps of applications as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.understand.kinds.every import KINDS
from weft.understand.kinds.kind import ApplicationStep, ResultKind
from weft.understand.report.table import PageTable, capital


def application_steps(names: Sequence[str], runs: Sequence[RunFolder]) -> list[ApplicationStep]:
    """The steps of all runs, by kind, then in the order of the runs; a step has a general kind only if it has no
    other."""
    found = [
        ApplicationStep(run_name, name, run, kind, results)
        for kind in KINDS
        if not kind.of_run
        for run_name, run in zip(names, runs, strict=True)
        for name, results in kind.named(kind.results(run), run.meta)
    ]
    special = {one.place for one in found if not one.kind.is_general}
    return [one for one in found if not one.kind.is_general or one.place not in special]


@dataclass(frozen=True)
class ApplicationSection:
    """The section of the page for the steps of a kind."""

    kind: ResultKind[Any]
    steps: Sequence[ApplicationStep]

    @property
    def tables(self) -> list[tuple[str, PageTable, str]]:
        """Title, table and note: first the results of all steps, then the other tables with a part for each run."""
        of_runs = list(self._of_runs())
        main, *others = of_runs[0][1]
        found = {main: [(one.label, one.tables[0]) for one in self.steps]}
        found |= {other: [(name, tables[other]) for name, tables in of_runs] for other in others}
        joined = {name: ResultTable.joined(several) for name, several in found.items()}
        return [
            (capital(found[name][0][1].title), PageTable.of(table), self.kind.notes.get(name, ""))
            for name, table in joined.items()
            if table.rows
        ]

    @property
    def folded_tables(self) -> list[tuple[ApplicationStep, list[PageTable]]]:
        """The tables of each step."""
        return [(step, [PageTable.of(one) for one in step.tables]) for step in self.steps]

    def _of_runs(self) -> Iterator[tuple[str, dict[str, ResultTable]]]:
        for (name, _), own in groupby(self.steps, lambda one: (one.run_name, id(one.run))):
            steps = list(own)
            results = [each for one in steps for each in one.results]
            yield name, self.kind.tables(results, steps[0].run.meta)
