"""Where the jumps of a curve are, to the byte: bisected during the run, and recomputed from its samples afterwards.

The pilot locates a jump between two sizes. A trial compares two sizes, or a third one with both, in rounds: a batch of
each in random order, so that drift and modes affect all alike. A round is a vote on whether the time is above the
midpoint between both sides of the jump. A sign test, whose error over all looks is known for any distribution, decides
the majority. Everything here is a function of the pilot and the votes so far: during a run it chooses what to measure
next, and afterwards it gives the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.sequential import LOOKS, interval, ranks, side
from weft.base.statistics import Floats
from weft.network.model.thresholds import ThresholdCandidate, candidates
from weft.plan.plan import CONFIRMING_LAUNCHES
from weft.runs.folder import RunFolder
from weft.runs.records.records import Role
from weft.understand.curve.curve import Curve
from weft.understand.curve.pin_rounds import NOTHING, JumpRounds, rounds_of

SURE = 0.99
"""The probability that all bisecting decisions of all jumps of a step are right."""
CONFIRM_ERROR = 0.01
"""The error probability of deciding whether a jump reappears in another launch."""
CONFIRM_SHARE = 0.25
"""The share of a jump's bisection time that may be spent on confirming it."""
BATCH_NS = (50_000, 200_000)
"""The duration of a batch, at a high jump and at one of at most LOW_JUMP; longer if one message takes longer."""
LOW_JUMP = 0.1
"""A log height. Noise falls with the root of the messages, so those needed fall with the square of the height."""

State = Literal["confirmed", "pinned", "open", "absent", "refuted"]
"""Confirmed: found to the byte, and again in other launches. Pinned: found to the byte, not yet confirmed. Open: not
decided. Absent: the bisection did not find the pilot's jump again. Refuted: another launch did not find it there."""


@dataclass(frozen=True)
class Jump:
    """A jump as the pilot found it, between the sizes of `start`, with the round trip there."""

    candidate: ThresholdCandidate
    start: tuple[int, int]
    round_trip_ns: float

    @property
    def height(self) -> float:
        """The log of the factor by which the time grows at the jump."""
        return math.log1p(self.candidate.height.median)

    def grows(self, sizes: tuple[int, int], side: int) -> float:
        """The log of the factor by which the time grows from one size to another, both before (side 0) or after the
        jump (side 1)."""
        line = (self.candidate.before, self.candidate.after)[side]
        first, last = (float(line.predict(size)) for size in sizes)
        return math.log(last / first) if min(first, last) > 0 else 0.0

    @property
    def decisions(self) -> int:
        """The number of decisions from `start` to two sizes one byte apart."""
        return 1 + math.ceil(math.log2(self.start[1] - self.start[0]))


@dataclass(frozen=True)
class SizeTrial:
    """Sizes to compare in `rounds` more rounds, each a batch of `messages` for every size."""

    jump: Jump
    role: Role
    sizes: tuple[int, ...]
    rounds: int

    def __str__(self) -> str:
        """The description that run.json stores."""
        first, *tested, last = (f"{size:,} B" for size in self.sizes)
        between = f"between {first} and {last}"
        return f"{self.role}: {tested[0]} {between}" if tested else f"{self.role}: {between}"

    @property
    def messages(self) -> int:
        least_ns, most_ns = BATCH_NS
        enough_ns = most_ns * min(1.0, (LOW_JUMP / self.jump.height) ** 2)
        return max(1, round(max(least_ns, enough_ns) / self.jump.round_trip_ns))


