"""Several pairs of processes between two nodes."""

from __future__ import annotations

from typing import NoReturn

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.crew import Crew
from weft.measure.execute.kinds.kind import LaunchedStep, Settled
from weft.measure.execute.kinds.pair import TwoNodes
from weft.measure.execute.multi_pair.settle import bond_of, settle_pairs
from weft.measure.execute.multi_pair.step import TRANSPORTS, MultiPairStep
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.plan.pattern import MultiPair
from weft.plan.plan import Step

BONDED = "bonded"


class MultiPairKind(TwoNodes[MultiPair]):
    """Pairs under each policy for the use of several interfaces."""

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        testbed.check(self.step)
        return settle_pairs(self.step, self.pattern, testbed, cpus)

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        return settle_pairs(self.step, self.pattern, testbed, cpus)

    def kernel_needs(self) -> list[str]:
        """The transports that its policies need, and bonds."""
        policies = self.pattern.interfaces
        carriers = [TRANSPORTS[policy] for policy in policies if policy in TRANSPORTS]
        return [*carriers, *([BONDED] if BONDED in policies else [])]

    async def ask(self, crew: Crew, testbed: Testbed) -> Step:
        """Also fill in the interface that bonds others."""
        step = await super().ask(crew, testbed)
        if BONDED not in self.pattern.interfaces:
            return step
        agents = crew.need(self.nodes(len(testbed.nodes)))
        bonded = bond_of(step, self.pattern.networks, testbed, agents)
        return replace(step, pattern=replace(self.pattern, bonded=bonded))

    def refuse_transport(self, transport: str, node: str, reason: str) -> NoReturn:
        policy = next(
            (one for one, carrier in TRANSPORTS.items() if carrier == transport), transport
        )
        raise RequestError(
            f"step {self.step.name!r}: interfaces = {policy} is over {transport}, which {node} "
            f"does not have: {reason}",
            "choose others with --interfaces",
        )

    async def carry_out(self, launched: LaunchedStep) -> None:
        step = MultiPairStep(launched.testbed, launched.job, self.pattern, launched.logbook)
        await step.run(launched.crew)
