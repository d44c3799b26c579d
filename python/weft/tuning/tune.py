"""Carrying out a tuning: a first look, races knob by knob, and what they say together."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from weft.execute.progress import Reporter, Showing
from weft.execute.work_folder import (
    REQUEST_NAME,
    WorkFolder,
    read_request,
    refuse_existing,
    write_json,
)
from weft.interval import Interval
from weft.runs.folder import Run
from weft.tuning.apply import apply, refuse_short_lived
from weft.tuning.candidates import candidates
from weft.tuning.choice import AGAIN, NO_TIME, Choice, Have, Skipped, choose
from weft.tuning.combination import AS_IT_IS, TOGETHER, finalists, kept, not_kept
from weft.tuning.findings import moved, recommendations, without_which_nothing_works
from weft.tuning.first_look import FirstLook, read_first_look
from weft.tuning.opening import Opening, first_look
from weft.tuning.race import Candidate, RaceResult, Rules
from weft.tuning.race import carry_out as race
from weft.tuning.request import COMMAND, TuneRequest
from weft.tuning.settings import have_of, notes, read_have, save_have
from weft.tuning.tuning import Moved, Raced, Tuning

RESULT_NAME = "tuning.json"
LEAST_RACE_S = 40.0
"""With less, a race ends before anything is known: a confirmation alone takes twelve blocks of the winner and of the
settings as they are."""
SUGGESTED_SHARE = 0.6
"""Of the time that is left, for a knob that the evidence speaks for; that it does not help shows in a few blocks."""


def tune(request: TuneRequest, showing: Showing) -> Tuning:
    """Race what may help and confirm what does; raises RequestError before anything is started."""
    folder = Path(request.out)
    refuse_existing(folder, COMMAND)
    request.check()
    refuse_short_lived(request)
    with request.open() as testbed:
        names = tuple(node.name for node in testbed.nodes[:2])
        have = have_of(testbed, request.known, request.apply_anyway, request.goal)
    write_json(folder / REQUEST_NAME, request)
    save_have(folder, have)
    return _Work(request, names, have).carry_out(showing)


def resume(directory: str, showing: Showing) -> Tuning:
    """Continue a tuning that was cut short; what was measured stays. Raises RequestError."""
    request = read_request(directory, TuneRequest, COMMAND)
    with request.open() as testbed:
        names = tuple(node.name for node in testbed.nodes[:2])
    return _Work(request, names, read_have(Path(directory))).carry_out(showing)


def share_of(left_s: float, choice: Choice, behind: int) -> float:
    """Seconds for a race that `behind` others may follow: an equal part of what is left, more where the evidence speaks
    for it, and never less than a race needs. Where time is short the last ones are left out, not the likeliest."""
    share = SUGGESTED_SHARE if choice.is_suggested and behind else 0.0
    return max(LEAST_RACE_S, left_s / (behind + 1), left_s * share)


@dataclass
class _Work:
    """One tuning while it is carried out."""

    _request: TuneRequest
    _names: tuple[str, ...]
    _have: Mapping[str, Have]
    _began: float = field(default_factory=time.monotonic)
    _raced: list[Raced] = field(default_factory=list)
    _skipped: list[Skipped] = field(default_factory=list)
    _settled: dict[str, str] = field(default_factory=dict)
    _at_least: int = 1

    @property
    def _folder(self) -> WorkFolder:
        return WorkFolder(COMMAND, self._request)

    def carry_out(self, showing: Showing) -> Tuning:
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        for note in notes(self._have):
            with showing(note):
                pass
        opening = first_look(self._folder, self._have, showing)
        look = read_first_look(opening.run)
        self._at_least, self._settled = look.stream_messages, dict(opening.needed)
        chosen, self._skipped = choose(
            self._request.wanted, self._request.known, self._have, look, _processors(opening.run)
        )
        for number, choice in enumerate(chosen, 1):
            behind = len(chosen) - number + bool(self._settled)
            share_s = share_of(left_s := self._left_s, choice, behind)
            if share_s > left_s:
                self._skipped += [Skipped(name, NO_TIME) for name in choice.knobs]
                continue
            with showing(f"{number} of {len(chosen)}: {choice.name}") as reporter:
                self._race(f"{number:02}-{choice.knobs[0]}", choice, share_s, reporter)
        self._again(showing)
        found = self._tuning(opening, look, started, *self._together(showing, opening.needed))
        if self._request.apply:
            done = apply(self._request, found.settings, started)
            found = msgspec.structs.replace(found, applied=done)
        write_json(self._folder.path / RESULT_NAME, found.to_json())
        return found

    @property
    def _left_s(self) -> float:
        return self._request.time_s - (time.monotonic() - self._began)

    def _race(self, name: str, choice: Choice, time_s: float, reporter: Reporter) -> None:
        """One race on top of what is settled; what wins is settled, too."""
        entries = (
            Candidate(AS_IT_IS, dict(self._settled)),
            *candidates(
                [self._request.known[one] for one in choice.knobs], choice.values, self._settled
            ),
        )
        result = self._carry_out(name, entries, time_s, reporter)
        raced = Raced(choice, entries, result, _moved(result) if result.recommended else ())
        self._raced.append(raced)
        self._settled |= raced.won

    def _carry_out(
        self,
        name: str,
        entries: Sequence[Candidate],
        time_s: float,
        reporter: Reporter,
        confirm: Literal["winner", "all"] = "winner",
    ) -> RaceResult:
        request, out = self._request, self._folder.path / name
        with self._folder.continued_as_whole(name):
            result = race(
                request.testbed,
                entries,
                request.goal,
                out,
                Rules(time_s=time_s, at_least=self._at_least, confirm=confirm),
                reporter,
                scale=request.scale,
                nodes=request.nodes,
                ports=request.ports,
                patience_s=request.patience_s,
                apply_anyway=request.apply_anyway,
            )
        self._folder.stop_where(result.ended == "interrupted")
        return result

    @property
    def _winners(self) -> list[Raced]:
        """The last won race of each choice; the last of all has all that is settled."""
        won = [one for one in self._raced if one.won]
        return [
            one
            for at, one in enumerate(won)
            if not any(later.choice.knobs == one.choice.knobs for later in won[at + 1 :])
        ]

    def _again(self, showing: Showing) -> None:
        """Race what won once more, on top of what was found after it: with other settings another value may be best."""
        earlier = self._winners[:-1]
        for number, one in enumerate(earlier):
            share_s = self._left_s / (len(earlier) - number + 1)
            if share_s < LEAST_RACE_S:
                return
            again = msgspec.structs.replace(one.choice, why=AGAIN, is_suggested=False)
            with showing(f"again: {again.name}") as reporter:
                self._race(f"again-{number + 1:02}-{again.knobs[0]}", again, share_s, reporter)

    def _together(
        self, showing: Showing, needed: Mapping[str, str]
    ) -> tuple[list[Raced], Interval | None]:
        """The winners that stay when several are held against none and against the best alone; and their effect."""
        winners = self._winners
        if len(winners) < 2:
            return winners, winners[0].result.effect if winners else None
        with showing(TOGETHER) as reporter:
            time_s = max(LEAST_RACE_S, self._left_s)
            entries = finalists(winners, needed)
            result = self._carry_out("together", entries, time_s, reporter, "all")
        return kept(winners, result, Rules().margin)

    def _tuning(
        self,
        opening: Opening,
        look: FirstLook,
        started: str,
        winners: Sequence[Raced],
        effect: Interval | None,
    ) -> Tuning:
        now = {name: have.value for name, have in self._have.items()}
        found = [
            *without_which_nothing_works(opening, now, look.interfaces, self._settled),
            *(
                one
                for raced in winners
                for one in recommendations(raced, now, look.interfaces)
                if one.knob not in opening.needed
            ),
        ]
        return Tuning(
            self._request.testbed,
            self._request.goal,
            self._names,
            str(self._folder.path),
            look,
            tuple(self._raced),
            tuple(self._skipped),
            tuple(found),
            effect,
            (*notes(self._have), *not_kept(self._winners, winners)),
            started=started,
            elapsed_s=round(time.monotonic() - self._began, 1),
        )


def _moved(result: RaceResult) -> tuple[Moved, ...]:
    """The evidence of the race's run, at the steps of either."""
    run = Run.open(result.folder)
    assert run.meta.plan.race
    steps = {one.name: one.steps for one in run.meta.plan.race.candidates}
    return moved(run, steps[result.baseline], steps[result.winner])


def _processors(run: Run) -> int:
    """Of the node that has fewest."""
    return min((int((one["facts"] or {}).get("cpus", 1)) for one in run.meta.nodes), default=1)
