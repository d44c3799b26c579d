"""Steps in which what a node does depends on what it and others have done."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NoReturn, TypeVar

from weft import _core
from weft.base.errors import RequestError
from weft.measure.execute.ensemble.work import ProgramWork, Work
from weft.measure.execute.kinds.kind import Settled
from weft.measure.execute.kinds.phases import EnsembleKind
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.measure.testbed.processors import blocking
from weft.plan.pattern import Compute, Dependent, Halo, Hpl, Program
from weft.plan.phases import expand

D = TypeVar("D", bound=Dependent, covariant=True)
C = TypeVar("C", bound=Program | Halo | Hpl, covariant=True)


class ProgramKind(EnsembleKind[D]):
    """A program derived from the step: each node plays a rank."""

    runs_on_one_machine = True
    """Whether its ranks can be processes of one machine."""

    def nodes(self, testbed_nodes: int) -> list[int]:
        expand(self.step, testbed_nodes)  # refuses too few
        return sorted(self.ranks(testbed_nodes))

    def refuse_testbed(self, kind: str, name: str) -> None:
        if kind == "node" or (kind == "local" and not self.runs_on_one_machine):
            self._refuse(kind, name)

    def _refuse(self, kind: str, name: str) -> NoReturn:
        article = "an" if self.pattern.kind[0] in "aeiou" else "a"
        raise RequestError(
            f"step {self.step.name!r} is {article} {self.pattern.kind}, which is between nodes; {kind}:{name} cannot "
            "run it",
            "run it on sim:FABRIC, lab:FABRIC or your machines, such as --on sim:two-racks",
        )

    def check_nodes(self, nodes: Sequence[Node], dead: Collection[int] = ()) -> None:
        """Refuse nodes that cannot be its ranks, and steps for which there is no program; raises RequestError."""
        check_alive(self.ranks(len(nodes)), nodes, dead)

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        network = self.network(testbed)
        network.check(self.step)
        self.check_nodes(network.nodes, network.dead)
        return self.step, []

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        self.check_nodes(testbed.nodes)
        return blocking(self.step, testbed, cpus), []

    def network(self, testbed: Simulator) -> SimulatedNetwork:
        """The testbed, which must be a network; raises RequestError."""
        if not isinstance(testbed, SimulatedNetwork):
            self._refuse(testbed.kind, testbed.name)
        return testbed

    def simulate(
        self, testbed: Simulator, first: int, last: int, with_loads: bool
    ) -> SimulatedPhases:
        return self.network(testbed).play(self.step, first, last)

    @property
    def compute(self) -> Compute:
        """How agents spend the computing time of the program."""
        return "spin"

    def trace(self) -> _core.Program | None:
        """The program, if it does not follow from the step."""
        return None

    def work(self, job: StepJob) -> Work:
        ranks = tuple(self.ranks(len(job.nodes)))
        # Settled for a trace, too, when its digest was taken.
        rendezvous_bytes = self.pattern.rendezvous_bytes or 0
        return ProgramWork(job, ranks, self.compute, self.trace(), rendezvous_bytes)


class ComputingKind(ProgramKind[C]):
    """A program whose plan may say how its nodes compute."""

    @property
    def compute(self) -> Compute:
        return self.pattern.compute or "spin"

    def settled_compute(self, testbed: Testbed) -> Compute:
        """How nodes compute on a testbed; processes that spin need a processor each."""
        return self.pattern.compute or ("spin" if testbed.may_spin else "sleep")


def check_alive(hosts: Iterable[int], nodes: Sequence[Node], dead: Collection[int]) -> None:
    """Raise RequestError if a rank's node has a dead link."""
    for rank, host in enumerate(hosts):
        if host in dead:
            raise RequestError(
                f"{nodes[host].name}: its link is dead, and it would be rank {rank}",
                "choose other nodes with `nodes`",
            )
