"""A run from Python: its tables, its finding, its figures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from weft.base.errors import RequestError
from weft.base.quantity import format_mbps, format_us
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.tables import Routes, Samples, Tables
from weft.faces.api.columns.text import Said
from weft.faces.api.diagnosis import Diagnosis
from weft.faces.api.figures import chosen, figures_of
from weft.measure.execute.gate import deeds_of_run
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import resume_run
from weft.runs.folder import RunFolder as StoredRun
from weft.runs.meta import RunMeta, Status, Warning
from weft.understand.curve.points import points
from weft.understand.curve.signature import Signature, signature
from weft.understand.ensemble.phases import PhaseResult, overall_mbps, phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.explain.explain import explain
from weft.understand.host.evidence import evidence
from weft.understand.limits.diagnosis import diagnose
from weft.understand.summary.predictions import Held, held
from weft.understand.summary.summary import summarise
from weft.understand.tables.every import tables_of
from weft.understand.tables.evidence import long_table
from weft.understand.tables.phases import phases_table
from weft.understand.tables.points import points_table

if TYPE_CHECKING:
    import altair

    from weft.understand.drawing.figure import Figure

SHOWN = 6
"""So many warnings and explanations are printed."""


class Run(Said):
    """A run, in its folder or in memory, whole or cut short; made by `weft.run`, `weft.open` and `weft.simulate`.

    run = weft.open("runs/pair")
    run                              # what it found, in a few lines
    run.points.to_pandas()           # latency and throughput by message size
    run.plot()                       # the report's figure
    """

    def __init__(self, stored: StoredRun) -> None:
        self.stored = stored
        """The run as the other modules of weft take it."""

    @property
    def folder(self) -> Path | None:
        """Where it is; None for a run in memory."""
        return self.stored.directory if self.stored.in_memory is None else None

    @property
    def meta(self) -> RunMeta:
        """What run.json says: plan, testbed, nodes, settings."""
        return self.stored.meta

    @property
    def status(self) -> Status:
        """ "complete", "partial" or "failed"."""
        return self.meta.status

    @property
    def nodes(self) -> list[str]:
        """The nodes' names, in the order that `src` and `dst` of samples count in."""
        return [str(node["name"]) for node in self.meta.nodes]

    @property
    def warnings(self) -> list[Warning]:
        """What is needed to interpret the results: code, message, hint."""
        return self.meta.warnings

    @cached_property
    def samples(self) -> Samples:
        """Every timed batch; raw, in ns and bytes."""
        return Samples(self.stored.samples)

    @cached_property
    def points(self) -> Table:
        """Latency (us) and throughput (Mb/s) at each message size, with intervals over launches."""
        return Table.of_results("Points", points_table(points(self.stored)))

    @cached_property
    def signature(self) -> Signature | None:
        """Latency, peak, half-power, knee and saturation size of a pair; None where no pair was measured."""
        return signature(self.stored)

    @cached_property
    def routes(self) -> Routes:
        """The rate (Mb/s) of each direction between two nodes."""
        return Routes.of(self.meta, self._rates)

    @cached_property
    def phases(self) -> Table:
        """Each phase: how long it took (ms), its slowest route, what all routes carried (Mb/s)."""
        return Table.of_results("Phases", phases_table(self._found_phases))

    @cached_property
    def evidence(self) -> Table:
        """What hosts did meanwhile: processor time, interrupts, losses; no rows where nothing was recorded.

        `kind` is "measure" or "counter". The unit of a measure is in its name, such as "system_ns" of one message.
        Counters are those of one message too, and of gauges the value. `part` says which phase of the size it is, where
        several are. An interval is over launches.
        """
        return Table.of_results("Evidence", long_table(evidence(self.stored).points))

    @cached_property
    def tables(self) -> Tables:
        """Every table that `weft show` and the report have of it, by name: those above, and what applications came to.

        Each column's field has its unit and the heading that people read in its metadata.
        """
        return Tables.of_results(tables_of(summarise(self.stored)))

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Limits, slow nodes, and what explains the curve; `weft.diagnose` compares with a declared fabric too."""
        return Diagnosis(diagnose(self.stored))

    @cached_property
    def prediction(self) -> Held | None:
        """What was predicted before the run beside what it measured; None where nothing was (`weft.run`, predict)."""
        return held(self.stored)

    @cached_property
    def figures(self) -> list[str]:
        """The names that `plot` takes."""
        return [figure.name for figure in self._figures]

    def plot(self, figure: str | None = None) -> altair.TopLevelMixin:
        """A figure of the report as an Altair chart: one of `figures`, or the most telling one.

        `run.plot("throughput").save("throughput.svg")`. Raises RequestError where there is no such figure.
        """
        return chosen(self._figures, figure)

    def resume(
        self, *, yes: bool = False, patience_s: float = 10.0, reporter: Reporter | None = None
    ) -> Run:
        """Measure what the run lacks, and return it anew; a complete run stays as it is.

        `yes`: run the commands and change the settings that run.json names, where there are such. Raises RequestError
        for a run in memory, for a folder of another user, and where a command was not agreed to.
        """
        if self.folder is None:
            raise RequestError("a run in memory cannot be resumed", "simulate it again")
        approved = deeds_of_run(self.folder) if yes else []
        return ended(resume_run(str(self.folder), reporter, patience_s, approved))

    def lines(self) -> list[str]:
        """What it found: the report's verdict, what explains it, and the warnings."""
        return self._lines

    @cached_property
    def _lines(self) -> list[str]:
        from weft.understand.report.verdict import (  # takes long to import
            disturbed_sentence,
            verdict,
        )

        place = self.folder or "in memory"
        title = f"{self.meta.plan.name}, {place}, {self.status}"
        said = verdict(self.stored).splitlines()
        explained = [f"{one.text}." for one in explain(self.stored)[:SHOWN]]
        said_of_it = self.prediction.warnings if self.prediction else []
        warnings = [*said_of_it, *self.warnings][:SHOWN]
        warned = [f"warning: {one.message} [{one.code}]" for one in warnings]
        doubt = filter(None, [disturbed_sentence(self.stored)])
        return [*doubt, title, *said, *self._phase_lines(), *explained, *warned]

    def _phase_lines(self) -> Iterator[str]:
        """Of each step between many nodes: how long its phases took, and what each route got."""
        for step, planned in enumerate(self.meta.plan.steps):
            mine = [one for one in self._found_phases if one.step == step]
            if mine and planned.is_ensemble and not planned.measures_latency:
                slowest = min(mine, key=lambda one: one.rate_mbps)
                took = format_us(1e3 * sum(one.elapsed_ms for one in mine))
                yield (
                    f"{planned.name}: {len(mine):,} phases took {took}, each route gets "
                    f"{format_mbps(overall_mbps(mine))}; the slowest is {' to '.join(slowest.slowest)} with "
                    f"{format_mbps(slowest.rate_mbps)}"
                )

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
    """A run was interrupted: `run` is what was measured before, in its folder. `run.resume()` continues it."""

    def __init__(self, run: Run) -> None:
        super().__init__(
            f"{run.folder}: partial; continue it with weft.open({str(run.folder)!r}).resume()"
        )
        self.run = run


def ended(stored: StoredRun) -> Run:
    """A run that has just ended; raises Interrupted where a user ended it."""
    run = Run(stored)
    if run.meta.is_interrupted:
        raise Interrupted(run)
    return run


RunSource = Run | str | os.PathLike[str]
"""A run, or its folder."""


def opened(source: RunSource) -> Run:
    """A run, opened where it is a folder's name; raises RequestError where it is no run folder."""
    return source if isinstance(source, Run) else Run(StoredRun.open(source))
