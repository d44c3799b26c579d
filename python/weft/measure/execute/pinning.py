"""Bisects jumps of a pair's curve within a launch: batches follow from the samples, and are recorded before they
run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from weft.measure.execute.logbook import Logbook
from weft.measure.execute.progress import StepProgress
from weft.measure.testbed.agent.request import ChosenBatch
from weft.plan.phases import expand
from weft.plan.plan import CountRule, to_data
from weft.runs.folder import RunFolder
from weft.runs.missing import measured_phases
from weft.runs.records.records import ChosenPhase
from weft.understand.curve.curve import curves
from weft.understand.curve.pinning import Jump, SizeTrial, jumps, next_trials


@dataclass
class JumpSearch:
    """Chooses what a step and launch measure after its planned phases."""

    logbook: Logbook
    progress: StepProgress
    _jumps: list[Jump] | None = None

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to measure, which needs a connection."""
        return bool(self._left() or self._trials())

    def next_batches(self) -> list[ChosenBatch]:
        """Batches of phases that were recorded but not measured, or of new ones; empty when all is decided."""
        phases = self._left() or self._chosen()
        return [one for trial in _by_trial(phases) for one in _rounds(trial)]

    def _left(self) -> list[ChosenPhase]:
        log = self.logbook
        have = measured_phases(log.writer.samples, log.step, log.launch)
        return [one for one in log.meta.chosen(log.step, log.launch) if one["phase"] not in have]

    def _chosen(self) -> list[ChosenPhase]:
        phases: list[ChosenPhase] = []
        for trial in self._trials():
            recorded = self._recorded(trial)
            self.logbook.meta.phases += recorded
            phases += recorded
        if phases:
            self.progress.grow(len(phases))
            self.logbook.writer.sync()
        return phases

    def _trials(self) -> list[SizeTrial]:
        """The next trials of jumps; empty before the last launch that goes through all sizes."""
        log = self.logbook
        if not log.meta.plan.steps[log.step].pin_ns or log.launch < log.meta.plan.pilots - 1:
            return []
        run = RunFolder(log.writer.directory, log.meta, log.writer.samples)
        if self._jumps is None:
            pilots = [one for one in curves(run) if one.step == log.step]
            self._jumps = [jump for pilot in pilots for jump in jumps(pilot)]
        return next_trials(run, log.step, self._jumps, log.launch)

    def _recorded(self, trial: SizeTrial) -> list[ChosenPhase]:
        """Record a phase for each size of a trial, numbered after the existing ones."""
        log = self.logbook
        step = log.meta.plan.steps[log.step]
        planned = expand(step, len(log.meta.nodes))
        first = max(
            [len(planned), *(one["phase"] + 1 for one in log.meta.chosen(log.step, log.launch))]
        )
        stop = CountRule(repeats=trial.messages, trials=trial.rounds)
        return [
            ChosenPhase(
                step=log.step,
                launch=log.launch,
                phase=first + place,
                purpose=str(trial),
                bisects={
                    "start": list(trial.jump.start),
                    "role": trial.role,
                    "sizes": list(trial.sizes),
                },
                size_bytes=size,
                stop=to_data(stop),
                transfers=to_data([replace(one, bytes=size) for one in planned[0].transfers]),
            )
            for place, size in enumerate(trial.sizes)
        ]


def _by_trial(phases: list[ChosenPhase]) -> Iterator[list[ChosenPhase]]:
    """Consecutive phases grouped by trial, one phase for each size."""
    while phases:
        count = len(phases[0]["bisects"]["sizes"])
        yield phases[:count]
        phases = phases[count:]


def _rounds(trial: list[ChosenPhase]) -> Iterator[ChosenBatch]:
    """Rounds with one batch of each size, in random order."""
    stop = trial[0]["stop"]
    for number in range(stop["trials"]):
        for one in random.sample(trial, len(trial)):
            yield ChosenBatch(one["phase"], number, one["size_bytes"], stop["repeats"])
