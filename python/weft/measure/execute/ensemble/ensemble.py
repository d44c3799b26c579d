"""Runs one step between many nodes, and continues its phases when nodes fail."""

from __future__ import annotations

from dataclasses import dataclass

from weft.measure.execute.crew import Crew, living
from weft.measure.execute.ensemble.arrivals import PhaseCollector
from weft.measure.execute.ensemble.fault import Setback
from weft.measure.execute.ensemble.session import Session
from weft.measure.execute.ensemble.work import Work
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob
from weft.plan.phases import Phase


@dataclass
class EnsembleEngine:
    """Runs phases on the nodes of `nodes` that are left.

    When a node fails, all others leave the session, join again without it and continue: with the interrupted phase if
    nothing of it had arrived, else with the next. When nothing moves and the faulty node is not clear (two nodes wait
    for each other), all join again. If one of them is cut off, it fails to join; otherwise only their transfer is bad,
    and the next phase is tried.
    """

    _crew: Crew
    _nodes: set[int]
    _job: StepJob
    _logbook: Logbook
    _work: Work
    _session: Session | None = None

    def __post_init__(self) -> None:
        self._ledger = PhaseCollector(self._logbook, self._crew.lost.keys(), self._work)

    async def run(self, phases: list[Phase]) -> None:
        """Run all phases, as far as nodes are left for them; raises TooFewNodes."""
        self._ledger.expect(phases)
        while remaining := [phase for phase in phases if not self._ledger.is_settled(phase)]:
            try:
                await self._run_some(remaining)
            except Setback as setback:
                await self._recover(setback)

    async def close(self) -> None:
        """End the session; failures of nodes no longer matter here."""
        try:
            if self._session:
                await self._session.leave()
        except Setback as setback:
            await self._recover(setback)
        self._session = None

    async def _run_some(self, phases: list[Phase]) -> None:
        session = await self._joined()
        await session.work(self._ledger.to_run(phases))

    async def _joined(self) -> Session:
        if self._session is None:
            members = living(self._logbook, self._nodes, self._crew)
            agents = {node: self._crew.agents[node] for node in members}
            self._session = Session(agents, self._job, self._ledger, self._logbook, self._work)
            await self._session.begin()
        return self._session

    async def _recover(self, setback: Setback) -> None:
        """Drop the failed nodes, release the others from the session, and settle the phases that had begun."""
        session, self._session = self._session, None
        assert session is not None
        lost = setback.lost | await session.abort(setback.lost)
        phase = self._ledger.current()
        for node, error in lost.items():
            await self._crew.drop(node, error)
        self._logbook.nodes_lost({node: error.reason for node, error in lost.items()}, phase)
        if setback.stalled_between is not None and phase is not None:
            self._note_stall(phase, setback.stalled_between)
        self._ledger.give_up()
        if setback.stalled_between is not None and phase is not None:
            self._ledger.leave_out(phase)

    def _note_stall(self, phase: int, nodes: tuple[int, ...]) -> None:
        names = " and ".join(self._logbook.names(nodes)) or "all nodes"
        self._logbook.phase_incomplete(phase, nodes, f"no way on between {names}")
