"""What receiving costs, measured before the application of a live stream computes gamma times as much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from weft.diagnosis.node.receiving_cost import byte_ps, measured_cost, work_costs
from weft.execute.pair import StepJob, run_step
from weft.plan.pattern import Stream
from weft.plan.phases import expand
from weft.plan.plan import TimeRule
from weft.runs.meta import RunMeta
from weft.runs.records import Cost
from weft.testbed.agent.agent import Agent, AgentError, Recorded
from weft.testbed.agent.wire_format import Evidence

_TRIALS = TimeRule(trial_ns=250_000_000, trials=4)
"""Kernels count soft interrupts in ticks of up to 10 ms."""


@dataclass
class _Heard:
    """What the two agents said."""

    samples: list[pa.RecordBatch] = field(default_factory=list)
    evidence: dict[int, list[pa.RecordBatch]] = field(default_factory=lambda: defaultdict(list))

    def take(self, node: int, said: Recorded) -> None:
        if isinstance(said, Evidence):
            self.evidence[node].append(said.rows)

    def rows(self, node: int, phase: int) -> pa.Table:
        """A node's evidence beside a phase."""
        table = pa.Table.from_batches(self.evidence[node])
        at = table.column_names.index("counter")
        table = table.set_column(at, "counter", table["counter"].cast("string"))
        return table.filter(pc.equal(table["phase"], phase))


async def with_work(agents: Sequence[Agent], job: StepJob, meta: RunMeta) -> StepJob:
    """The job with what a byte of each size costs, which is measured first and noted in the run; raises AgentError."""
    known = {(one["step"], one["launch"]) for one in meta.costs}
    if (job.step_index, job.launch) not in known:
        meta.costs.extend(await _measured(agents, job))
    costs = work_costs(meta, job.step_index)
    return replace(job, costs_ps=tuple((one["size_bytes"], byte_ps(one)) for one in costs))


async def _measured(agents: Sequence[Agent], job: StepJob) -> Iterable[Cost]:
    """The costs of all sizes of the step, from a second of each at gamma 0."""
    assert isinstance(job.step.pattern, Stream)
    pattern = msgspec.structs.replace(job.step.pattern, gamma=(0.0,))
    step = msgspec.structs.replace(job.step, pattern=pattern, stop=_TRIALS)
    phases = expand(step, len(job.nodes))
    alone = replace(job, step=step, phases=[one.index for one in phases])
    heard = _Heard()
    outcome = await run_step(list(agents), alone, heard.samples.append, on_evidence=heard.take)
    receiver = agents[1].node
    cpus = outcome.effective[receiver].get("cpus")
    if not (isinstance(cpus, list) and heard.evidence[0] and heard.evidence[1]):
        raise AgentError(receiver, "no-evidence", "says nothing of its processor time", [])
    samples = pa.Table.from_batches(heard.samples)
    return [
        measured_cost(
            (job.step_index, job.launch, phase.size_bytes),
            _moved(samples, phase.index),
            (heard.rows(0, phase.index), heard.rows(1, phase.index)),
            cpus[0],
        )
        for phase in phases
    ]


def _moved(samples: pa.Table, phase: int) -> tuple[int, int]:
    """Bytes and nanoseconds of all batches of a phase."""
    mine = samples.filter(pc.equal(samples["phase"], phase))
    sizes = pc.multiply(mine["size_bytes"], mine["messages"].cast(pa.int64()))
    return int(pc.sum(sizes).as_py()), int(pc.sum(mine["elapsed_ns"]).as_py())
