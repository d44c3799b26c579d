"""One launch: fresh agents, and fresh connections for each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import pyarrow as pa

from weft.measure.execute.adaptive import AdaptiveStep, Choosers, chosen_phases
from weft.measure.execute.agenda import Agenda
from weft.measure.execute.applications.costs import with_work
from weft.measure.execute.applications.web_server import run_web_step
from weft.measure.execute.crew import Crew, not_started
from weft.measure.execute.ensemble.ensemble import EnsembleEngine
from weft.measure.execute.file_cast.step import run_file_cast
from weft.measure.execute.host_settings.settings import HostSettings
from weft.measure.execute.linpack.step import run_linpack_step
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.mpi.ensemble import MpiEnsemble
from weft.measure.execute.mpi.library import library_phases
from weft.measure.execute.mpi.step import run_mpi_step
from weft.measure.execute.multi_pair.step import MultiPairStep
from weft.measure.execute.pair import StepJob, run_step
from weft.measure.execute.pinning import Pinning
from weft.measure.execute.progress import Reporter, StepProgress
from weft.measure.execute.race import RaceAgenda
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.needs import nodes_of
from weft.plan.pattern import Hpl
from weft.plan.phases import expand
from weft.plan.plan import Step
from weft.runs.folder import RunWriter
from weft.runs.missing import MissingStep
from weft.understand.host.disturbed import Tally


@dataclass(frozen=True)
class Launch:
    """What all steps of a launch have in common."""

    number: int
    testbed: Testbed
    writer: RunWriter
    progress: Reporter
    patience_s: float
    choosers: Choosers
    agenda: Agenda | RaceAgenda
    token: str
    epoch_ns: int
    anyway: bool = False
    """Whether the interface that ssh came in on may be changed."""
    tally: Tally = field(default_factory=Tally)
    """What the evidence of all its steps says of processors."""

    async def run(self, steps: list[MissingStep]) -> None:
        """Measure what the steps lack; raises AgentError, or TooFewNodes."""
        self.progress.describe(self._where())
        needed = {node for missing in steps for node in self._nodes(missing)}
        crew = await Crew.start(self.testbed, sorted(needed))
        settings = HostSettings(self.testbed, crew, self.writer.meta, self.anyway)
        try:
            self._record_nodes(crew)
            self._warn_of_missing(crew)
            for missing in steps:
                knobs = self._step(missing).options.knobs or {}
                await settings.change(knobs, self._nodes(missing))
                await self._run_step(crew, missing, settings)
            await settings.restore()
        finally:
            await crew.close()
            await settings.restore_afresh()

    def _where(self) -> str:
        plan = self.writer.meta.plan
        if plan.race:
            return f"block {self.number + 1}"
        has_goal = any(step.goal for step in plan.steps)
        of = "" if has_goal or self.number >= plan.launches else f" of {plan.launches}"
        return f"launch {self.number + 1}{of}"

    def _step(self, missing: MissingStep) -> Step:
        return self.writer.meta.plan.steps[missing.step]

    def _nodes(self, missing: MissingStep) -> list[int]:
        return nodes_of(self._step(missing), len(self.testbed.nodes))

    def _record_nodes(self, crew: Crew) -> None:
        meta = self.writer.meta
        for node, agent in crew.agents.items():
            meta.nodes[node]["facts"] = msgspec.to_builtins(agent.facts)
            meta.nodes[node]["address"] = self.testbed.nodes[node].address
        meta.timing = [
            {
                "node": agent.node,
                "clock_read_ns": agent.timing.clock_read_ns,
                "loop_ns": agent.timing.loop_ns,
            }
            for agent in crew.agents.values()
        ]

    def _warn_of_missing(self, crew: Crew) -> None:
        """The nodes that did not start and why, in one table; where a pair needs one, the launch fails and says so."""
        steps = self.writer.meta.plan.steps
        if crew.lost and any(step.is_ensemble or step.is_program for step in steps):
            self.writer.meta.warn(
                "nodes-not-started",
                not_started(crew.lost.values(), len(crew.lost) + len(crew.agents)),
                "the others go on without them; mend what is wrong and measure again",
            )

    async def _run_step(self, crew: Crew, missing: MissingStep, settings: HostSettings) -> None:
        step = self._step(missing)
        progress = StepProgress(self.progress, f"{self._where()}, {step.name}", len(missing.phases))
        logbook = Logbook(self.writer, missing.step, self.number, progress.over, self.tally)
        logbook.knobs = {agent.node: settings.of(node) for node, agent in crew.agents.items()}
        try:
            await self._measure(crew, missing, logbook, progress)
        finally:
            logbook.refused(crew.agents.values())
        logbook.finish()

    async def _measure(
        self, crew: Crew, missing: MissingStep, logbook: Logbook, progress: StepProgress
    ) -> None:
        step = self._step(missing)
        if step.is_real_program and isinstance(step.pattern, Hpl):
            await run_linpack_step(self.testbed, self._step_job(missing), step.pattern, logbook)
        elif step.is_webserver:
            agents = crew.need(self._nodes(missing))
            await run_web_step(agents, self._step_job(missing), logbook)
        elif step.is_multi_pair:
            await MultiPairStep(self.testbed, self._step_job(missing), logbook).run(crew)
        elif step.cast_file:
            await run_file_cast(crew, self._step_job(missing), logbook)
        elif not (step.is_ensemble or step.is_program):
            await self._run_pair(crew, missing, logbook, progress)
        elif step.is_adaptive:
            await self._run_adaptive(crew, missing, logbook, progress)
        else:
            await self._run_ensemble(crew, missing, logbook)

    async def _run_pair(
        self, crew: Crew, missing: MissingStep, logbook: Logbook, progress: StepProgress
    ) -> None:
        agents = crew.need(self._nodes(missing))
        job = self._step_job(missing)
        take, pinning = _handing_over(logbook), Pinning(logbook, progress)
        if not missing.phases and not pinning.is_needed:
            return
        if job.step.has_gamma:
            job = await with_work(agents, job, self.writer.meta)
        if job.step.transport == "mpi":
            outcome = await run_mpi_step(
                self.testbed, agents, job, take, pinning.next_batches, logbook.evidence.take
            )
        else:
            outcome = await run_step(
                agents,
                job,
                take,
                logbook.deliveries,
                pinning.next_batches,
                on_evidence=logbook.evidence.take,
            )
        for name, settings in outcome.effective.items():
            logbook.settings(name, settings)

    def _step_job(self, missing: MissingStep) -> StepJob:
        return StepJob(
            step_index=missing.step,
            step=self.agenda.step(missing),
            launch=self.number,
            phases=missing.phases,
            nodes=self.testbed.nodes,
            known=self.agenda.known(missing),
            token=self.token,
            epoch_ns=self.epoch_ns,
            patience_s=self.patience_s,
        )

    async def _run_ensemble(self, crew: Crew, missing: MissingStep, logbook: Logbook) -> None:
        self._begin(crew, missing, logbook)
        step = self._step(missing)
        phases = expand(step, len(self.testbed.nodes))
        left = [phase for phase in phases if phase.index in set(missing.phases)]
        # Agents carry the others out, unless all is over MPI.
        is_mixed = step.transport != "mpi"
        of_library = library_phases(step, len(self.testbed.nodes)) if is_mixed else set()
        for is_library in (False, True):
            mine = [phase for phase in left if (phase.index in of_library) == is_library]
            if mine:
                ensemble = self._ensemble(crew, missing, logbook, is_library)
                await ensemble.run(mine)
                await ensemble.close()

    async def _run_adaptive(
        self, crew: Crew, missing: MissingStep, logbook: Logbook, progress: StepProgress
    ) -> None:
        meta = self.writer.meta
        chooser = self.choosers(self.writer, missing.step)
        meta.plan = meta.plan.with_step(missing.step, chooser.settle(self.writer.samples))
        self._begin(crew, missing, logbook)
        ensemble = self._ensemble(crew, missing, logbook)
        left = [one for one in chosen_phases(logbook) if one.index in set(missing.phases)]
        await AdaptiveStep(ensemble, chooser, logbook, progress).run(crew, left)
        await ensemble.close()

    def _begin(self, crew: Crew, missing: MissingStep, logbook: Logbook) -> None:
        """Note which nodes are missing, instead of what was missing before."""
        logbook.forget(missing.phases)
        for node in sorted(crew.lost.keys() & set(self._nodes(missing))):
            logbook.node_missing(node, crew.lost[node].reason, is_told=True)

    def _ensemble(
        self, crew: Crew, missing: MissingStep, logbook: Logbook, is_library: bool = False
    ) -> EnsembleEngine | MpiEnsemble:
        nodes = set(self._nodes(missing))
        job = self._step_job(missing)
        if job.step.transport == "mpi" or is_library:
            return MpiEnsemble(self.testbed, crew, nodes, job, logbook)
        return EnsembleEngine(crew, nodes, job, logbook)


def _handing_over(logbook: Logbook) -> Callable[[pa.RecordBatch], None]:
    """Takes the samples of whole phases, as agents that work in pairs send them."""

    def take(batch: pa.RecordBatch) -> None:
        logbook.phases_measured(batch.column("phase").unique().to_pylist(), [batch])

    return take
