"""What the next launch of a race measures: a block of the remaining candidates, in random order."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import msgspec

from weft.base.errors import WorkError
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.agent.request import PlannedBatches
from weft.plan.plan import Race, Step
from weft.runs.folder import RunWriter
from weft.runs.missing import MissingStep, missing_steps
from weft.runs.records.goal_records import FailedCandidate
from weft.understand.curve.drift import Drift
from weft.understand.kinds.race.contest import ContestStanding
from weft.understand.kinds.race.outcome import stand

MOST_FAILURES = 2
"""A candidate that has failed this often in a block is dropped."""


class RaceAgenda:
    """Gives what a race measures, block by block; takes the place of `weft.measure.execute.agenda.Agenda`.

    The order of a block is written to run.json before it runs. Decisions depend on samples and run.json alone, so an
    interrupted race continues where it stopped.
    """

    def __init__(self, writer: RunWriter, progress: Reporter, race: Race) -> None:
        self._writer, self._progress, self._race = writer, progress, race
        self._record = writer.meta.race = writer.meta.race or {
            "blocks": [],
            "failed": [],
            "seconds": 0.0,
        }
        self._began_s = time.monotonic() - self._record["seconds"]
        self._failures: dict[str, int] = {}
        self.phases = 0

    def next(self) -> list[MissingStep]:
        """What the current block lacks, or the next block; empty when the race is over."""
        if not self._missing():
            self._begin_block()
        block = self._missing()
        self._progress.grow(sum(len(one.phases) for one in block))
        return block

    def _missing(self) -> list[MissingStep]:
        """What the first unfinished block lacks. A candidate that has failed in it comes last, so that the baseline
        shows whether the candidate was the cause."""
        missing = missing_steps(self._writer.meta, self._writer.samples)
        block = [one for one in missing if one.launch == missing[0].launch]
        return sorted(block, key=lambda one: self._failures.get(self._candidate(one), 0))

    def _candidate(self, missing: MissingStep) -> str:
        return next(one.name for one in self._race.candidates if missing.step in one.steps)

    def _begin_block(self) -> None:
        self._failures.clear()
        self._note_time()
        open_ = list(self._stand().open)
        if not open_:
            return
        order = self._record["blocks"]
        # A seed of its own for each block: a resumed race draws the same order.
        seed = f"{self._race.seed}/{len(order)}" if self._race.seed is not msgspec.UNSET else None
        random.Random(seed).shuffle(open_)
        order.append(open_)
        self._writer.sync()

    def _note_time(self) -> None:
        """Record after how many blocks the time limit of the race or of the run was reached."""
        blocks = len(self._record["blocks"])
        spent_s = self._record["seconds"] = time.monotonic() - self._began_s
        share = 0.5 if self._race.confirm == "winner" else 1.0
        is_last = blocks >= self._writer.meta.plan.launches
        if is_last or spent_s >= share * self._race.time_ns / 1e9:
            self._record.setdefault("raced", blocks)
        if is_last or spent_s >= self._race.time_ns / 1e9:
            self._record.setdefault("stopped", blocks)

    def _stand(self) -> ContestStanding:
        found = stand(self._writer.meta, self._writer.samples)
        assert found is not None
        now, outcome = found
        self._record["outcome"] = msgspec.to_builtins(outcome)
        return now

    def excuses(self, error: WorkError) -> bool:
        """Whether a launch may fail with this error: a candidate other than the baseline failed, and is tried again or
        dropped."""
        missing = self._missing()
        if not missing or self._candidate(missing[0]) == self._race.baseline:
            return False
        name, block = self._candidate(missing[0]), missing[0].launch
        self._failures[name] = self._failures.get(name, 0) + 1
        if self._failures[name] >= MOST_FAILURES:
            failed: FailedCandidate = {"candidate": name, "block": block, "reason": error.message}
            self._record["failed"].append(failed)
        else:
            self._record.setdefault("retried", []).append({"candidate": name, "block": block})
        self._writer.sync()
        return True

    @property
    def is_open(self) -> bool:
        """Whether the race has not finished."""
        return bool(self._missing() or self._stand().open)

    def finish(self) -> None:
        """Record the result of the race, whether or not it has finished."""
        self._record["seconds"] = time.monotonic() - self._began_s
        self._stand()

    def step(self, missing: MissingStep) -> Step:
        """A step as the plan gives it."""
        return self._writer.meta.plan.steps[missing.step]

    def known(self, missing: MissingStep) -> tuple[PlannedBatches, ...]:
        """Empty: each block determines anew how many messages a trial needs."""
        return ()

    def drifts(self) -> Iterator[tuple[Step, Drift]]:
        """Empty: a drift affects all candidates of a block alike."""
        return iter(())
