"""Running a plan with live agents: launches, failures, and what is written when."""

from __future__ import annotations

import asyncio
import datetime
import secrets
import signal
import time
from collections.abc import Callable
from typing import Any, Protocol

import pyarrow as pa

from weft import binaries
from weft.run.folder import Run, RunWriter
from weft.run.meta import Status
from weft.run.missing import MissingStep, missing_steps
from weft.testbed.agent import Agent, AgentError
from weft.testbed.base import Testbed
from weft.testbed.pair import StepJob, StepOutcome, run_step

MAX_FAILED_LAUNCHES = 2
"""After so many failed launches in a row the rest is not tried."""


class Progress(Protocol):
    """Hears how far the run is."""

    def start(self, phases: int) -> None: ...
    def advance(self, phases: int) -> None: ...
    def describe(self, text: str) -> None: ...


def monotonic_start_ns(started: str) -> int:
    """When a run was started, on this machine's monotonic clock, so that a resumed run keeps its clock."""
    now = datetime.datetime.now(datetime.UTC)
    age = now - datetime.datetime.fromisoformat(started)
    return time.monotonic_ns() - age // datetime.timedelta(microseconds=1) * 1000


class LiveRun:
    """Carries out what a run lacks on a testbed, writing as it goes."""

    def __init__(
        self, testbed: Testbed, writer: RunWriter, progress: Progress, patience_s: float
    ) -> None:
        self._testbed = testbed
        self._writer = writer
        self._meta = writer.meta
        self._progress = progress
        self._patience_ms = round(patience_s * 1000)
        self._token = secrets.token_hex(32)
        self._epoch_ns = monotonic_start_ns(self._meta.started)

    def run(self) -> Run:
        """Do everything that is missing; an interrupt keeps what was measured."""
        missing = missing_steps(self._meta, self._writer.samples)
        self._progress.start(sum(len(step.phases) for step in missing))
        try:
            asyncio.run(self._run_launches(missing))
        except (KeyboardInterrupt, asyncio.CancelledError):
            self._meta.warn(
                "interrupted",
                "the run was interrupted",
                f"continue it with `weft run --resume {self._writer.directory}`",
            )
        for warning in self._testbed.warnings:
            self._meta.warn(warning.code, warning.message, warning.hint)
        return self._writer.finish(self._status())

    def _status(self) -> Status:
        wanted = self._meta.plan["launches"] * len(self._meta.plan["steps"])
        if len(self._meta.done) == wanted:
            return "complete"
        return "partial" if self._writer.samples.num_rows else "failed"

    async def _run_launches(self, missing: list[MissingStep]) -> None:
        """All launches; a request to terminate ends them as an interrupt would."""
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        failed_in_a_row = 0
        for launch in sorted({step.launch for step in missing}):
            steps = [step for step in missing if step.launch == launch]
            try:
                await self._run_launch(launch, steps)
                failed_in_a_row = 0
            except AgentError as error:
                failed_in_a_row += 1
                self._note_failure(error, launch)
            if failed_in_a_row == MAX_FAILED_LAUNCHES:
                self._meta.warn(
                    "gave-up",
                    f"{failed_in_a_row} launches in a row failed; the rest was not tried",
                    f"mend what failed, then `weft run --resume {self._writer.directory}`",
                )
                return

    def _note_failure(self, error: AgentError, launch: int) -> None:
        self._writer.sync()
        self._meta.warn(
            error.code,
            f"launch {launch}: {error.message}",
            "samples measured before are kept; `weft run --resume` repeats only what is missing",
        )

    async def _run_launch(self, launch: int, steps: list[MissingStep]) -> None:
        """One launch: fresh processes, and fresh connections for each step."""
        self._progress.describe(f"launch {launch + 1} of {self._meta.plan['launches']}")
        agents = await self._start_agents()
        try:
            self._record_nodes(agents)
            for missing in steps:
                await self._run_step(agents, missing)
        finally:
            await asyncio.gather(*(agent.close() for agent in agents))

    async def _start_agents(self) -> list[Agent]:
        probe = str(binaries.find("weft-probe"))
        starts = [
            Agent.start(node.name, self._testbed.node_command(node, [probe]))
            for node in self._testbed.nodes
        ]
        results = await asyncio.gather(*starts, return_exceptions=True)
        agents = [result for result in results if isinstance(result, Agent)]
        failures = [result for result in results if isinstance(result, BaseException)]
        if failures:
            await asyncio.gather(*(agent.close() for agent in agents))
            raise failures[0]
        return agents

    def _record_nodes(self, agents: list[Agent]) -> None:
        for node, agent in zip(self._meta.nodes, agents, strict=True):
            node["facts"] = agent.facts
        self._meta.timing = [{"node": agent.node} | agent.timing for agent in agents]

    async def _run_step(self, agents: list[Agent], missing: MissingStep) -> None:
        step = self._meta.plan["steps"][missing.step]
        outcome = await run_step(agents, self._job(step, missing), self._counting_samples())
        self._record_outcome(step, missing, outcome)
        self._writer.sync()

    def _job(self, step: dict[str, Any], missing: MissingStep) -> StepJob:
        return StepJob(
            step_index=missing.step,
            step=step,
            launch=missing.launch,
            phases=missing.phases,
            addresses=[node.address for node in self._testbed.nodes],
            token=self._token,
            epoch_ns=self._epoch_ns,
            patience_ms=self._patience_ms,
        )

    def _counting_samples(self) -> Callable[[pa.RecordBatch], None]:
        def take(batch: pa.RecordBatch) -> None:
            self._writer.append(batch)
            self._progress.advance(len(batch.column("phase").unique()))

        return take

    def _record_outcome(
        self, step: dict[str, Any], missing: MissingStep, outcome: StepOutcome
    ) -> None:
        self._meta.done.append([missing.step, missing.launch])
        for node, settings in outcome.effective.items():
            self._meta.effective.append(
                {"step": missing.step, "launch": missing.launch, "node": node, "settings": settings}
            )
            self._check_buffers(step, node, settings)
        for node, rejected in outcome.rejected.items():
            if rejected:
                self._meta.warn(
                    "strangers",
                    f"{node}: {rejected} connections to the data port did not present the run's token and were closed",
                    "something else talks to these ports: find out what, it may disturb the measurement",
                )

    def _check_buffers(self, step: dict[str, Any], node: str, settings: dict[str, Any]) -> None:
        for name, limit in (
            ("send_buffer_bytes", "wmem_max"),
            ("receive_buffer_bytes", "rmem_max"),
        ):
            asked = step["options"][name]
            if asked is not None and settings[name] < 2 * asked:
                self._meta.warn(
                    "buffer-capped",
                    f"{node}: asked for a {name.removesuffix('_bytes').replace('_', ' ')} of {asked} bytes, "
                    f"the kernel gave {settings[name] // 2}",
                    f"raise net.core.{limit} on {node}, or ask for less",
                )
