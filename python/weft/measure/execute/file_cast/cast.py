"""One cast of a file: which node sends to which, what happens when a node fails, and when the cast is over."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import pairwise

from weft.measure.execute.crew import Crew
from weft.measure.execute.file_cast.chain import Chain, ChainLink
from weft.measure.execute.file_cast.inbox import Inbox
from weft.measure.execute.file_cast.settle import job_of
from weft.measure.execute.file_cast.stall import Stalls
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob, endpoint
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import (
    CastAlive,
    CastBroken,
    CastDone,
    CastFailure,
    CastOpenReply,
    CastProgress,
    CastWhole,
)
from weft.measure.testbed.agent.request import CastAccept, CastConnect, CastOpen, CastOver, Request
from weft.plan.pattern import Cast

TICK_S = 0.25
GRACE_S = 0.3
"""After a link breaks, how long to wait for the news that the node at its other end is dead."""
OVER_S = 30.0
"""How long a node may take to rename its finished file."""


class CastEnded(AgentError):
    """Raised when the source has failed."""


@dataclass
class CastOutcome:
    """The result of a cast: for each node the hash of its file, its activity, why it failed, and its last
    predecessor."""

    start_ns: int
    hashes: dict[int, str] = field(default_factory=dict)
    spent: dict[int, CastProgress] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    bridged: list[int] = field(default_factory=list)
    sources: dict[int, int] = field(default_factory=dict)


class FileCastEngine:
    """Casts a file along a chain. A node that fails is removed, and its predecessor sends to its successor. A node that
    only fails to write still forwards data."""

    def __init__(self, crew: Crew, order: list[int], job: StepJob, logbook: Logbook) -> None:
        self._crew, self._job, self._logbook = crew, job, logbook
        self._chain = Chain([node for node in order if node in crew.agents])
        self._source = order[0]
        self._pattern = job.step.pattern_as(Cast)
        self._ports: dict[int, list[int]] = {}
        self._broken: dict[int, set[int]] = {}
        self._waiting: dict[int, float] = {}
        """For each broken link that is about to be renewed, by generation, when it broke."""
        self._outcome = CastOutcome(0)
        self._stalls = Stalls(job.patience_s)

    async def run(self) -> CastOutcome:
        """Cast the file; raises AgentError if the source fails or no other node is left."""
        for node in list(self._chain.order):
            await self._open(node)
        self._check_chain()
        inbox = Inbox({node: self._crew.agents[node] for node in self._chain.order})
        self._inbox = inbox
        try:
            self._outcome.start_ns = time.monotonic_ns() - self._job.epoch_ns
            for link in reversed(self._chain.links()):
                await self._make(link)
            while not self._is_over():
                if said := await inbox.next(TICK_S):
                    await self._hear(*said)
                await self._look_around()
            self._outcome.sources |= {node: before for before, node in pairwise(self._chain.order)}
            await self._end()
        finally:
            await inbox.close()
        return self._outcome

    def _agent(self, node: int) -> Agent:
        return self._crew.agents[node]

    async def _open(self, node: int) -> None:
        """Open a node's listener; a node that cannot listen is left out of the chain."""
        agent, here = self._agent(node), self._job.nodes[node]
        is_source = node == self._source
        try:
            asked = CastOpen(
                job=job_of(self._job.step, agent.node, is_source, self._job.launch),
                node=node,
                addresses=tuple(here.places[: self._pattern.networks]),
                ports=here.ports,
                options=self._job.step.options,
                token=self._job.token,
                patience_ms=round(self._job.patience_s * 1000),
                epoch_ns=self._job.epoch_ns + await agent.clock_offset_ns(),
            )
            await agent.send(asked)
            self._ports[node] = (await agent.expect(CastOpenReply)).ports
        except AgentError as error:
            if is_source:
                raise
            await self._take_out(node, error)

    def _check_chain(self) -> None:
        if len(self._chain.order) > 1:
            return
        reasons = "; ".join(
            f"{self._logbook.name(node)}: {why}" for node, why in self._outcome.failed.items()
        )
        name = self._logbook.name(self._source)
        raise CastEnded(name, "cast-ended", f"no node is left to cast to: {reasons}")

    async def _make(self, link: ChainLink) -> None:
        """Announce a link to both ends, to the sender first, so that it keeps the data that the other end needs."""
        assert link.src is not None
        peers = []
        if link.dst is not None:
            places = self._job.nodes[link.dst].places[: self._pattern.networks]
            ports = self._ports[link.dst]
            peers = [endpoint(where, port) for where, port in zip(places, ports, strict=True)]
        if link.dst is not None:
            await self._tell(link.dst, CastAccept(generation=link.generation, from_=link.src))
        await self._tell(link.src, CastConnect(generation=link.generation, peers=peers))

    async def _tell(self, node: int, what: Request) -> None:
        await self._agent(node).send(what)

    def _is_over(self) -> bool:
        """Whether every node that is left has the file, or has failed to write it."""
        settled = self._outcome.hashes.keys() | self._outcome.failed.keys()
        return settled.issuperset(self._chain.order)

    async def _hear(self, node: int, said: object) -> None:
        if node not in self._chain.order:
            return
        match said:
            case AgentError():
                await self._lose(node, said)
            case CastAlive():
                self._outcome.spent[node] = said
                self._stalls.hear(node, said, time.monotonic())
            case CastWhole():
                self._outcome.hashes[node] = said.hash
            case CastFailure():
                self._fail(node, said.message)
            case CastBroken():
                self._note_broken(node, said)

    def _fail(self, node: int, message: str) -> None:
        """Note that a node failed to write; it still forwards what it receives."""
        name = self._logbook.name(node)
        if node == self._source:
            raise CastEnded(name, "cast-ended", message)
        self._outcome.failed[node] = message
        self._logbook.meta.warn(
            "cast-failed",
            f"{name}: {message}; the nodes behind it get the file all the same",
            "mend it and cast again: nodes that have the file only check it",
        )

    def _note_broken(self, node: int, said: CastBroken) -> None:
        link = self._chain.current(node, said.side)
        if link is None or link.generation != said.generation:
            return
        broken = self._broken.setdefault(link.generation, set())
        broken.add(said.network)
        if len(broken) == self._pattern.networks:
            self._waiting.setdefault(link.generation, time.monotonic())

    async def _look_around(self) -> None:
        """Renew broken links, and find nodes that are silent or make no progress."""
        now_s = time.monotonic()
        for node in self._chain.order[1:]:
            link = self._chain.current(node, "predecessor")
            if link and now_s - self._waiting.get(link.generation, now_s) > GRACE_S:
                await self._mend(link)
                return
        if (silent := self._stalls.silent(self._chain.order, now_s)) is not None:
            why = f"the agent said nothing for {self._job.patience_s:g} s"
            await self._lose(silent, self._error(silent, "agent-silent", why))
        elif (stuck := self._stalls.stuck(self._chain.order, now_s)) is not None:
            why = f"nothing came to it for {self._job.patience_s:g} s"
            await self._lose(stuck, self._error(stuck, "peer-silent", why))

    def _error(self, node: int, code: str, why: str) -> AgentError:
        return AgentError(self._logbook.name(node), code, why)

    async def _mend(self, link: ChainLink) -> None:
        assert link.src is not None and link.dst is not None
        suspect = self._chain.suspect(link)
        if suspect is None:
            await self._make(self._chain.again(link.src))
            return
        ends = [self._logbook.name(node) for node in (link.src, link.dst)]
        why = f"no connection from {ends[0]} to {ends[1]}"
        await self._lose(suspect, self._error(suspect, "peer-unreachable", why))

    async def _lose(self, node: int, error: AgentError) -> None:
        """Remove a node and close the gap that it leaves."""
        if node == self._source:
            raise CastEnded(error.node, "cast-ended", f"{error.reason}, and it has the file")
        await self._inbox.stop(node)
        self._outcome.bridged.append(node)
        before = self._chain.predecessor(node)
        assert before is not None
        self._outcome.sources[node] = before
        link = self._chain.remove(node)
        self._outcome.hashes.pop(node, None)
        await self._give_up(node, error)
        self._check_chain()
        await self._make(link)

    async def _take_out(self, node: int, error: AgentError) -> None:
        self._chain.order.remove(node)
        await self._give_up(node, error)

    async def _give_up(self, node: int, error: AgentError) -> None:
        self._outcome.failed[node] = error.reason
        self._logbook.nodes_lost({node: error.reason}, 0)
        await self._crew.drop(node, error)

    def _warn_of_change(self) -> None:
        file = self._pattern.file
        assert file
        self._logbook.meta.warn(
            "cast-changed",
            f"{file.path}: was written to after it was read and before all nodes had it; they have it as it was",
            "cast it again, and write to it only afterwards",
        )

    async def _end(self) -> None:
        """Give the file its name on each node whose hash equals the source's."""
        right = self._outcome.hashes.get(self._source)
        ends = (self._finish(node, right) for node in list(self._chain.order))
        await asyncio.gather(*ends)

    async def _finish(self, node: int, right: str | None) -> None:
        agent, found = self._agent(node), self._outcome.hashes.get(node)
        is_good = right is not None and found == right
        if found and not is_good:
            self._outcome.failed[node] = "what it has is not what the source has"
            del self._outcome.hashes[node]
        await self._inbox.stop(node)
        try:
            async with asyncio.timeout(OVER_S):
                await agent.send(CastOver(is_good=is_good))
                while not isinstance(said := await agent.receive(), CastDone):
                    pass
            self._outcome.spent[node] = said
            if said.has_changed:
                self._warn_of_change()
        except (AgentError, TimeoutError) as error:
            self._outcome.hashes.pop(node, None)
            why = error.reason if isinstance(error, AgentError) else "did not end the cast"
            self._outcome.failed[node] = why
