"""The races of a tuning, knob by knob, each on top of what earlier ones settled."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from weft.base.interval import Interval
from weft.measure.execute.progress import Reporter, Showing
from weft.measure.execute.work_folder import WorkFolder, options_of
from weft.operate.tuning.candidates import candidates
from weft.operate.tuning.choice import AGAIN, NO_TIME, KnobChoice, SkippedKnob
from weft.operate.tuning.combination import AS_IT_IS, TOGETHER, finalists, kept
from weft.operate.tuning.findings import moved
from weft.operate.tuning.left_open import is_clearly_ahead, on_top, still_ahead
from weft.operate.tuning.race import RaceResult, Rules, SettingsCandidate
from weft.operate.tuning.race import carry_out as race
from weft.operate.tuning.request import COMMAND, TuneRequest
from weft.operate.tuning.tuning import RaceSummary, ReadingChange
from weft.runs.folder import RunFolder

MARGIN = Rules().margin
LEAST_RACE_S = 40.0
"""A shorter race ends before anything is known: a confirmation alone takes twelve blocks of the winner and of the
current settings."""
SUGGESTED_SHARE = 0.6
"""Share of the remaining time for a knob that the evidence suggests; if it does not help, a few blocks show it."""


def share_of(left_s: float, choice: KnobChoice, behind: int) -> float:
    """Seconds for a race that `behind` others may follow: an equal part of the remaining time, more if the evidence
    suggests it, and never less than a race needs. If time is short, the last ones are left out, not the likeliest."""
    share = SUGGESTED_SHARE if choice.is_suggested and behind else 0.0
    return max(LEAST_RACE_S, left_s / (behind + 1), left_s * share)


@dataclass
class TuningRounds:
    """The races so far, and what is `settled` by them. `ends_s` is the deadline on time.monotonic(); `needed` are
    settings without which the pair does not work, and a batch of a stream has `at_least` this many messages."""

    request: TuneRequest
    ends_s: float
    needed: Mapping[str, str]
    at_least: int
    raced: list[RaceSummary] = field(default_factory=list)
    skipped: list[SkippedKnob] = field(default_factory=list)
    settled: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.settled = dict(self.needed)

    @property
    def _left_s(self) -> float:
        return self.ends_s - time.monotonic()

    def carry_out(
        self, chosen: Sequence[KnobChoice], showing: Showing
    ) -> tuple[list[RaceSummary], Interval | None]:
        """Run all races; returns the winners to keep, and their combined effect."""
        for number, choice in enumerate(chosen, 1):
            behind = len(chosen) - number + bool(self.settled)
            share_s = share_of(left_s := self._left_s, choice, behind)
            if share_s > left_s:
                self.skipped += [SkippedKnob(name, NO_TIME) for name in choice.knobs]
                continue
            with showing(f"{number} of {len(chosen)}: {choice.name}") as reporter:
                name = f"{number:02}-{choice.knobs[0]}"
                raced = self._race(name, choice, self._values(choice), share_s, reporter)
            if is_clearly_ahead(raced, MARGIN):
                self._decide(raced, max(LEAST_RACE_S, self._left_s * SUGGESTED_SHARE), showing)
        self._decide_what_is_open(showing)
        self._again(showing)
        return self._together(showing)

    def _race(
        self,
        name: str,
        choice: KnobChoice,
        entries: Iterable[SettingsCandidate],
        time_s: float,
        reporter: Reporter,
    ) -> RaceSummary:
        """Run one race on top of what is settled; the winner's settings are then settled too."""
        all_entries = (SettingsCandidate(AS_IT_IS, dict(self.settled)), *entries)
        result = self._carry_out(name, all_entries, time_s, reporter)
        raced = RaceSummary(
            choice, all_entries, result, _moved(result) if result.recommended else ()
        )
        self.raced.append(raced)
        self.settled |= raced.won
        return raced

    def _values(self, choice: KnobChoice) -> Iterable[SettingsCandidate]:
        known = [self.request.known[one] for one in choice.knobs]
        return candidates(known, choice.values, self.settled)

    def _carry_out(
        self,
        name: str,
        entries: Sequence[SettingsCandidate],
        time_s: float,
        reporter: Reporter,
        confirm: Literal["winner", "all"] = "winner",
    ) -> RaceResult:
        request, folder = self.request, WorkFolder(COMMAND, self.request)
        out = folder.path / name
        with folder.continued_as_whole(name):
            result = race(
                request.testbed,
                entries,
                request.goal,
                out,
                Rules(time_s=time_s, at_least=self.at_least, confirm=confirm),
                reporter,
                options=options_of(request),
                apply_anyway=request.apply_anyway,
                notes=request.notes,
            )
        folder.stop_where(result.ended == "interrupted")
        return result

    @property
    def winners(self) -> list[RaceSummary]:
        """The last won race of each choice; the very last has all settled values."""
        won = [one for one in self.raced if one.won]
        return [
            one
            for at, one in enumerate(won)
            if not any(later.choice.knobs == one.choice.knobs for later in won[at + 1 :])
        ]

    def _decide_what_is_open(self, showing: Showing) -> None:
        """Repeat races that ended while a candidate was ahead, in the remaining time."""
        latest = {one.choice.knobs: one for one in self.raced}.values()
        is_open = [one for one in latest if still_ahead(one, MARGIN)]
        for number, one in enumerate(is_open):
            share_s = self._left_s / (len(is_open) - number + bool(self.winners))
            if share_s < LEAST_RACE_S:
                return
            self._decide(one, share_s, showing)

    def _decide(self, raced: RaceSummary, time_s: float, showing: Showing) -> None:
        """Repeat a race with only the candidates that were ahead."""
        choice, entries = on_top(raced.choice, still_ahead(raced, MARGIN), self.settled)
        if not entries or time_s > self._left_s:
            return
        with showing(f"more of {choice.name}") as reporter:
            self._race(
                f"more-{len(self.raced):02}-{choice.knobs[0]}", choice, entries, time_s, reporter
            )

    def _again(self, showing: Showing) -> None:
        """Race each winner again on top of what was found after it: with other settings another value may be best."""
        earlier = self.winners[:-1]
        for number, one in enumerate(earlier):
            share_s = self._left_s / (len(earlier) - number + 1)
            if share_s < LEAST_RACE_S:
                return
            again = msgspec.structs.replace(one.choice, why=AGAIN, is_suggested=False)
            with showing(f"again: {again.name}") as reporter:
                name = f"again-{number + 1:02}-{again.knobs[0]}"
                self._race(name, again, self._values(again), share_s, reporter)

    def _together(self, showing: Showing) -> tuple[list[RaceSummary], Interval | None]:
        """The winners to keep when several are compared with the original settings and with the best alone, and their
        effect."""
        winners = self.winners
        if len(winners) < 2:
            return winners, winners[0].result.effect if winners else None
        with showing(TOGETHER) as reporter:
            time_s = max(LEAST_RACE_S, self._left_s)
            entries = finalists(winners, self.needed)
            result = self._carry_out("together", entries, time_s, reporter, "all")
        return kept(winners, result, MARGIN)


def _moved(result: RaceResult) -> tuple[ReadingChange, ...]:
    """Changed readings in the evidence of the race's run, from the baseline's to the winner's steps."""
    run = RunFolder.open(result.folder)
    assert run.meta.plan.race
    steps = {one.name: one.steps for one in run.meta.plan.race.candidates}
    return moved(run, steps[result.baseline], steps[result.winner])
