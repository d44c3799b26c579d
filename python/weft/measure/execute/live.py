"""Runs a plan with live agents: launches, failures, and what is written when."""

from __future__ import annotations

import asyncio
import datetime
import secrets
import time
from collections.abc import Coroutine
from dataclasses import dataclass

import pyarrow.compute as pc

from weft.base.errors import WorkError
from weft.measure.execute.agenda import Agenda
from weft.measure.execute.crew import TooFewNodes
from weft.measure.execute.launch import Launch
from weft.measure.execute.progress import Reporter
from weft.measure.execute.race import RaceAgenda
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.base import Frames, Testbed
from weft.measure.testbed.event_loop import cancel_on_terminate, run_to_end
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import REPEATED, Status
from weft.runs.missing import missing_steps
from weft.understand.host.disturbed import Tally, disturbance_warning, disturbances
from weft.understand.host.other_traffic import other_traffic, other_traffic_text

MAX_FAILED_LAUNCHES = 2
"""After this many failed launches in a row the rest is not tried."""

LARGE_LOST = "so it looks where large packets are lost and small ones pass, which is shown by"

SYNC_EVERY_S = 1.0
"""A crash costs what was measured since the last sync."""


def monotonic_start_ns(started: str) -> int:
    """The start of a run on this machine's monotonic clock, so that a resumed run keeps its clock."""
    now = datetime.datetime.now(datetime.UTC)
    age = now - datetime.datetime.fromisoformat(started)
    return time.monotonic_ns() - age // datetime.timedelta(microseconds=1) * 1000


@dataclass
class LiveRun:
    """Carries out what a run lacks on a testbed, writing as it goes."""

    _testbed: Testbed
    _writer: RunWriter
    _progress: Reporter
    _patience_s: float
    _anyway: bool = False

    def __post_init__(self) -> None:
        self._meta = self._writer.meta
        if not self._meta.done:
            self._meta.disturbed = []
        race = self._meta.plan.race
        self._agenda: Agenda | RaceAgenda = (
            RaceAgenda(self._writer, self._progress, race)
            if race
            else Agenda(self._writer, self._progress)
        )

    def run(self) -> RunFolder:
        """Measure everything that is missing; an interrupt keeps what was measured."""
        self._progress.start(self._agenda.phases)
        try:
            run_to_end(self._syncing(self._run_launches()))
        except (KeyboardInterrupt, asyncio.CancelledError):
            self._meta.warn(
                "interrupted",
                "the run was interrupted",
                f"continue it with `weft run --resume {self._writer.directory}`",
            )
        self._agenda.finish()
        self._warn_of_disturbance()
        self._warn_of_drift()
        self._warn_of_incomplete_phases()
        self._warn_of_other_traffic()
        for warning in self._testbed.warnings:
            self._meta.warn(warning.code, warning.message, warning.hint)
        # A lab knows only afterwards whether it had headroom.
        self._meta.testbed |= self._testbed.describe()
        return self._writer.finish(self._status())

    def _warn_of_disturbance(self) -> None:
        """Warn of disturbed launches before all else, since they put every number in doubt."""
        if found := disturbance_warning(self._meta):
            self._meta.warn_first(found)

    def _warn_of_drift(self) -> None:
        """Warn of times that changed during the run."""
        for step, found in self._agenda.drifts():
            grew = "grew" if found.change > 0 else "shrank"
            self._meta.warn(
                "drift",
                f"{step.name}: times {grew} by {abs(100 * found.change):.2g} % from the first third of the launches to "
                f"the last (p = {found.p_value:.2g})",
                "something changes while it measures: find out what, the intervals do not hold for it",
            )

    def _warn_of_incomplete_phases(self) -> None:
        """One warning for all incomplete phases, none for phases that lack only lost nodes."""
        lost = {entry["node"] for entry in self._meta.lost}
        odd = [entry for entry in self._meta.incomplete if not lost.issuperset(entry["nodes"])]
        if not odd:
            return
        step = self._meta.plan.steps[odd[0]["step"]].name
        self._meta.warn(
            "phases-incomplete",
            f"{len(odd)} phases are incomplete, first phase {odd[0]['phase']} of {step}: "
            f"{odd[0]['reason']}",
            "`incomplete` in run.json has them all",
        )

    def _warn_of_other_traffic(self) -> None:
        """Warn of traffic that the nodes' interfaces carried beside a run between many nodes."""
        if found := other_traffic(self._meta, self._writer.stored_table(EVIDENCE_NAME)):
            self._meta.warn(
                "other-traffic",
                other_traffic_text(self._meta, found),
                "find the other traffic (`ss -tnpi` on these nodes), or measure when there is none",
            )

    def _status(self) -> Status:
        is_whole = not self._meta.lost and not self._meta.incomplete
        is_open = self._agenda.is_open
        if is_whole and not is_open and not missing_steps(self._meta, self._writer.samples):
            return "complete"
        return "partial" if self._writer.samples.num_rows else "failed"

    async def _syncing(self, work: Coroutine[None, None, None]) -> None:
        """Run the work and sync beside it; a termination request ends it like an interrupt."""
        cancel_on_terminate()
        task = asyncio.ensure_future(work)
        try:
            while not task.done():
                await asyncio.wait([task], timeout=SYNC_EVERY_S)
                if self._writer.has_unsynced:
                    self._writer.sync()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        task.result()

    async def _run_launches(self) -> None:
        failed_in_a_row = 0
        token, epoch_ns = secrets.token_hex(32), monotonic_start_ns(self._meta.started)
        while steps := self._agenda.next():
            launch, before, tally = steps[0].launch, self._testbed.frames(), Tally()
            try:
                await Launch(
                    launch,
                    self._testbed,
                    self._writer,
                    self._progress,
                    self._patience_s,
                    self._agenda,
                    token,
                    epoch_ns,
                    self._anyway,
                    tally,
                ).run(steps)
                self._note_disturbance(launch, tally, before)
                failed_in_a_row = 0
            except (AgentError, TooFewNodes) as error:
                is_gone = bool(self._testbed.failure())
                if not is_gone and self._agenda.excuses(error):
                    continue
                failed_in_a_row += 1
                self._note_failure(error, launch)
                if is_gone:
                    return
            if failed_in_a_row == MAX_FAILED_LAUNCHES:
                self._meta.warn(
                    "gave-up",
                    f"{failed_in_a_row} launches in a row failed; the rest was not tried",
                    f"mend what failed, then `weft run --resume {self._writer.directory}`",
                )
                return

    def _note_disturbance(self, launch: int, tally: Tally, before: Frames | None) -> None:
        """Mark a launch in which the machine was the limit. Runs that earlier builds began have no marks."""
        if self._meta.disturbed is None:
            return
        after = self._testbed.frames()
        counts = (
            (after.forwarded - before.forwarded, after.late_ns - before.late_ns)
            if before and after
            else None
        )
        mine = self._writer.samples.filter(pc.field("launch") == launch)
        self._meta.disturbed += disturbances(self._meta, launch, tally, mine, counts)

    def _note_failure(self, error: WorkError, launch: int) -> None:
        self._writer.sync()
        code = error.code if isinstance(error, AgentError) else "too-few-nodes"
        reason = self._testbed.failure()
        told = f"launch {launch}: {reason or error.message}"
        if code == "peer-silent" and not reason:
            told += f" ({LARGE_LOST} `weft check --on {self._testbed.kind}:{self._testbed.name}`)"
        self._meta.warn("testbed-gone" if reason else code, told, REPEATED)
