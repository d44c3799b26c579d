"""Carries out a tuning: a first look, races knob by knob, and their combined result."""

from __future__ import annotations

import datetime
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from weft.knobs.recommendation import Recommendation
from weft.measure.execute.progress import Showing
from weft.measure.execute.work_folder import (
    REQUEST_NAME,
    WorkFolder,
    request_to_resume,
    side_effects_of_work,
)
from weft.operate.tuning.apply import apply, refuse_wrong
from weft.operate.tuning.choice import Have, choose
from weft.operate.tuning.combination import not_kept
from weft.operate.tuning.findings import recommendations, without_which_nothing_works
from weft.operate.tuning.first_look import InitialDiagnosis, read_first_look
from weft.operate.tuning.opening import OpeningRun, first_look
from weft.operate.tuning.request import COMMAND, TuneRequest
from weft.operate.tuning.rounds import TuningRounds
from weft.operate.tuning.settings import have_of, notes, read_have, save_have
from weft.operate.tuning.tuning import RaceSummary, TuningResult
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME
from weft.runs.run_warnings import of_folders
from weft.runs.work_document import WorkDocument, fresh_folder, write_json

TUNING = WorkDocument("tuning.json", TuningResult, COMMAND)


def tune(request: TuneRequest, showing: Showing) -> TuningResult:
    """Race what may help and confirm what does; raises RequestError before anything is started."""
    folder = Path(request.out)
    refuse_wrong(request)
    request = request.at_carried_scale()
    with request.open() as testbed:
        names = tuple(node.name for node in testbed.nodes[:2])
        have = have_of(testbed, request.known, request.apply_anyway, request.goal)
    with fresh_folder(folder):
        write_json(folder / REQUEST_NAME, request)
        save_have(folder, have)
        return _Work(request, names, have).carry_out(showing)


def side_effects_of_tuning(directory: str) -> list[str]:
    """What resuming a tuning does beyond starting agents; raises RequestError."""
    return side_effects_of_work(directory, TuneRequest, COMMAND)


def resume(directory: str, showing: Showing, approved: Collection[str] = ()) -> TuningResult:
    """Continue an interrupted tuning; measurements are kept. Raises RequestError, also if the folder names commands or
    settings that were not `approved`."""
    request = request_to_resume(directory, TuneRequest, COMMAND, approved)
    with request.open() as testbed:
        names = tuple(node.name for node in testbed.nodes[:2])
    return _Work(request, names, read_have(Path(directory))).carry_out(showing)


@dataclass(frozen=True)
class _Work:
    """A tuning while it is carried out."""

    _request: TuneRequest
    _names: tuple[str, ...]
    _have: Mapping[str, Have]
    _began: float = field(default_factory=time.monotonic)

    def carry_out(self, showing: Showing) -> TuningResult:
        request, folder = self._request, WorkFolder(COMMAND, self._request, self._request.notes)
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        for note in notes(self._have):
            with showing(note):
                pass
        opening = first_look(folder, self._have, showing)
        look = read_first_look(opening.run)
        chosen, skipped = choose(
            request.wanted, request.known, self._have, look, _processors(opening.run)
        )
        ends_s = self._began + request.time_s
        rounds = TuningRounds(
            request, ends_s, opening.needed, look.stream_messages, skipped=skipped
        )
        winners, effect = rounds.carry_out(chosen, showing)
        found = TuningResult(
            request.testbed,
            request.goal,
            self._names,
            str(folder.path),
            look,
            tuple(rounds.raced),
            tuple(rounds.skipped),
            tuple(self._recommended(opening, look, rounds.settled, winners)),
            effect,
            (*notes(self._have), *not_kept(rounds.winners, winners)),
            started=started,
            elapsed_s=round(time.monotonic() - self._began, 1),
            warnings=of_folders(file.parent for file in sorted(folder.path.glob(f"*/{FILE_NAME}"))),
        )
        if request.apply:
            done = apply(request, found.settings, started)
            found = msgspec.structs.replace(found, applied=done)
        TUNING.write(folder.path, found)
        return found

    def _recommended(
        self,
        opening: OpeningRun,
        look: InitialDiagnosis,
        settled: Mapping[str, str],
        winners: Sequence[RaceSummary],
    ) -> Iterator[Recommendation]:
        """What the pair needs to work, then what makes it better."""
        now = {name: have.value for name, have in self._have.items()}
        yield from without_which_nothing_works(opening, now, look.interfaces, settled)
        for raced in winners:
            for one in recommendations(raced, now, look.interfaces):
                if one.knob not in opening.needed:
                    yield one


def _processors(run: RunFolder) -> int:
    """The number of processors of the node that has fewest."""
    return min((int((one["facts"] or {}).get("cpus", 1)) for one in run.meta.nodes), default=1)
