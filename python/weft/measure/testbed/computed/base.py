"""What simulators have in common as testbeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Generic, NoReturn, TypeAlias, TypeGuard, TypeVar

import pyarrow as pa

from weft import _core
from weft.base.errors import RequestError
from weft.measure.testbed.base import BaseTestbed, Node, Testbed
from weft.measure.testbed.computed.options import refuse_ignored
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.plan.pattern import AllToAll, Policy
from weft.plan.phases import Phase
from weft.plan.plan import Step, to_json
from weft.runs.meta import Warning
from weft.runs.records import records

_OWN_CAP = "its own window, overhead or unshared link"
MOST_TRANSFERS = 2_000_000_000
"""Steps with more transfers would take too long."""
_TRANSFERS_PER_S = 5e6
"""Rate for phased all-to-all of 16,384 hosts on two cores (docs/benchmarks.md)."""


Model = TypeVar("Model", _core.Network, _core.Machine)


class ComputedTestbed(BaseTestbed, ABC, Generic[Model]):
    """A prepared model of nodes; nothing runs on real machines."""

    cpus = None
    may_spin = False
    is_computed = True
    is_here = False
    transports: tuple[str, ...] = ("tcp",)
    computes = False
    """Whether it simulates the computation of applications."""
    policies: tuple[Policy, ...] = ("alone", "independent", "striped", "shared", "bonded")
    """Policies by which pairs may use the interfaces of its nodes."""

    def __init__(self, model: Model) -> None:
        self.model: Model = model
        self.warnings: list[Warning] = []

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind of testbed."""

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def nodes(self) -> list[Node]:
        places = ("",) * self.model.networks()
        return [Node(name, "", places) for name in self.model.hosts()]

    @cached_property
    def dead(self) -> set[int]:
        """The nodes that can neither send nor receive."""
        return set(self.model.dead_hosts())

    @cached_property
    def constraint_names(self) -> pa.Array:
        """Names of what may limit a transfer: the constraints, followed by the other possible limits."""
        return pa.array([*self.model.constraints(), "nothing", _OWN_CAP])

    @abstractmethod
    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json."""

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        """Raises RequestError: nothing can be started on simulated nodes."""
        raise RequestError(f"{node.name} is simulated: {argv[0]} cannot be started there")

    def login(self, node: Node) -> str:
        """Raises RequestError: there is nothing to log into."""
        return "none: it is simulated"

    async def start_agents(self, nodes: Sequence[int]) -> NoReturn:
        """Raises RequestError: there are no agents."""
        raise RequestError(f"{self.name} is simulated: no agent can be started there")

    def check(self, step: Step) -> None:
        """Refuse a step that cannot be simulated here; raises RequestError."""
        if step.transport == "null":
            raise RequestError(
                f"step {step.name!r} measures the probe's own loop: there is nothing to simulate",
                "run it on lab:pair",
            )
        if step.transport not in self.transports:
            *most, last = (one.upper() for one in self.transports)
            known = f"{', '.join(most)} and {last}" if most else last
            raise RequestError(
                f"step {step.name!r} is over {step.transport}; only {known} "
                f"{'is' if len(self.transports) == 1 else 'are'} simulated on {self.kind}:{self.name}",
                "run it on local: or on lab:FABRIC",
            )
        refuse_ignored(step, self.kind, self.name)
        transfers = self.transfers(step)
        if transfers > MOST_TRANSFERS:
            raise RequestError(
                f"step {step.name!r} has up to {transfers:,} transfers over {len(self.nodes):,} nodes: "
                f"about {transfers / _TRANSFERS_PER_S / 60:,.0f} minutes",
                f"a simulated step has at most {MOST_TRANSFERS:,}; choose fewer with `nodes`, or another pattern",
            )

    def transfers(self, step: Step) -> int:
        """About how many transfers a step has at most; an adaptive step chooses them while it runs."""
        members = len(step.members(len(self.nodes)))
        unphased = isinstance(step.pattern, AllToAll) and step.pattern.mode == "unphased"
        each = members * (members - 1) if unphased else members
        return each * self.phase_count(step)

    @property
    def port_mbps(self) -> float:
        """The link rate of a typical host in Mb/s on the wire; 0 if unknown."""
        return 0.0

    @property
    def enough_bytes(self) -> int:
        """Message size, a power of two, that fills a typical host's link; 0 if unknown."""
        return 0

    def rows_of_phase(self, step: Step) -> int | None:
        """About how many samples of each phase `simulate` keeps, beside a digest; None if it keeps all."""
        return None

    def phase_count(self, step: Step) -> int:
        """How many phases a step has here; an adaptive step chooses them while it runs."""
        return self.model.phase_count(to_json(step))

    def chunk(self, step: Step) -> int:
        """How many phases of a step to simulate at a time."""
        return max(1, self.phase_count(step))

    def settings(self, step: Step) -> dict[str, str | int]:
        """The effective settings of a step's transport, as far as they are known."""
        return {}

    @abstractmethod
    def simulate(
        self, step: Step, first: int, last: int, with_loads: bool = False
    ) -> SimulatedPhases:
        """Simulate the phases of a resolved step from `first` up to, but not including, `last`."""

    @abstractmethod
    def simulate_chosen(
        self, step: Step, phases: list[Phase], with_loads: bool = False
    ) -> SimulatedPhases:
        """Simulate phases that were chosen for a step, each with its `stop`."""

    @abstractmethod
    def tables(self, outcome: SimulatedPhases, step: int, clock_ns: int) -> dict[str, pa.Table]:
        """The tables that a run keeps beside its samples, by file name."""


Simulator: TypeAlias = ComputedTestbed[_core.Network] | ComputedTestbed[_core.Machine]


def is_computed(testbed: Testbed) -> TypeGuard[Simulator]:
    """Whether a testbed is a simulator."""
    return testbed.is_computed
