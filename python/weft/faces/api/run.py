"""A run from Python: its tables, its findings, its figures."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from weft.base.errors import RequestError
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.tables import Routes, Samples, Tables
from weft.faces.api.columns.text import Said
from weft.faces.api.diagnosis import Diagnosis
from weft.faces.api.figures import chosen, figures_of
from weft.faces.api.public.function import public
from weft.measure.execute.gate import side_effects_of_run
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import resume_run
from weft.runs.folder import RunFolder as StoredRun
from weft.runs.meta import RunMeta, Status, Warning
from weft.understand.curve.points import points
from weft.understand.curve.signature import Signature, signature
from weft.understand.ensemble.phases import PhaseResult, phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.explain.explain import explain
from weft.understand.host.evidence import evidence
from weft.understand.limits.diagnosis import diagnose
from weft.understand.summary.all_warnings import warnings_of
from weft.understand.summary.predictions import PredictionCheck, held
from weft.understand.summary.summary import summarise
from weft.understand.tables.every import tables_of
from weft.understand.tables.evidence import long_table
from weft.understand.tables.phases import phases_table
from weft.understand.tables.points import points_table

if TYPE_CHECKING:
    import altair

    from weft.understand.drawing.figure import Figure

T = TypeVar("T", bound=Table)

SHOWN = 6
"""Warnings and explanations that are printed."""


class Run(Said):
    """A run, in its folder or in memory, whole or cut short; made by `weft.run`, `weft.open` and `weft.simulate`.

    run = weft.open("runs/pair")
    run                              # what it found, in a few lines
    run.points.to_pandas()           # latency and throughput by message size
    run.plot()                       # the report's figure
    """

    def __init__(self, stored: StoredRun) -> None:
        self.stored = stored
        """The run as other modules of weft use it."""

    @property
    def folder(self) -> Path | None:
        """The folder; None for a run in memory."""
        return self.stored.directory if self.stored.in_memory is None else None

    @property
    def meta(self) -> RunMeta:
        """The content of run.json: plan, testbed, nodes, settings."""
        return self.stored.meta

    @property
    def status(self) -> Status:
        """ "complete", "partial" or "failed"."""
        return self.meta.status

    @property
    def nodes(self) -> list[str]:
        """The nodes' names, in the order of the indices `src` and `dst` of samples."""
        return [str(node["name"]) for node in self.meta.nodes]

    @cached_property
    def warnings(self) -> list[Warning]:
        """What is needed to interpret the results, as `weft show` says it: code, message, hint."""
        return warnings_of(self.stored)

    @cached_property
    def samples(self) -> Samples:
        """Every timed batch; raw, in ns and bytes."""
        return Samples(self.stored.samples)

    @cached_property
    def points(self) -> Table:
        """Latency (us) and throughput (Mb/s) at each message size, with intervals over launches."""
        return self._or_elsewhere(Table.of_results("Points", points_table(points(self.stored))))

    @cached_property
    def signature(self) -> Signature | None:
        """Latency, peak, half-power, knee and saturation size of a pair; None if no pair was measured."""
        return signature(self.stored)

    @cached_property
    def routes(self) -> Routes:
        """The rate (Mb/s) of each direction between two nodes."""
        return self._or_elsewhere(Routes.of(self.meta, self._rates))

    @cached_property
    def phases(self) -> Table:
        """Each phase: its duration (ms), its slowest route, and the total rate of all routes (Mb/s)."""
        return self._or_elsewhere(Table.of_results("Phases", phases_table(self._found_phases)))

    @cached_property
    def evidence(self) -> Table:
        """What hosts did meanwhile: processor time, interrupts, losses; no rows if nothing was recorded.

        `kind` is "measure" or "counter". The unit of a measure is in its name, such as "system_ns", per message.
        Counters are per message too, but gauges are values. `part` is the phase of the size, if there are several.
        Intervals are over launches.
        """
        return Table.of_results("Evidence", long_table(evidence(self.stored).points))

    @cached_property
    def tables(self) -> Tables:
        """Every table that `weft show` and the report have, by name: those above, and results of applications.

        Each field's metadata has the column's unit and its heading.
        """
        return Tables.of_results(tables_of(summarise(self.stored)))

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Limits, slow nodes, and explanations of the curve; `weft.diagnose` also compares with a declared fabric."""
        return Diagnosis(diagnose(self.stored), self.warnings)

    @cached_property
    def prediction(self) -> PredictionCheck | None:
        """The prediction made before the run, with what it measured; None if there was none (`weft.run`, predict)."""
        return held(self.stored)

    @cached_property
    def figures(self) -> list[str]:
        """The names that `plot` accepts."""
        return [figure.name for figure in self._figures]

    @public
    def plot(self, figure: str | None = None) -> altair.TopLevelMixin:
        """A figure of the report as an Altair chart: one of `figures`, or the most informative one.

        `run.plot("throughput").save("throughput.svg")`. Raises RequestError for an unknown figure.
        """
        return chosen(self._figures, figure)

    @public
    def resume(
        self, *, yes: bool = False, patience_s: float = 10.0, reporter: Reporter | None = None
    ) -> Run:
        """Measure what the run lacks, and return a new object; a complete run is not changed.

        `yes`: run the commands and change the settings that run.json names, if there are any. Raises RequestError for a
        run in memory, for a folder of another user, and if a command was not approved.
        """
        if self.folder is None:
            raise RequestError("a run in memory cannot be resumed", "simulate it again")
        approved = side_effects_of_run(self.folder) if yes else []
        return ended(resume_run(str(self.folder), reporter, patience_s, approved))

    def _or_elsewhere(self, table: T) -> T:
        """The table, which says where there are rows if it has none."""
        table.elsewhere = self._elsewhere
        return table

    def _elsewhere(self) -> str:
        filled = [f"run.{name}" for name in ("points", "routes", "phases") if getattr(self, name)]
        filled = filled or [f"run.tables[{name!r}]" for name in self.tables]
        return f"what this run measured is in {', '.join(filled)}" if filled else ""

    def lines(self) -> list[str]:
        """The findings: the report's verdict, explanations, and warnings."""
        return self._lines

    @cached_property
    def _lines(self) -> list[str]:
        from weft.understand.report.verdict import (  # takes long to import
            answer,
            doubts,
        )

        place = self.folder or "in memory"
        title = f"{self.meta.plan.name}, {place}, {self.status}"
        said = answer(self.stored)
        explained = [f"{one.text}." for one in explain(self.stored)[:SHOWN]]
        warned = [f"warning: {one.message} [{one.code}]" for one in self.warnings[:SHOWN]]
        return [*doubts(self.stored), title, *said, *explained, *warned]

    @cached_property
    def _found_phases(self) -> list[PhaseResult]:
        return phases(self.stored, self._rates)

    @cached_property
    def _rates(self) -> MedianRates:
        return MedianRates.of(self.stored)

    @cached_property
    def _figures(self) -> list[Figure]:
        return figures_of([self.stored])


class Interrupted(KeyboardInterrupt):
    """A run was interrupted: `run` has what was measured before, in its folder. `run.resume()` continues it."""

    def __init__(self, run: Run) -> None:
        super().__init__(
            f"{run.folder}: partial; continue it with weft.open({str(run.folder)!r}).resume()"
        )
        self.run = run


def ended(stored: StoredRun) -> Run:
    """A run that has just ended; raises Interrupted if the user ended it."""
    run = Run(stored)
    if run.meta.is_interrupted:
        raise Interrupted(run)
    return run


RunSource = Run | str | os.PathLike[str]
"""A run, or its folder."""


def opened(source: RunSource) -> Run:
    """A run, opened if a folder is given; raises RequestError if it is not a run folder."""
    return source if isinstance(source, Run) else Run(StoredRun.open(source))
