"""Decides what the next launch measures: what the plan says, or the sizes whose precision goal is not met."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import pyarrow.compute as pc
from msgspec.structs import asdict, replace

from weft.base.errors import WorkError
from weft.base.sequential import LOOKS, next_look
from weft.measure.execute.adaptive import elapsed_s
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.agent.request import PlannedBatches
from weft.plan.phases import expand
from weft.plan.plan import Goal, Step, TimeRule
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.missing import MissingStep, measured_phases, missing_steps
from weft.runs.records.goal_records import Ratio, Stop
from weft.understand.curve.curve import Curve, PairBatches, curves
from weft.understand.curve.drift import Drift, drift
from weft.understand.curve.earlier import recorded_run
from weft.understand.curve.goal import SizeDecision, decisions
from weft.understand.curve.repetition import batches_worth
from weft.understand.host.disturbed import disturbed_launches, is_repeatable, wants_another

LAUNCH_NS = 25e6
"""Least overhead of a launch between two nodes (processes and connections); the sizes of a launch share it."""
MOST_MESSAGES = 2**31 - 1
WARM_UP_NS = 2e6
"""Messages longer than this need no warm-up: cold caches and small windows are a small part of their time."""
WARM_UP_SHARE = 16
"""Shorter messages: one n-th of a batch is sent first as warm-up."""
MOST_WARM_UP = 20


@dataclass(frozen=True)
class _Seen:
    """Results of a step at an interim look, or after the first launch."""

    curve: Curve
    batches: PairBatches


class Agenda:
    """Gives what a run still lacks, launch by launch.

    Decisions depend on the samples alone. Interim looks come after the same numbers of launches whether or not the run
    was interrupted, so the error probability is not spent twice.
    """

    def __init__(self, writer: RunWriter, progress: Reporter) -> None:
        self._writer = writer
        self._meta = writer.meta
        self._progress = progress
        against = self._meta.against
        self._earlier = recorded_run(against, self._meta.plan) if against else None
        self._began_s = time.monotonic()
        self._before_s = self._measured_s()
        missing = missing_steps(writer.meta, writer.samples)
        self.phases = sum(len(one.phases) for one in missing)
        self._planned = [
            [one for one in missing if one.launch == launch]
            for launch in sorted({one.launch for one in missing})
        ]
        self._number = -1
        self._seen: dict[tuple[int, int], _Seen] = {}

    def next(self) -> list[MissingStep]:
        """The steps of the next launch; none when the run is over."""
        steps = self._planned.pop(0) if self._planned else self._again()
        steps = steps or list(self._beyond_plan())
        if steps:
            self._number = steps[0].launch
        return [self._known_to_have(one) for one in steps]

    def _known_to_have(self, missing: MissingStep) -> MissingStep:
        """In a step with a goal, later launches measure only the sizes that the first launch reached."""
        step = self._meta.plan.steps[missing.step]
        if not step.goal or [missing.step, 0] not in self._meta.done:
            return missing
        there = measured_phases(self._writer.samples, missing.step, 0)
        phases = [phase for phase in missing.phases if phase in there]
        return MissingStep(missing.step, missing.launch, phases)

    def step(self, missing: MissingStep) -> Step:
        """A step as the next launch carries it out."""
        step = self._meta.plan.steps[missing.step]
        return step.paced(len(expand(step, len(self._meta.nodes))), LOOKS[0])

    def known(self, missing: MissingStep) -> tuple[PlannedBatches, ...]:
        """The phases of a launch with message and batch counts derived from earlier launches; empty for the first
        launch.

        Their order is random, but no phase follows one of more than twice its size, because a connection remembers
        large messages.
        """
        step, done = self.step(missing), self._launches_done(missing.step)
        if not step.goal or not done or not isinstance(step.stop, TimeRule):
            return ()
        look = max((look for look in LOOKS if look <= len(done)), default=1)
        seen = self._seen_of(missing.step, done[:look])
        rows = {int(phase): row for row, phase in enumerate(seen.curve.phases)}
        phases = [phase for phase in missing.phases if phase in rows]
        sizes = seen.curve.sizes
        phases.sort(key=lambda phase: math.log2(sizes[rows[phase]]) + random.random())
        launch_ns = self._launch_ns(done)
        share_ns = launch_ns / max(1, len(phases))
        wanted = [_wanted(step, step.stop, seen, rows[phase], share_ns) for phase in phases]
        return _within(wanted, self._left_ns(step.goal, len(done)) - launch_ns)

    def _launch_ns(self, done: list[int]) -> float:
        """Mean overhead of a launch so far without its batches, in ns; an mpirun has more overhead than agents."""
        batches_ns = pc.sum(self._writer.samples["elapsed_ns"]).as_py() or 0
        return max(LAUNCH_NS, (self._elapsed_s() * 1e9 - batches_ns) / len(done))

    def _left_ns(self, goal: Goal, done: int) -> float:
        """The time in ns that the next launch may take, so that the next interim look is reached within the time
        limit."""
        look = next_look(done) or done + 1
        return (goal.time_ns - self._elapsed_s() * 1e9) / (look - done)

    def stops(self) -> list[Stop]:
        """For each size of the steps with a goal, why its measurement stopped when it did."""
        return [
            Stop(
                step=index,
                phase=one.phase,
                size_bytes=one.size_bytes,
                launches=one.launches,
                reason=one.reason or self._why(goal, one.launches),
                width=one.width,
                needed=one.needed,
                ratio=cast(Ratio, asdict(one.ratio)) if one.ratio else None,
            )
            for index, goal in self._goals()
            for one in self._final_decisions(index, goal)
        ]

    @property
    def is_open(self) -> bool:
        """Whether the run was interrupted before all sizes were known precisely enough."""
        return any(one["reason"] == "interrupted" for one in self._meta.stops)

    def excuses(self, error: WorkError) -> bool:
        """Whether a launch may fail with this error: never."""
        return False

    def finish(self) -> None:
        """Record why the measurement of each size stopped when it did."""
        self._meta.stops = self.stops()

    def _final_decisions(self, index: int, goal: Goal) -> list[SizeDecision]:
        """The decisions at the end of the run; empty if no launch measured the step."""
        curve = self._final_curve(index)
        return self._decisions(curve, goal) if curve else []

    def _decisions(self, curve: Curve, goal: Goal) -> list[SizeDecision]:
        earlier = self._earlier.of_step(curve.step) if self._earlier else None
        return list(decisions(curve, goal, earlier))

    def _final_curve(self, index: int) -> Curve | None:
        run = RunFolder(self._writer.directory, self._meta, self._writer.samples)
        return next((one for one in curves(run) if one.step == index), None)

    def drifts(self) -> Iterator[tuple[Step, Drift]]:
        """The steps with a goal whose times changed from launch to launch."""
        for index, _ in self._goals():
            curve = self._final_curve(index)
            if curve and (found := drift(curve.times_us)):
                yield self._meta.plan.steps[index], found

    def _why(self, goal: Goal, launches: int) -> Literal["time", "launches", "interrupted"]:
        if launches >= min(self._meta.plan.launches, LOOKS[-1]):
            return "launches"
        return "time" if self._is_late(goal) else "interrupted"

    def _goals(self) -> Iterator[tuple[int, Goal]]:
        for index, step in enumerate(self._meta.plan.steps):
            if step.goal:
                yield index, step.goal

    def _again(self) -> list[MissingStep]:
        """All steps once more, to replace a disturbed launch; empty if that is not wanted or the time is over."""
        if not wants_another(self._meta) or any(self._is_late(goal) for _, goal in self._goals()):
            return []
        number, count = self._next_number(), len(self._meta.nodes)
        found = [
            MissingStep(index, number, [phase.index for phase in expand(step, count)])
            for index, step in enumerate(self._meta.plan.steps)
        ]
        self._progress.grow(sum(len(one.phases) for one in found))
        return found

    def _next_number(self) -> int:
        begun = pc.max(self._writer.samples["launch"]).as_py() or 0
        return max(self._number, begun) + 1

    def _beyond_plan(self) -> Iterator[MissingStep]:
        """The phases that are not yet known precisely enough, while there is time."""
        number = self._next_number()
        for index, goal in self._goals():
            done = self._launches_done(index)
            is_open = LOOKS[0] <= len(done) < min(self._meta.plan.launches, LOOKS[-1])
            if not is_open or self._is_late(goal):
                continue
            look = max(look for look in LOOKS if look <= len(done))
            last = measured_phases(self._writer.samples, index, done[look - 1])
            known = self._decisions(self._seen_of(index, done[:look]).curve, goal)
            phases = sorted(last - {one.phase for one in known if one.reason})
            if phases:
                self._progress.grow(len(phases))
                yield MissingStep(index, number, phases)

    def _launches_done(self, index: int) -> list[int]:
        """Launches in which a step ran to its end, without those known to be disturbed."""
        disturbed = disturbed_launches(self._meta) if is_repeatable(self._meta.plan) else set()
        done = {launch for step, launch in self._meta.done if step == index}
        return sorted(done - disturbed)

    def _seen_of(self, index: int, launches: list[int]) -> _Seen:
        """Results of a step from these launches."""
        key = index, len(launches)
        if key not in self._seen:
            rows = (pc.field("step") == index) & pc.field("launch").isin(launches)
            run = RunFolder(self._writer.directory, self._meta, self._writer.samples.filter(rows))
            self._seen[key] = _Seen(curves(run)[0], PairBatches.of(run))
        return self._seen[key]

    def _measured_s(self) -> float:
        """Seconds that the steps with a goal took before the run was resumed."""
        samples = self._writer.samples
        return sum(
            elapsed_s(samples, step, launch)
            for step, launch in self._meta.done
            if self._meta.plan.steps[step].goal
        )

    def _is_late(self, goal: Goal) -> bool:
        return self._elapsed_s() >= goal.time_ns / 1e9

    def _elapsed_s(self) -> float:
        return self._before_s + time.monotonic() - self._began_s


@dataclass(frozen=True)
class _Wanted:
    """How a phase is measured, and the duration of a batch."""

    known: PlannedBatches
    batch_ns: float

    def shortened(self, share: float) -> PlannedBatches:
        return replace(self.known, batches=max(1, int(self.known.batches * share)))


def _wanted(step: Step, stop: TimeRule, seen: _Seen, row: int, launch_ns: float) -> _Wanted:
    """As many messages as one trial needs, and as many batches as are worth a share of `launch_ns` of overhead."""
    message_ns = float(seen.curve.middle_us[row]) * 1e3 * step.crossings
    messages = min(max(int(stop.trial_ns / message_ns), stop.at_least), MOST_MESSAGES)
    batch_ns = messages * message_ns
    mine = (seen.batches.phase == seen.curve.phases[row]).nonzero()[0]
    worth = batches_worth(
        seen.batches.time_us[mine], seen.batches.launch[mine], launch_ns, batch_ns
    )
    usual = math.ceil(stop.trials * min(1.0, stop.trial_ns / batch_ns))
    phase, warm_up = int(seen.curve.phases[row]), _warm_up(messages, message_ns)
    return _Wanted(PlannedBatches(phase, messages, worth or usual, warm_up), batch_ns)


def _warm_up(messages: int, message_ns: float) -> int:
    """The number of untimed messages before a batch."""
    if message_ns >= WARM_UP_NS:
        return 0
    return min(max(messages // WARM_UP_SHARE, 1), MOST_WARM_UP)


def _within(wanted: list[_Wanted], left_ns: float) -> tuple[PlannedBatches, ...]:
    """Reduce the numbers of batches if all together would exceed the time left."""
    needed_ns = sum(one.known.batches * one.batch_ns for one in wanted)
    share = min(1.0, max(0.0, left_ns / needed_ns)) if needed_ns else 1.0
    return tuple(one.shortened(share) for one in wanted)
