"""One launch: fresh agents, and fresh connections for each step."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from weft.measure.execute.agenda import Agenda
from weft.measure.execute.crew import Crew, not_started
from weft.measure.execute.host_settings.settings import HostSettings
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.kinds.kind import LaunchedStep
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob
from weft.measure.execute.progress import Reporter, StepProgress
from weft.measure.execute.race import RaceAgenda
from weft.measure.testbed.base import Testbed
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
    agenda: Agenda | RaceAgenda
    token: str
    epoch_ns: int
    anyway: bool = False
    """Whether the interface that ssh came in on may be changed."""
    tally: Tally = field(default_factory=Tally)
    """What the evidence of all steps says about processors."""

    async def run(self, steps: list[MissingStep]) -> None:
        """Measure what the steps lack; raises AgentError or TooFewNodes."""
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
        return kind_of(self._step(missing)).nodes(len(self.testbed.nodes))

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
        """Warn of nodes that did not start, with reasons, in one table; if a pair needs one of them, the launch fails
        with its error instead."""
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
        nodes, job = self._nodes(missing), self._step_job(missing)
        try:
            await kind_of(step).carry_out(
                LaunchedStep(self.testbed, crew, nodes, job, logbook, progress)
            )
        finally:
            logbook.refused(crew.agents.values())
        kind_of(self._step(missing)).finish(logbook)

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
