"""High-performance Linpack: simulated as a program of messages, or the real program."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from weft import _core
from weft.measure.execute.kinds.kind import LaunchedStep, Settled
from weft.measure.execute.kinds.program import ComputingKind
from weft.measure.execute.linpack.compute_rate import with_rates
from weft.measure.execute.linpack.program import grid_nodes, make_ready
from weft.measure.execute.linpack.size import with_size
from weft.measure.execute.linpack.step import run_linpack_step
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.processors import blocking
from weft.plan.pattern import Hpl
from weft.plan.phases import expand
from weft.plan.plan import to_json


class LinpackKind(ComputingKind[Hpl]):
    """Linpack's messages and computing times, on a grid of processes."""

    @property
    def asks_nodes(self) -> bool:
        """Settling asks for the nodes' speed and memory."""
        return True

    def ranks(self, testbed_nodes: int) -> list[int]:
        """A node for each process of the grid."""
        return grid_nodes(self.step, testbed_nodes)

    def nodes(self, testbed_nodes: int) -> list[int]:
        """The nodes in the order of the processes; raises RequestError if there are too few."""
        expand(self.step, testbed_nodes)  # refuses too few
        return self.ranks(testbed_nodes)

    def with_amount(self, testbed: Testbed, launches: int) -> Settled:
        return with_size(self.step, self.pattern, testbed, launches)

    def check_nodes(self, nodes: Sequence[Node], dead: Collection[int] = ()) -> None:
        super().check_nodes(nodes, dead)
        _core.Program.check_hpl(to_json(self.step), len(nodes))

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        super().settle_simulated(testbed, cpus)
        return with_rates(self.step, self.pattern, 1, None)

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        self.check_nodes(testbed.nodes)
        step, said = with_rates(self.step, self.pattern, 1, None)
        nodes = tuple(self.ranks(len(testbed.nodes)))
        compute = self.settled_compute(testbed)
        step = replace(step, pattern=replace(step.pattern, nodes=nodes, compute=compute))
        return blocking(step, testbed, cpus), said

    @property
    def compute_source(self) -> str:
        return "`dgemm` and `panel` of the plan"


class RealLinpackKind(LinpackKind):
    """The real program, over MPI."""

    @property
    def uses_mpi(self) -> bool:
        """It does not use weft's MPI program."""
        return False

    def kernel_needs(self) -> list[str]:
        return []

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        self.check_nodes(testbed.nodes)
        make_ready(self.step, self.pattern, testbed)
        return self.step, []

    async def carry_out(self, launched: LaunchedStep) -> None:
        await run_linpack_step(launched.testbed, launched.job, self.pattern, launched.logbook)