@dataclass(frozen=True)
class Pin:
    """The state of a jump: it lies above `before` and at `after` at the latest. `log_height` is the log of the factor
    by which the time grows there."""

    jump: Jump
    before: int
    after: int
    state: State
    log_height: float
    measured: JumpRounds
    trial: SizeTrial | None = None
    launches: tuple[int, ...] = ()
    """The launches that confirm it."""

    @property
    def height(self) -> Interval:
        """The relative increase of the time, from the rounds of later launches if any, else from the pilot."""
        found = self.measured.pooled(("confirms", (self.before, self.after)))
        if not len(found):
            return self.jump.candidate.height
        return interval(np.expm1(found[:, 1] - found[:, 0]))

    def as_candidate(self) -> ThresholdCandidate:
        """The jump of the coarse curve, with its sizes and height as pinned."""
        found = self.jump.candidate
        return replace(found, last_before=self.before, first_after=self.after, height=self.height)

    def to_json(self) -> dict[str, object]:
        """The fields that `weft show --json` adds to the jump."""
        return {
            "state": self.state,
            "confirmed_by": self.launches,
            "sure": SURE if self.state == "confirmed" else None,
        }

    def next(self, launch: int, limit_ns: float) -> SizeTrial | None:
        """What to measure in a launch within the jump's time limit; None if nothing."""
        if self.state == "open":
            return self.trial if self._is_within(self.trial, limit_ns) else None
        if self.state not in ("pinned", "confirmed") or launch in self.measured.bisected_in:
            return None
        return self._again(launch, limit_ns)

    def _is_within(self, trial: SizeTrial | None, limit_ns: float) -> bool:
        return trial is not None and self.measured.spent_ns + self._costs_ns(trial) <= limit_ns

    def _costs_ns(self, trial: SizeTrial) -> float:
        batch_ns = trial.messages * self.jump.round_trip_ns
        return trial.rounds * len(trial.sizes) * batch_ns

    def _again(self, launch: int, limit_ns: float) -> SizeTrial | None:
        sizes = (self.before, self.after)
        rounds = self.measured.rounds.get(("confirms", sizes), {}).get(launch, np.empty((0, 2)))
        if side(_votes_of_pair(self.jump, sizes, rounds, self.log_height), CONFIRM_ERROR):
            return None
        trial = _trial(self.jump, "confirms", sizes, len(rounds), CONFIRM_ERROR)
        whole = trial and replace(trial, rounds=len(rounds) + trial.rounds)
        return trial if whole and self._costs_ns(whole) <= CONFIRM_SHARE * limit_ns else None


def pins(run: RunFolder, step: int, found: Sequence[Jump]) -> list[Pin]:
    """The pins of a step's jumps, from all samples of the run."""
    measured = rounds_of(run.meta, run.samples, step)
    error = (1 - SURE) / max(1, sum(jump.decisions for jump in found))
    return [_pin(jump, measured.get(jump.start, NOTHING), error) for jump in found]


def curve_pins(run: RunFolder, curve: Curve) -> list[Pin]:
    """The pins of a curve's jumps; empty if its step does not pin or the run was simulated."""
    chosen = {one["step"] for one in run.meta.phases if "bisects" in one}
    return pins(run, curve.step, jumps(curve)) if curve.step in chosen else []


def next_trials(run: RunFolder, step: int, found: Sequence[Jump], launch: int) -> list[SizeTrial]:
    """What each jump needs next in a launch. Jumps not yet decided share the part of the step's time that the others
    have left."""
    pin_ns = run.meta.plan.steps[step].pin_ns or 0
    said = pins(run, step, found)
    undecided = [pin for pin in said if pin.state == "open"]
    spent_ns = sum(pin.measured.spent_ns for pin in said if pin.state != "open")
    share_ns = max(0, pin_ns - spent_ns) / max(1, len(undecided))
    fair_ns = pin_ns / max(1, len(found))
    wanted = (pin.next(launch, share_ns if pin.state == "open" else fair_ns) for pin in said)
    return [trial for trial in wanted if trial]


