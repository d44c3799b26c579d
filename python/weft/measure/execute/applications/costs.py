"""The processor cost of receiving, measured before the application of a live stream computes gamma times as much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from weft.measure.execute.pair import StepJob, run_step
from weft.measure.testbed.agent.agent import Agent, AgentError, Recorded
from weft.measure.testbed.agent.wire_format import Evidence
from weft.plan.pattern import Stream
from weft.plan.phases import expand
from weft.plan.plan import TimeRule
from weft.runs.meta import RunMeta
from weft.runs.records.records import ReceivingCost
from weft.understand.kinds.loads.receiving_cost import busy_cost, byte_ps, measured_cost, work_costs

_TRIALS = TimeRule(trial_ns=250_000_000, trials=4)
"""Long trials, because kernels count soft interrupts in ticks of up to 10 ms."""
_LEAST_NS = 600_000_000
_ROUNDS = 4
"""Other work on the machine spoils the estimate of how many messages a trial needs; it is repeated at most this
often."""
_UNREAD_IS_LOST = ("udp",)
"""Without flow control, a receiver that computes receives less instead of later."""


@dataclass
class _Heard:
    """Samples and evidence of the two agents."""

    sizes: list[tuple[int, int]]
    """Phase and message size in bytes."""
    cpu: int = 0
    """The receiver's processor."""
    samples: list[pa.RecordBatch] = field(default_factory=list)
    evidence: dict[int, list[pa.RecordBatch]] = field(default_factory=lambda: defaultdict(list))

    def take(self, node: int, said: Recorded) -> None:
        if isinstance(said, Evidence):
            self.evidence[node].append(said.rows)

    def rows(self, node: int, phase: int) -> pa.Table:
        """A node's evidence of a phase."""
        table = pa.Table.from_batches(self.evidence[node])
        at = table.column_names.index("counter")
        table = table.set_column(at, "counter", table["counter"].cast("string"))
        return table.filter(pc.equal(table["phase"], phase))

    def moved(self, phase: int) -> tuple[int, int]:
        """Bytes and nanoseconds, summed over all batches of a phase."""
        samples = pa.Table.from_batches(self.samples)
        mine = samples.filter(pc.equal(samples["phase"], phase))
        sizes = pc.multiply(mine["size_bytes"], mine["messages"].cast(pa.int64()))
        return int(pc.sum(sizes).as_py()), int(pc.sum(mine["elapsed_ns"]).as_py())

    def shortest_ns(self) -> int:
        """Measured time of the phase that was measured least."""
        return min(self.moved(phase)[1] for phase, _ in self.sizes)


async def with_work(
    agents: Sequence[Agent], job: StepJob, pattern: Stream, meta: RunMeta
) -> StepJob:
    """The job with the cost of receiving a byte of each size, which is measured first and recorded in the run; raises
    AgentError."""
    known = {(one["step"], one["launch"]) for one in meta.costs}
    if (job.step_index, job.launch) not in known:
        meta.costs.extend(await _measured(agents, job, pattern))
    costs = work_costs(meta, job.step_index)
    return replace(job, costs_ps=tuple((one["size_bytes"], byte_ps(one)) for one in costs))


async def _measured(agents: Sequence[Agent], job: StepJob, pattern: Stream) -> list[ReceivingCost]:
    """The costs of all sizes of the step, measured for about a second each at gamma 0 and at a gamma of about 1."""
    heard = await _measure(agents, job, _at_gamma(pattern, 0.0))
    costs = [
        measured_cost(
            (job.step_index, job.launch, size_bytes),
            heard.moved(phase),
            (heard.rows(0, phase), heard.rows(1, phase)),
            heard.cpu,
        )
        for phase, size_bytes in heard.sizes
    ]
    if job.step.transport not in _UNREAD_IS_LOST:
        work = tuple((one["size_bytes"], byte_ps(one)) for one in costs)
        loaded = await _measure(agents, replace(job, costs_ps=work), _at_gamma(pattern, 1.0))
        for cost, (phase, _) in zip(costs, loaded.sizes, strict=True):
            cost["busy"] = busy_cost(loaded.moved(phase)[0], loaded.rows(1, phase), loaded.cpu)
    return costs


def _at_gamma(pattern: Stream, gamma: float) -> Stream:
    return msgspec.structs.replace(pattern, gamma=(gamma,))


async def _measure(agents: Sequence[Agent], job: StepJob, pattern: Stream) -> _Heard:
    """Measure all sizes of the step at one gamma until each was measured for long enough."""
    step = msgspec.structs.replace(job.step, pattern=pattern, stop=_TRIALS)
    phases = expand(step, len(job.nodes))
    alone = replace(job, step=step, phases=[one.index for one in phases])
    heard = _Heard([(one.index, one.size_bytes) for one in phases])
    for _ in range(_ROUNDS):
        outcome = await run_step(list(agents), alone, heard.samples.append, on_evidence=heard.take)
        cpus = outcome.effective[agents[1].node].get("cpus")
        if not (isinstance(cpus, list) and heard.evidence[0] and heard.evidence[1]):
            reason = "says nothing of its processor time"
            raise AgentError(agents[1].node, "no-evidence", reason, [])
        heard.cpu = cpus[0]
        if heard.shortest_ns() >= _LEAST_NS:
            break
    return heard
