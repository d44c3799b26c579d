"""A traffic simulation over increasing numbers of nodes."""

from __future__ import annotations

from msgspec.structs import replace

from weft import _core
from weft.base.errors import RequestError
from weft.base.quantity import format_us
from weft.measure.execute.ensemble.work import TrafficWork
from weft.measure.execute.kinds.program import ProgramKind
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.plan.pattern import Traffic
from weft.plan.plan import Step, to_json


class TrafficKind(ProgramKind[Traffic]):
    """Cars that drive from node to node."""

    runs_on_one_machine = False

    def with_scale(self, testbed: Testbed) -> Step:
        """The step with the run's scale if the plan has none, so that messages shrink as rates do. Raises RequestError
        if cars have no routes or there are too few nodes."""
        pattern = self.pattern
        if pattern.scale is None:
            scale = float(testbed.describe().get("scale", 1.0))
            pattern = replace(pattern, scale=min(scale, 1.0))
        step = replace(self.step, pattern=pattern)
        members = len(step.members(len(testbed.nodes)))
        most = max(_core.traffic_counts(to_json(step), members))
        if most > members:
            raise RequestError(
                f"step {step.name!r}: counts has {most} nodes, and there are {members}",
                "leave it out, or take a larger network",
            )
        try:
            _core.check_traffic(to_json(step))
        except _core.RefusedError as error:
            raise RequestError(
                f"step {step.name!r}: {error.message}", "open links of `closed`"
            ) from None
        return step

    def simulate(
        self, testbed: Simulator, first: int, last: int, with_loads: bool
    ) -> SimulatedPhases:
        return self.network(testbed).drive(self.step, first, last)

    @property
    def compute_source(self) -> str:
        if self.pattern.compute_ns:
            return f"`compute` of the plan, {format_us(self.pattern.compute_ns / 1e3)} a car"
        return "none: the plan has no `compute`, and what nodes compute beside is not predicted"

    def work(self, job: StepJob) -> TrafficWork:
        return TrafficWork(job, self.pattern, self.step.members(len(job.nodes)))
