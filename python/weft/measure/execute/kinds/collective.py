"""One operation among all nodes, carried out by several algorithms."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from weft import _core
from weft.base.errors import RequestError
from weft.base.quantity import format_bytes
from weft.measure.execute.kinds.kind import Settled
from weft.measure.execute.kinds.program import ProgramKind
from weft.measure.execute.mpi.library import NO_LIBRARY, LibraryCalls, library_calls
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.free_memory import free_bytes
from weft.plan.pattern import Collective
from weft.plan.phases import expand
from weft.plan.plan import to_json

BUFFERS = 3
"""Buffers of a node: its own, and what it sends and receives at a time."""


class CollectiveKind(ProgramKind[Collective]):
    """Algorithms that are programs, and the operation of an MPI library."""

    @property
    def uses_mpi(self) -> bool:
        return super().uses_mpi or self.pattern.has_library

    def library_calls(self, testbed_nodes: int) -> LibraryCalls:
        if not self.pattern.has_library:
            return NO_LIBRARY
        return library_calls(self.step, self.pattern, testbed_nodes)

    def check_nodes(self, nodes: Sequence[Node], dead: Collection[int] = ()) -> None:
        """Also refuse algorithms that do not exist for this number of nodes."""
        super().check_nodes(nodes, dead)
        try:
            _core.Program.check_ways(to_json(self.step), len(self.step.members(len(nodes))))
        except RequestError as error:
            hint = "choose so many with `nodes`, or leave it out of `algorithms`"
            raise RequestError(f"step {self.step.name!r}: {error.message}", hint) from None

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        network = self.network(testbed)
        if self.pattern.has_library:
            raise RequestError(
                f"step {self.step.name!r}: how an MPI library does {self.pattern.operation} is known to it alone, so "
                f"that {network.name} cannot simulate it",
                "leave `library` out of `algorithms`, and --transport mpi out; measure it on local:, lab: or machines",
            )
        return super().settle_simulated(testbed, cpus)

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        settled = super().settle_live(testbed, cpus)
        self._check_buffers(testbed)
        return settled

    def _check_buffers(self, testbed: Testbed) -> None:
        """Refuse sizes that do not fit if all nodes share this machine's memory; raises RequestError. Agents on other
        machines report it themselves."""
        if not testbed.is_here:
            return
        largest = max(phase.size_bytes for phase in expand(self.step, len(testbed.nodes)))
        nodes = len(self.step.members(len(testbed.nodes)))
        free = free_bytes()
        if BUFFERS * nodes * largest <= free:
            return
        raise RequestError(
            f"step {self.step.name!r}: {format_bytes(largest)} at each of {nodes} nodes take up to "
            f"{format_bytes(BUFFERS * nodes * largest)} of memory, and this machine has {format_bytes(free)} free",
            f"take sizes of at most {format_bytes(free // (BUFFERS * nodes))}, or fewer `nodes`",
        )
