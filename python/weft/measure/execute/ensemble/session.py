"""A session: agents that have joined to run some phases, until they leave or one of them fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
from msgspec.structs import replace

from weft.measure.execute.ensemble.arrivals import PhaseCollector
from weft.measure.execute.ensemble.complaints import complaints_of, suspects
from weft.measure.execute.ensemble.fault import FaultJudge, Setback
from weft.measure.execute.ensemble.heartbeat import HeartbeatWatch
from weft.measure.execute.ensemble.work import Work
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob, endpoint
from weft.measure.testbed.agent import request
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import (
    Activities,
    Answer,
    Driven,
    JoinReply,
    LeaveReply,
    ListeningOn,
    PhaseOver,
    PhasesDone,
    RecordReply,
    Reply,
)
from weft.measure.testbed.agent.request import Request
from weft.measure.testbed.agent.wire_format import Evidence
from weft.plan.phases import Phase

TICK_S = 0.25
SETTLE_S = 1.0
"""How long the others may take to report what they saw after one has failed."""
LEAVE_S = 5.0
CONNECT_EACH_S = 0.02
"""Time that this machine may take for each node that joins, in addition to the patience."""
MOST_RECORDED = 128
"""With more nodes than this none records evidence: it would be several times as much data as the samples."""


@dataclass
class Session:
    """The protocol with all nodes at the same time. After a Setback only `abort` may follow."""

    _agents: dict[int, Agent]
    _job: StepJob
    _ledger: PhaseCollector
    _logbook: Logbook
    _work: Work
    _watch: HeartbeatWatch | None = None
    _pause: tuple[tuple[int, ...], float] | None = None

    def __post_init__(self) -> None:
        self.members = sorted(self._agents)
        self._judge = FaultJudge(self._logbook.name)

    async def begin(self) -> None:
        """Open the listeners of all nodes, then connect all nodes; raises Setback."""
        connect_s = self._job.patience_s + CONNECT_EACH_S * len(self.members)
        epoch_ns = await self._epoch_ns()
        if self._job.step.options.evidence is not False and not self._records:
            self._logbook.evidence.leave_out(self.members, f"more than {MOST_RECORDED} nodes")
        opened = await self._ask(
            {node: self._open_request(node) for node in self.members}, ListeningOn, connect_s
        )
        join = request.Join(
            members=self.members,
            peers={str(node): self._endpoints(node, one.ports) for node, one in opened.items()},
            epoch_ns=epoch_ns,
            connect_ms=round(connect_s * 1000),
        )
        joined = await self._ask(dict.fromkeys(self.members, join), JoinReply, 2 * connect_s)
        for node, answer in joined.items():
            self._logbook.joined(node, answer)

    async def work(self, phases: list[Phase]) -> None:
        """Send all phases to the nodes at once and let them run; raises Setback."""
        if not phases:
            return
        requests = self._work.requests(phases, self.members)
        self._watch = HeartbeatWatch(self.members, self._job.patience_s, time.monotonic())
        await self._ask(requests, PhasesDone, None)
        self._watch = None
        self._end_pause()

    async def leave(self) -> None:
        """End the session regularly; raises Setback."""
        await self._ask(dict.fromkeys(self.members, request.Leave()), LeaveReply, LEAVE_S)

    async def abort(self, without: dict[int, AgentError]) -> dict[int, AgentError]:
        """Abort at once; returns the nodes that fail even then, with their errors."""
        nodes = [node for node in self.members if node not in without]
        ends = await asyncio.gather(*(self._abort_one(node) for node in nodes))
        return {node: error for node, error in zip(nodes, ends, strict=True) if error is not None}

    async def _abort_one(self, node: int) -> AgentError | None:
        agent = self._agents[node]
        try:
            async with asyncio.timeout(LEAVE_S):
                await agent.send(request.Abort())
                while True:
                    try:
                        await self._hear_until(node, LeaveReply)
                        return None
                    except AgentError as error:
                        if error.is_its_end:
                            return error
        except TimeoutError:
            return self._judge.mute([node], LEAVE_S).lost[node]

    async def _epoch_ns(self) -> int:
        """The run's start on the first member's clock; raises Setback."""
        first = self.members[0]
        try:
            return self._job.epoch_ns + await self._agents[first].clock_offset_ns()
        except AgentError as error:
            raise Setback({first: error}) from None

    @property
    def _records(self) -> bool:
        return self._job.step.options.evidence is not False and len(self.members) <= MOST_RECORDED

    def _open_request(self, node: int) -> request.Open:
        return request.Open(
            node=node,
            addresses=self._job.nodes[node].places,
            ports=self._job.nodes[node].ports,
            options=replace(self._job.step.options, evidence=self._records),
            token=self._job.token,
        )

    def _endpoints(self, node: int, ports: list[int]) -> list[str]:
        places = zip(self._job.nodes[node].places, ports, strict=True)
        return [endpoint(address, port) for address, port in places]

    async def _ask(
        self, requests: Mapping[int, Request], answer: type[Answer], within_s: float | None
    ) -> dict[int, Answer]:
        """Send requests and wait for the answers of all nodes; raises Setback once one fails or time is up."""
        tasks = {
            node: asyncio.ensure_future(self._ask_one(node, asked, answer))
            for node, asked in requests.items()
        }
        try:
            await self._wait(tasks, within_s)
            return {node: task.result() for node, task in tasks.items()}
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _ask_one(self, node: int, asked: Request, answer: type[Answer]) -> Answer:
        await self._agents[node].send(asked)
        said = await self._hear_until(node, answer)
        if self._watch:
            self._watch.leave_out(node)
        return said

    async def _hear_until(self, node: int, answer: type[Answer]) -> Answer:
        agent = self._agents[node]
        while True:
            received = await agent.receive()
            if isinstance(received, pa.RecordBatch):
                self._ledger.samples(received)
            elif isinstance(received, Evidence):
                self._ledger.recorded(node, received)
            elif isinstance(received, RecordReply):
                self._logbook.evidence.take(node, received)
            elif isinstance(received, answer):
                return received
            else:
                self._hear(node, received)

    def _hear(self, node: int, said: Reply) -> None:
        if self._watch:
            self._watch.hear(node, said, time.monotonic())
        if isinstance(said, Activities):
            self._ledger.spent(node, said)
        if isinstance(said, Driven):
            self._ledger.driven(node, said)
        if isinstance(said, PhaseOver):
            self._ledger.over(node, said, self.members)

    async def _wait(
        self, tasks: Mapping[int, asyncio.Task[Answer]], within_s: float | None
    ) -> None:
        deadline_s = None if within_s is None else time.monotonic() + within_s
        pending = set(tasks.values())
        while pending:
            done, pending = await asyncio.wait(
                pending, timeout=TICK_S, return_when=asyncio.FIRST_EXCEPTION
            )
            if any(task.exception() for task in done):
                await self._hear_the_others(tasks, deadline_s)
                errors, may_rejoin = _errors(tasks), self._watch is not None
                raise self._judge.failed(errors, len(self.members), may_rejoin)
            if deadline_s is not None and pending and time.monotonic() > deadline_s:
                mute = [node for node, task in tasks.items() if not task.done()]
                raise self._judge.mute(mute, within_s or 0)
            self._judge_silence()

    async def _hear_the_others(
        self, tasks: Mapping[int, asyncio.Task[Answer]], deadline_s: float | None
    ) -> None:
        """Wait for the reports of the others, unless an agent has ended, which explains all other failures.

        An agent that cannot connect may notice this long before those that cannot connect to it, so the others have
        until the deadline.
        """
        settled_s = time.monotonic() + SETTLE_S
        until_s = max(settled_s, deadline_s or 0)
        while (now_s := time.monotonic()) < until_s and not all(
            one.done() for one in tasks.values()
        ):
            errors = _errors(tasks)
            if any(error.is_its_end for error in errors.values()):
                return
            if now_s > settled_s and len(suspects(complaints_of(errors))) == 1:
                return
            await asyncio.sleep(0.05)

    def _judge_silence(self) -> None:
        """Raise Setback if an agent is silent for too long, or nothing moves."""
        if self._watch is None:
            return
        now_s = time.monotonic()
        self._watch.tick(now_s)
        self._note_pause(self._watch, now_s)
        if silent := self._watch.silent(now_s):
            raise self._judge.mute(silent, self._job.patience_s)
        if self._watch.is_stalled(now_s):
            raise self._judge.stalled(self._watch.complaints(), self._job.patience_s)

    def _note_pause(self, watch: HeartbeatWatch, now_s: float) -> None:
        """Once anything moves again, note which nodes the others waited for: a link may have been down."""
        if pause_s := watch.pause_s(now_s):
            self._pause = tuple(watch.held_up_by()), pause_s
        else:
            self._end_pause()

    def _end_pause(self) -> None:
        if self._pause:
            self._logbook.held_up(*self._pause)
            self._pause = None


def _errors(tasks: Mapping[int, asyncio.Task[Answer]]) -> dict[int, AgentError]:
    """The agents' errors so far, by node; any other exception is raised."""
    found = {}
    for node, task in tasks.items():
        error = task.exception() if task.done() and not task.cancelled() else None
        if isinstance(error, AgentError):
            found[node] = error
        elif error is not None:
            raise error
    return found
