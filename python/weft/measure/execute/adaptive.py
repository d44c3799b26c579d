"""A step whose phases are chosen while it runs, by what has been measured so far."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from weft.measure.execute.crew import Crew
from weft.measure.execute.ensemble.ensemble import EnsembleEngine
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.mpi.ensemble import MpiEnsemble
from weft.measure.execute.progress import StepProgress
from weft.plan.phases import Phase
from weft.plan.plan import Step
from weft.runs.experiment import PhaseSpec


class Chooser(Protocol):
    """Decides what a step measures next. `samples` are always those of the whole run so far."""

    def settle(self, samples: pa.Table) -> Step:
        """The step with options and sizes chosen from what earlier steps measured."""

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        """The phases to run next, in order, without the lost nodes; empty when the search is finished."""

    @property
    def summary(self) -> str:
        """Why the search stopped, as text for the user."""


@dataclass
class AdaptiveStep:
    """Runs the phases that a chooser asks for, until it asks for none. A resumed step continues where it stopped."""

    _ensemble: EnsembleEngine | MpiEnsemble
    _chooser: Chooser
    _logbook: Logbook
    _progress: StepProgress
    _budget_s: float

    def __post_init__(self) -> None:
        logbook = self._logbook
        self._before_s = elapsed_s(logbook.writer.samples, logbook.step, logbook.launch)
        self._began_s = time.monotonic()

    async def run(self, crew: Crew, left: list[Phase]) -> None:
        """Run all phases: first those in `left`, which were chosen before an interruption, then newly chosen ones."""
        await self._ensemble.run(left)
        while specs := self._choose(crew):
            self._progress.grow(len(specs))
            phases = [record_choice(self._logbook, spec) for spec in specs]
            self._logbook.writer.sync()
            await self._ensemble.run(phases)
        if self._elapsed_s() >= self._budget_s:
            self._logbook.meta.warn(
                "time-was-up",
                f"{self._logbook.step_name}: {self._chooser.summary}",
                "give the step more `time`",
            )

    def _choose(self, crew: Crew) -> list[PhaseSpec]:
        samples = self._logbook.writer.samples
        return self._chooser.next_phases(samples, set(crew.lost), self._elapsed_s())

    def _elapsed_s(self) -> float:
        return self._before_s + time.monotonic() - self._began_s


def record_choice(logbook: Logbook, spec: PhaseSpec) -> Phase:
    """Number a phase and write it to the run before it is measured."""
    chosen = logbook.meta.chosen(logbook.step, logbook.launch)
    index = chosen[-1]["phase"] + 1 if chosen else 0
    network = logbook.meta.plan.steps[logbook.step].on_network
    transfers = tuple(replace(one, network=network) for one in spec.transfers)
    phase = Phase(index, spec.size_bytes, "stream", transfers, stop=spec.stop)
    logbook.phase_chosen(phase, spec.experiments)
    return phase


def chosen_phases(logbook: Logbook) -> list[Phase]:
    """The phases chosen for a step so far, in the form that an ensemble runs."""
    return [
        msgspec.convert({"index": one["phase"], "work": "stream", **one}, Phase)
        for one in logbook.meta.chosen(logbook.step, logbook.launch)
    ]


def elapsed_s(samples: pa.Table, step: int, launch: int) -> float:
    """Seconds that a step took before the run was resumed, computed from its samples."""
    rows = samples.filter((pc.field("step") == step) & (pc.field("launch") == launch))
    if not rows.num_rows:
        return 0.0
    ends = pc.add(rows["start_ns"], rows["elapsed_ns"])
    span_ns: int = pc.subtract(pc.max(ends), pc.min(rows["start_ns"])).as_py()
    return span_ns / 1e9
