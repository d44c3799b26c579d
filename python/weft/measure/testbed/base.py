"""What every testbed looks like to the rest of weft."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from weft.base import binaries
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.ports import PortRange
from weft.runs.meta import Warning
from weft.runs.records import records


@dataclass(frozen=True)
class Node:
    """A machine that agents run on, and where the others reach it.

    `addresses` has one address for each network that the node is in, `address` being the first of them. Data comes in
    on `ports` only, where there are any. `bond` is its address on a bond of its interfaces, where weft made one.
    """

    name: str
    address: str
    addresses: tuple[str, ...] = ()
    ports: PortRange | None = None
    bond: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """Its addresses, one at least."""
        return self.addresses or (self.address,)

    @property
    def with_bond(self) -> tuple[str, ...]:
        """Its addresses, and behind them that on the bond, if there is one."""
        return (*self.places, self.bond) if self.bond else self.places


class Frames(NamedTuple):
    """How many frames were forwarded, and by how much those that were too late were so, together."""

    forwarded: int
    late_ns: int


class Testbed(Protocol):
    """Nodes, and how to start a program on each."""

    @property
    def kind(self) -> str:
        """What sort of testbed: "lab", ..."""

    @property
    def name(self) -> str:
        """The fabric or file it was made from."""

    @property
    def nodes(self) -> Sequence[Node]:
        """Its nodes; an index into them is a node's number in a run."""

    @property
    def cpus(self) -> list[int] | None:
        """The processors to pin the nodes' agents to, or None to let the kernel place them."""

    @property
    def is_computed(self) -> bool:
        """Whether results are computed: nothing can be started, and every launch gives the same."""

    @property
    def is_here(self) -> bool:
        """Whether programs on its nodes run on this machine's processors."""

    @property
    def launchers(self) -> Sequence[str]:
        """What starts programs on its nodes, where they are other machines: "ssh", ..."""

    @property
    def may_spin(self) -> bool:
        """Whether each agent can have a processor to itself all the time."""

    @property
    def warnings(self) -> list[Warning]:
        """What is needed to interpret results from the testbed, as of now."""

    def frames(self) -> Frames | None:
        """How many frames it has forwarded itself so far; None where it forwards none."""

    def describe(self) -> records.TestbedRecord:
        """What run.json says about the testbed."""

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        """The command that runs a program on a node."""

    def login(self, node: Node) -> str:
        """How a node is reached to start something there, in words."""

    def machine(self, node: Node) -> str:
        """A name or address of the machine that a node is; some nodes may share one."""

    async def keep(self, path: Path, nodes: Sequence[int]) -> list[str]:
        """Where each of the nodes has a program of this machine, after it was copied there; raises AgentError."""

    async def start_agents(self, nodes: Sequence[int]) -> dict[int, Agent | AgentError]:
        """Start an agent on each of the nodes (by number) at the same time: the agent, or why there is none."""

    def failure(self) -> str | None:
        """Why nothing can run here any more, if nothing can."""

    def close(self) -> None:
        """Give back what was opened. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class BaseTestbed:
    """What a testbed is unless it says otherwise: nodes on this machine, with nothing to give back."""

    is_computed = False
    is_here = True
    launchers: Sequence[str] = ()

    def machine(self, node: Node) -> str:
        return node.address

    async def keep(self, path: Path, nodes: Sequence[int]) -> list[str]:
        """They see this machine's files."""
        return [str(path)] * len(nodes)

    async def start_agents(self: Testbed, nodes: Sequence[int]) -> dict[int, Agent | AgentError]:
        program = [str(binaries.find("weft-probe"))]

        async def start(node: Node) -> Agent | AgentError:
            try:
                return await Agent.start(node.name, self.node_command(node, program))
            except AgentError as error:
                return error

        starts = (start(self.nodes[node]) for node in nodes)
        return dict(zip(nodes, await asyncio.gather(*starts), strict=True))

    def frames(self) -> Frames | None:
        """Something else carries them."""
        return None

    def failure(self) -> str | None:
        """Nodes may fail, the testbed does not."""
        return None

    def close(self) -> None:
        """Give back what was opened, which is nothing here."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