def _pin(jump: Jump, measured: JumpRounds, error: float) -> Pin:
    """Bisect as far as the votes decide."""
    (before, after), height = jump.start, jump.height
    role: Role = "exists"
    sizes: tuple[int, ...] = jump.start
    rounds = measured.pooled((role, sizes))
    verdict = side(_votes_of_pair(jump, jump.start, rounds, height), error)
    if verdict < 0:
        return Pin(jump, before, after, "absent", height, measured)
    while verdict and after - before > 1:
        role, sizes = "side", (before, (before + after) // 2, after)
        rounds = measured.pooled((role, sizes))
        verdict = side(_votes_of_three(jump, sizes, rounds), error)
        before, after = (sizes[1], after) if verdict < 0 else (before, after)
        before, after = (before, sizes[1]) if verdict > 0 else (before, after)
    if not verdict:
        trial = _trial(jump, role, sizes, len(rounds), error)
        return Pin(jump, before, after, "open", height, measured, trial)
    return _confirmed(jump, (before, after), measured, rounds)


def _confirmed(jump: Jump, sizes: tuple[int, int], measured: JumpRounds, last: Floats) -> Pin:
    """A located jump with the verdicts of other launches; the `last` rounds give the best estimate of its height."""
    height = float(np.median(last[:, -1] - last[:, 0]))
    again = measured.rounds.get(("confirms", sizes), {})
    verdicts = {
        launch: side(_votes_of_pair(jump, sizes, rounds, height), CONFIRM_ERROR)
        for launch, rounds in again.items()
    }
    confirming = tuple(sorted(launch for launch, verdict in verdicts.items() if verdict > 0))
    state: State = "confirmed" if len(confirming) >= CONFIRMING_LAUNCHES else "pinned"
    if min(verdicts.values(), default=0) < 0:
        state = "refuted"
    return Pin(jump, *sizes, state, height, measured, launches=confirming)


def _trial(
    jump: Jump, role: Role, sizes: tuple[int, ...], done: int, error: float
) -> SizeTrial | None:
    """The rounds up to the next look that can decide; None if there is none."""
    look = next((look for look in LOOKS if look > done and ranks(look, error)), None)
    return SizeTrial(jump, role, sizes, look - done) if look else None


def _votes_of_pair(jump: Jump, sizes: tuple[int, int], rounds: Floats, height: float) -> Floats:
    """A vote per round, positive for a jump: growth of the time, less growth beside the jump and half its height."""
    grows = (jump.grows(sizes, 0) + jump.grows(sizes, 1)) / 2
    votes: Floats = (rounds[:, 1] - rounds[:, 0] - grows - height / 2) * math.copysign(1, height)
    return votes


def _votes_of_three(jump: Jump, sizes: tuple[int, ...], rounds: Floats) -> Floats:
    """A vote per round, positive if the middle size lies on the far side of the jump."""
    before, tested, after = sizes
    if_before = rounds[:, 0] + jump.grows((before, tested), 0)
    if_after = rounds[:, 2] - jump.grows((tested, after), 1)
    votes: Floats = (rounds[:, 1] - (if_before + if_after) / 2) * math.copysign(1, jump.height)
    return votes


def jumps(curve: Curve) -> list[Jump]:
    """The jumps of a pilot's curve. Their `start` is one size wider on either side than the pilot's jump, unless the
    next threshold is in the way."""
    found = candidates(curve.sizes, curve.times_us)
    least = [0, *(one.first_after for one in found)]
    most = [*(one.last_before for one in found), int(curve.sizes[-1])]
    return [
        _jump(curve, one, least[index], most[index + 1])
        for index, one in enumerate(found)
        if one.kind == "jump"
    ]


def _jump(curve: Curve, candidate: ThresholdCandidate, least: int, most: int) -> Jump:
    sizes = curve.sizes
    before = sizes[(sizes >= least) & (sizes <= candidate.last_before)][-2:][0]
    after = sizes[(sizes <= most) & (sizes >= candidate.first_after)][:2][-1]
    round_trip_ns = 2e3 * float(curve.middle_us[sizes == after][0])
    return Jump(candidate, (int(before), int(after)), round_trip_ns)
