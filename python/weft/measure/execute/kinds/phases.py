"""Phases of transfers between many nodes."""

from __future__ import annotations

from collections.abc import Collection

from weft.measure.execute.ensemble.ensemble import EnsembleEngine
from weft.measure.execute.ensemble.work import Transfers, Work
from weft.measure.execute.kinds.kind import LaunchedStep, P, Settled, StepKind
from weft.measure.execute.mpi.ensemble import MpiEnsemble
from weft.measure.execute.mpi.library import NO_LIBRARY, LibraryCalls
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.processors import blocking
from weft.plan.phases import Phase, expand
from weft.plan.roles import participants


class EnsembleKind(StepKind[P]):
    """A pattern whose nodes join a session and run one phase after the other."""

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        return blocking(self.step, testbed, cpus), []

    def work(self, job: StepJob) -> Work:
        """How phases are divided among nodes."""
        return Transfers(job)

    def library_calls(self, testbed_nodes: int) -> LibraryCalls:
        """The phases that an MPI library carries out itself."""
        return NO_LIBRARY

    async def carry_out(self, launched: LaunchedStep) -> None:
        begin(launched)
        wanted = set(launched.job.phases)
        left = [
            one for one in expand(self.step, len(launched.testbed.nodes)) if one.index in wanted
        ]
        if self.step.transport == "mpi":
            await self._run(launched, left, is_over_mpi=True)
            return
        # Agents carry out what the library does not.
        library = self.library_calls(len(launched.testbed.nodes)).phases
        await self._run(launched, [one for one in left if one.index not in library], False)
        await self._run(launched, [one for one in left if one.index in library], True)

    async def _run(
        self, launched: LaunchedStep, phases: Collection[Phase], is_over_mpi: bool
    ) -> None:
        if phases:
            engine = self.engine(launched, is_over_mpi)
            await engine.run(list(phases))
            await engine.close()

    def engine(self, launched: LaunchedStep, is_over_mpi: bool) -> EnsembleEngine | MpiEnsemble:
        """The engine that runs phases over the nodes that are left."""
        crew, nodes, job, logbook = (
            launched.crew,
            set(launched.nodes),
            launched.job,
            launched.logbook,
        )
        if not is_over_mpi:
            return EnsembleEngine(crew, nodes, job, logbook, self.work(job))
        library = self.library_calls(len(launched.testbed.nodes))
        return MpiEnsemble(launched.testbed, crew, nodes, job, logbook, self.work(job), library)


class PhasesKind(EnsembleKind[P]):
    """Transfers at the same time, in phases that the plan gives."""

    def nodes(self, testbed_nodes: int) -> list[int]:
        phases = expand(self.step, testbed_nodes)
        return sorted({node for phase in phases for node in participants(phase)})


def begin(launched: LaunchedStep) -> None:
    """Record the missing nodes anew, replacing earlier records of this step and launch."""
    logbook, lost = launched.logbook, launched.crew.lost
    logbook.forget(launched.job.phases)
    for node in sorted(lost.keys() & set(launched.nodes)):
        logbook.node_missing(node, lost[node].reason, is_told=True)
