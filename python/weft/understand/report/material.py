"""The results from which the page and its figures are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.base.table import ResultTable
from weft.knobs.recommendation import Recommendation
from weft.runs.folder import RunFolder
from weft.understand.advice.advise import recommendations
from weft.understand.kinds.every import KINDS
from weft.understand.kinds.kind import ApplicationStep, R, ResultKind
from weft.understand.report.applications import (
    ApplicationSection,
    application_steps,
)
from weft.understand.report.ensemble import EnsembleRun, ensembles_of
from weft.understand.report.series import CurveSeries, run_names, series_of
from weft.understand.report.steps import (
    Inside,
    insides_of,
)
from weft.understand.report.table import PageTable
from weft.understand.studies.find import studies
from weft.understand.studies.study import SettingStudy
from weft.understand.summary.predictions import PredictionCheck, held
from weft.understand.tables.predictions import held_table
from weft.understand.tables.signature import signatures_table


@dataclass(frozen=True)
class ReportMaterial:
    """The runs of one report, with their results."""

    runs: Sequence[RunFolder]

    @cached_property
    def names(self) -> list[str]:
        """The name of each run in this report."""
        return run_names([run.directory for run in self.runs])

    @cached_property
    def series(self) -> list[CurveSeries]:
        """The curves of all runs."""
        return series_of(self.runs)

    @property
    def signatures_table(self) -> PageTable:
        """The signatures of all curves, a row each."""
        tables = [(one.label, signatures_table([one.signature])) for one in self.series]
        return PageTable.of(ResultTable.joined(tables))

    @cached_property
    def recommendations(self) -> list[tuple[str, list[Recommendation]]]:
        """The changes that each run's evidence suggests, with the run's name; runs without any are left out."""
        found = []
        for name, run in zip(self.names, self.runs, strict=True):
            own = [one for one in self.series if one.run is run]
            explained = [each for one in own for each in one.explanations]
            changes = [each for one in own for each in one.thresholds]
            found.append((name, recommendations(run, explained, changes) if own else []))
        return [(name, several) for name, several in found if several]

    @cached_property
    def ensembles(self) -> list[EnsembleRun]:
        """The runs with measurements between many nodes."""
        return ensembles_of(self.names, self.runs)

    @cached_property
    def insides(self) -> list[Inside]:
        """The runs that record the insides of their nodes."""
        return insides_of(self.names, self.runs)

    @cached_property
    def studies(self) -> list[tuple[str, SettingStudy]]:
        """The studies of settings, each with its run's name."""
        named = zip(self.names, self.runs, strict=True)
        return [(name, one) for name, run in named for one in studies(run)]

    @cached_property
    def applications(self) -> list[ApplicationStep]:
        """The steps of applications, by kind."""
        return application_steps(self.names, self.runs)

    def of_kind(self, kind: ResultKind[R]) -> list[ApplicationStep]:
        """The steps of one kind."""
        return [one for one in self.applications if one.kind is kind]

    @property
    def sections(self) -> list[ApplicationSection]:
        """A section of the page for each kind that was measured."""
        found = [ApplicationSection(kind, self.of_kind(kind)) for kind in KINDS]
        return [one for one in found if one.steps]

    @property
    def run_tables(self) -> list[tuple[str, ResultTable, PageTable]]:
        """What kinds say of whole runs, each with its run's name, and as the page shows it."""
        return [
            (name, table, PageTable.of(table))
            for kind in KINDS
            if kind.of_run
            for name, run in zip(self.names, self.runs, strict=True)
            for table in kind.tables(kind.results(run), run.meta).values()
        ]

    @cached_property
    def predictions(self) -> list[tuple[str, PredictionCheck]]:
        """The predictions of runs with their measurements, each with its run's name."""
        named = ((name, held(run)) for name, run in zip(self.names, self.runs, strict=True))
        return [(name, found) for name, found in named if found]

    @property
    def prediction_tables(self) -> list[tuple[str, PageTable, Sequence[str]]]:
        """The predictions as tables, each with its run's name and the remarks on its sources."""
        tables = [(name, held_table(found)) for name, found in self.predictions]
        return [(name, PageTable.of(table), table.remarks) for name, table in tables]

    @cached_property
    def labels(self) -> list[str]:
        """The labels in the legend; the position of each determines its colour."""
        steps = [step.label for one in self.ensembles for step in one.steps]
        curves = [one.label for one in self.series]
        others = [one.label for one in self.applications if one.kind.has_colour]
        return list(dict.fromkeys([*curves, *steps, *others]))
