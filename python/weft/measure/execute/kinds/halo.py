"""Exchanges with the neighbours on a grid of nodes."""

from __future__ import annotations

from msgspec.structs import replace

from weft.base.quantity import format_us
from weft.measure.execute.kinds.kind import Settled
from weft.measure.execute.kinds.program import ComputingKind
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Halo


class HaloKind(ComputingKind[Halo]):
    """Rounds of exchanges, with computation between them."""

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        step, notes = super().settle_live(testbed, cpus)
        compute = self.settled_compute(testbed)
        return replace(step, pattern=replace(self.pattern, compute=compute)), notes

    @property
    def compute_source(self) -> str:
        work_ns = self.pattern.work_ns
        return f"`work` of the plan, {format_us(work_ns / 1e3)} a round" if work_ns else ""
