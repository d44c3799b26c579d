"""The steps of applications as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.understand.kinds.every import KINDS
from weft.understand.kinds.kind import ResultKind
from weft.understand.report.table import PageTable, capital


@dataclass(frozen=True)
class ApplicationStep:
    """One step of one run, with a unique label: the names of run and step."""

    run_name: str
    name: str
    run: RunFolder
    kind: ResultKind[Any]
    results: Sequence[Any]

    @property
    def label(self) -> str:
        """The names of run and step, or only that of the run if it suffices."""
        return " · ".join(filter(None, (self.run_name, self.name)))

    @property
    def clause(self) -> str:
        """The results as a clause; empty if the kind has none."""
        return self.kind.clause(self.results) if self.kind.clause else ""

    @property
    def details(self) -> list[str]:
        """Further sentences about the results."""
        return self.kind.details(self.results) if self.kind.details else []

    @property
    def tables(self) -> list[ResultTable]:
        """The tables that have rows; the first has a row for each result."""
        found = self.kind.tables(self.results, self.run.meta).values()
        return [one for one in found if one.rows]

    @property
    def page_tables(self) -> list[PageTable]:
        """The tables in the form of a page."""
        return [PageTable.of(one) for one in self.tables]


def application_steps(names: Sequence[str], runs: Sequence[RunFolder]) -> list[ApplicationStep]:
    """The steps of all runs, by kind, then in the order of the runs."""
    return [
        ApplicationStep(run_name, name, run, kind, results)
        for kind in KINDS
        for run_name, run in zip(names, runs, strict=True)
        for name, results in kind.named(kind.results(run), run.meta)
    ]


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

    def _of_runs(self) -> Iterator[tuple[str, dict[str, ResultTable]]]:
        for (name, _), own in groupby(self.steps, lambda one: (one.run_name, id(one.run))):
            steps = list(own)
            results = [each for one in steps for each in one.results]
            yield name, self.kind.tables(results, steps[0].run.meta)
