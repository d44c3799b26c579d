"""A ping-pong, a stream or an exchange between two nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.kinds.kind import LaunchedStep, P, Settled, StepKind
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.mpi.step import run_mpi_step
from weft.measure.execute.pair import StepJob, run_step
from weft.measure.execute.pinning import JumpSearch
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.processors import chosen_cpus
from weft.plan.pattern import Exchange, Pingpong
from weft.plan.phases import expand


class TwoNodes(StepKind[P]):
    """A pattern between the first two nodes."""

    def nodes(self, testbed_nodes: int) -> list[int]:
        expand(self.step, testbed_nodes)  # refuses too few
        return list(range(min(2, testbed_nodes)))

    def callers(self, node: int, members: Sequence[int]) -> set[int]:
        """The first node connects to the second; over MPI each connects to the other."""
        if self.uses_mpi:
            return super().callers(node, members)
        return {members[0]} if node == members[-1] else set()


class PairKind(TwoNodes[P]):
    """Batches of messages, timed by the first node."""

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        """Spinning saves a wake-up but occupies a processor, so ends spin only if each has a processor to spare."""
        chosen = chosen_cpus(self.step, testbed, cpus)
        wait = self.step.options.wait
        if wait == "auto" and not self.uses_mpi:
            apart = chosen is not None and len(set(chosen[:2])) == 2
            wait = "spin" if apart and testbed.may_spin else "block"
        return replace(self.step, options=replace(self.step.options, cpus=chosen, wait=wait)), []

    async def job(self, launched: LaunchedStep) -> StepJob:
        """The job of the two ends; raises AgentError."""
        return launched.job

    async def carry_out(self, launched: LaunchedStep) -> None:
        logbook = launched.logbook
        agents = launched.crew.need(launched.nodes)
        take, pinning = _handing_over(logbook), JumpSearch(logbook, launched.progress)
        if not launched.job.phases and not pinning.is_needed:
            return
        job = await self.job(launched)
        evidence = logbook.evidence.take
        if self.uses_mpi:
            outcome = await run_mpi_step(
                launched.testbed, agents, job, take, pinning.next_batches, evidence
            )
        else:
            outcome = await run_step(
                agents, job, take, logbook.deliveries, pinning.next_batches, on_evidence=evidence
            )
        for name, settings in outcome.effective.items():
            logbook.settings(name, settings)


class PingpongKind(PairKind[Pingpong]):
    """A message in one direction, and one of the same size back."""


class ExchangeKind(PairKind[Exchange]):
    """Messages in both directions at once."""

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        raise RequestError(
            f"step {self.step.name!r} is an exchange, which is measured, not simulated",
            "run it on lab:pair; here run multipair with pairs = [1] and test = two-way",
        )


def _handing_over(logbook: Logbook) -> Callable[[pa.RecordBatch], None]:
    """Writes the samples of complete phases, as agents that work in pairs send them."""

    def take(batch: pa.RecordBatch) -> None:
        logbook.phases_measured(batch.column("phase").unique().to_pylist(), [batch])

    return take
