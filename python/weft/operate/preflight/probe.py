"""Inspects a cluster: agents report on their nodes, then test the paths to each other."""

from __future__ import annotations

import asyncio
import secrets
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec.structs import asdict

from weft.base.errors import RequestError
from weft.measure.execute.crew import Crew
from weft.measure.execute.mpi.trial import try_mpis
from weft.measure.execute.pair import endpoint
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.agent.agent import Agent, AgentError, Reason
from weft.measure.testbed.agent.reply import EchoReply, EchoStopReply, Facts, InspectReply, TryReply
from weft.measure.testbed.agent.request import Echo, Inspect, PathsRequest, Peer, StopEcho
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.operate.preflight.record import ClusterRecord, NodeRecord, PathRecord

ALL_PAIRS_UP_TO = 16
"""With more nodes, each tests those at distances 1, 2, 4, ... in both directions: every node is tested often, in few
rounds."""
ANSWER_WITHIN_S = 60.0
_STAGES = 3
"""Starting agents, inspecting nodes, trying MPI; each round of paths is one more stage."""

T = TypeVar("T")


def look(testbed: Testbed, reporter: Reporter | None = None) -> ClusterRecord:
    """Record the state of a testbed's nodes and data networks; raises RequestError for a simulator."""
    if testbed.is_computed:
        raise RequestError(
            f"{testbed.kind}:{testbed.name} is computed: there is nothing to check",
            "give a testbed that runs: lab:FABRIC, or real nodes",
        )
    return run_to_end(_Visit(testbed, reporter or Reporter()).record())


@dataclass
class _Visit:
    """One inspection. A node that fails is recorded as failed, and the others continue."""

    _testbed: Testbed
    _reporter: Reporter

    def __post_init__(self) -> None:
        self._nodes = list(self._testbed.nodes)
        self._token = secrets.token_hex(32)
        self._failures: dict[int, Reason] = {}
        self._complaints: dict[int, str] = {}
        self._refused: dict[int, int] = {}

    async def record(self) -> ClusterRecord:
        self._reporter.start(_STAGES)
        self._reporter.describe("starting agents")
        crew = await Crew.start(self._testbed, range(len(self._nodes)))
        # Some addresses are known only after agents have been asked.
        self._nodes = list(self._testbed.nodes)
        self._failures = {node: _reason(error) for node, error in crew.lost.items()}
        try:
            facts = {node: agent.facts for node, agent in crew.agents.items()}
            self._next("inspecting nodes")
            seen = await self._ask_all(crew, self._inspect)
            ports = await self._ask_all(crew, self._echo)
            paths = await self._paths(crew, ports)
            self._refused = await self._ask_all(crew, self._stop_echo)
        finally:
            await crew.close()
        nodes = [self._node(at, facts.get(at), seen.get(at)) for at in range(len(self._nodes))]
        self._next("trying MPI on this machine")
        mpis = try_mpis()
        self._reporter.advance(1)
        about = {"kind": self._testbed.kind, "name": self._testbed.name}
        return ClusterRecord(about, nodes, paths, mpis)

    def _next(self, stage: str) -> None:
        """End the previous stage and begin this one."""
        self._reporter.advance(1)
        self._reporter.describe(stage)

    async def _ask_all(self, crew: Crew, ask: Callable[[int, Agent], Awaitable[T]]) -> dict[int, T]:
        """The answers of all nodes without a failure so far; failures of others are recorded."""
        silent = self._failures.keys() | self._complaints.keys()
        asked = [node for node in crew.agents if node not in silent]
        answers = await asyncio.gather(
            *(_within(ask(node, crew.agents[node])) for node in asked), return_exceptions=True
        )
        found = {}
        for node, answer in zip(asked, answers, strict=True):
            if isinstance(answer, AgentError) and not answer.is_its_end:
                self._complaints[node] = answer.reason
            elif isinstance(answer, AgentError | TimeoutError):
                self._failures[node] = _reason(answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[node] = answer
        return found

    async def _inspect(self, node: int, agent: Agent) -> InspectReply:
        await agent.send(Inspect(addresses=self._addresses(node)))
        return await agent.expect(InspectReply)

    async def _echo(self, node: int, agent: Agent) -> list[int]:
        ports = self._nodes[node].ports
        await agent.send(Echo(addresses=self._addresses(node), ports=ports, token=self._token))
        return (await agent.expect(EchoReply)).ports

    async def _stop_echo(self, node: int, agent: Agent) -> int:
        """Stop the echo; returns how many datagrams it has refused."""
        await agent.send(StopEcho())
        await agent.expect(EchoStopReply)
        return agent.take_refused()

    async def _paths(self, crew: Crew, ports: dict[int, list[int]]) -> list[PathRecord]:
        """Test paths in rounds, so that a node tests one path at a time and paths do not disturb each other."""
        found: list[PathRecord] = []
        alive = sorted(ports)
        rounds = distances(len(alive))
        self._reporter.grow(len(rounds))
        for distance in rounds:
            self._next("trying paths")
            peers = {
                node: alive[(at + distance) % len(alive)]
                for at, node in enumerate(alive)
                if node not in self._failures | self._complaints
            }

            async def try_one(
                node: int, agent: Agent, peers: dict[int, int] = peers
            ) -> list[PathRecord]:
                return await self._try(node, agent, peers[node], ports[peers[node]])

            answers = await self._ask_all(crew, try_one)
            found += [path for node in sorted(answers) for path in answers[node]]
        return found

    async def _try(self, node: int, agent: Agent, peer: int, ports: list[int]) -> list[PathRecord]:
        ends = zip(self._addresses(node), self._addresses(peer), ports, strict=False)
        peers = [
            Peer(node=peer, network=network, from_=mine, to=endpoint(its, port))
            for network, (mine, its, port) in enumerate(ends)
        ]
        await agent.send(PathsRequest(peers=peers, token=self._token))
        tried = (await agent.expect(TryReply)).paths
        src, dst = self._nodes[node].name, self._nodes[peer].name
        return [PathRecord(src=src, dst=dst, **asdict(path)) for path in tried]

    def _addresses(self, node: int) -> list[str]:
        return list(self._nodes[node].places)

    def _node(self, at: int, facts: Facts | None, seen: InspectReply | None) -> NodeRecord:
        failure = self._failures.get(at, Reason("", ""))
        return NodeRecord(
            self._nodes[at].name,
            self._addresses(at),
            failure.text,
            self._complaints.get(at, ""),
            msgspec.to_builtins(facts) if facts else {},
            seen.node if seen else {},
            seen.interfaces if seen else [],
            self._refused.get(at, 0),
            failure.code,
            shlex.join(self._testbed.node_command(self._nodes[at], ["true"])),
        )


def distances(count: int) -> list[int]:
    """The distance in the list of nodes between the partners of each round."""
    if count <= ALL_PAIRS_UP_TO:
        return list(range(1, count))
    powers = [2**power for power in range(count.bit_length()) if 2**power < count]
    return sorted({*powers, *(count - power for power in powers)})


async def _within(answer: Awaitable[T]) -> T:
    async with asyncio.timeout(ANSWER_WITHIN_S):
        return await answer


def _reason(error: AgentError | TimeoutError) -> Reason:
    if isinstance(error, AgentError):
        return Reason(error.code, error.reason)
    return Reason("agent-silent", f"the agent sent nothing for {ANSWER_WITHIN_S:g} s")
