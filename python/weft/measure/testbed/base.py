"""The interface of all testbeds."""

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
    """A machine that agents run on, and the addresses at which others reach it.

    `addresses` has one address for each of the node's networks; `address` is the first. If `ports` is set, data arrives
    on these ports only. `bond` is its address on a bond of its interfaces, if weft made one.
    """

    name: str
    address: str
    addresses: tuple[str, ...] = ()
    ports: PortRange | None = None
    bond: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """Its addresses, at least one."""
        return self.addresses or (self.address,)

    @property
    def with_bond(self) -> tuple[str, ...]:
        """Its addresses, followed by the one on the bond, if it has a bond."""
        return (*self.places, self.bond) if self.bond else self.places


class Frames(NamedTuple):
    """How many frames were forwarded, and the total delay of those that were late."""

    forwarded: int
    late_ns: int


class Testbed(Protocol):
    """Nodes, and how to start a program on each."""

    @property
    def kind(self) -> str:
        """The kind of testbed, such as "lab"."""

    @property
    def name(self) -> str:
        """The fabric or file that it was made from."""

    @property
    def nodes(self) -> Sequence[Node]:
        """Its nodes; an index into them is a node's number in a run."""

    @property
    def cpus(self) -> list[int] | None:
        """The processors to pin the nodes' agents to, or None to let the kernel place them."""

    @property
    def is_computed(self) -> bool:
        """Whether it is a simulator: nothing can be started, and every launch gives the same results."""

    @property
    def is_here(self) -> bool:
        """Whether programs on its nodes run on this machine's processors."""

    @property
    def launchers(self) -> Sequence[str]:
        """What starts programs on its nodes, such as "ssh", if they are other machines."""

    @property
    def may_spin(self) -> bool:
        """Whether each agent can have a processor to itself all the time."""

    @property
    def warnings(self) -> list[Warning]:
        """Warnings needed to interpret results from the testbed, as of now."""

    def frames(self) -> Frames | None:
        """How many frames it has forwarded itself so far; None if it forwards none."""

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json."""

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        """The command that runs a program on a node."""

    def login(self, node: Node) -> str:
        """How a node is reached to start a program there, as text."""

    def machine(self, node: Node) -> str:
        """A name or address of a node's machine, which several nodes may share."""

    async def keep(self, path: Path, nodes: Sequence[int]) -> list[str]:
        """The path of a program of this machine on each of the nodes, after it was copied there; raises AgentError."""

    async def start_agents(self, nodes: Sequence[int]) -> dict[int, Agent | AgentError]:
        """Start an agent on each of the nodes (by number) at the same time; gives the agent, or the reason why there is
        none."""

    def failure(self) -> str | None:
        """Why nothing can run here any more; None if it can."""

    def close(self) -> None:
        """Release what was opened. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class BaseTestbed:
    """Defaults of testbeds: nodes on this machine, with nothing to release."""

    is_computed = False
    is_here = True
    launchers: Sequence[str] = ()

    def machine(self, node: Node) -> str:
        return node.address

    async def keep(self, path: Path, nodes: Sequence[int]) -> list[str]:
        """The path itself, since the nodes see this machine's files."""
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
        """None: something else forwards them."""
        return None

    def failure(self) -> str | None:
        """None: nodes may fail, but not the testbed."""
        return None

    def close(self) -> None:
        """Release what was opened, which is nothing here."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
