"""One agent: a process on a node that reads and writes frames on its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from weft import __version__
from weft.base.errors import WorkError
from weft.measure.testbed.agent import reply, request, wire_format
from weft.measure.testbed.agent.process import AgentProcess, LocalProcess, last_words
from weft.measure.testbed.agent.reply import Answer, Facts, Overhead, Reply
from weft.measure.testbed.agent.request import Request

READY_WITHIN_S = 20.0
LOGIN_BROKE = 255
"""Exit status of ssh if a signal killed the remote program, and if its own connection broke."""
CLOCK_READINGS = 3
CLOCK_WITHIN_S = 10.0


class AgentError(WorkError):
    """An agent failed: names the node, the reason, and the nodes (by index) that the agent blames."""

    def __init__(self, node: str, code: str, message: str, peers: Sequence[int] = ()) -> None:
        super().__init__(f"{node}: {message}")
        self.node = node
        self.code = code
        self.reason = message
        self.peers = tuple(peers)

    @property
    def is_its_end(self) -> bool:
        """Whether the agent itself has ended, rather than reported a problem."""
        return self.code.startswith("agent-")


class Reason(NamedTuple):
    """Why an agent did not start or has ended: a code for programs that begins with agent-, and a clause for people."""

    code: str
    text: str


Recorded: TypeAlias = reply.RecordReply | reply.StallReport | wire_format.Evidence
"""What an agent reports about what it records beside batches."""
Explain = Callable[[str], Reason | None]
"""Translates the messages of a launcher into a reason, if they are known."""


class Agent:
    """A running agent."""

    def __init__(
        self, node: str, process: AgentProcess, explain: Explain = lambda said: None
    ) -> None:
        self.node = node
        self._process = process
        self._explain = explain
        self._frames = wire_format.Reader(process.stdout)
        self.facts = Facts()
        self.timing = Overhead()
        self._clock_offset_ns: int | None = None
        self.transports: dict[str, str | None] = {}
        self._refused = 0

    @classmethod
    async def start(cls, node: str, argv: list[str]) -> Agent:
        """Start an agent on this machine and wait until it is ready; raises AgentError."""
        return await cls.greeted(node, await start_process(node, argv))

    @classmethod
    async def greeted(
        cls, node: str, process: AgentProcess, explain: Explain = lambda said: None
    ) -> Agent:
        """The agent that a process becomes, once it is ready; raises AgentError and ends the process."""
        agent = cls(node, process, explain)
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                await agent._greet()
        except TimeoutError:
            await agent.close()
            raise AgentError(
                node, "agent-not-ready", f"the agent was not ready within {READY_WITHIN_S:.0f} s"
            ) from None
        except BaseException:
            await agent.close()
            raise
        return agent

    async def _greet(self) -> None:
        ready = await self.expect(reply.Ready)
        if ready.version != __version__:
            raise AgentError(
                self.node,
                "agent-version",
                f"the agent is version {ready.version}, this weft is {__version__}: run `make setup`",
            )
        self.facts, self.timing, self.transports = ready.facts, ready.timing, ready.transports

    @property
    def pid(self) -> int:
        return self._process.pid

    async def send(self, asked: Request) -> None:
        """Send a request; if the agent has ended, this is noticed when its answer is read."""
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(wire_format.encode(asked))
            await self._process.stdin.drain()

    def beat(self) -> None:
        """Tell the agent's guard of changed settings that this end is alive; does not wait."""
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(wire_format.encode(request.KnobHeartbeat()))

    async def receive(self) -> Reply | pa.RecordBatch | wire_format.Evidence:
        """The next message, samples or evidence; raises AgentError for the agent's errors and if it has ended."""
        received = await self._receive()
        if isinstance(received, wire_format.Probes):
            raise AgentError(
                self.node, "agent-garbled", "the agent sent probes that nothing asked for"
            )
        return received

    async def probes(self) -> pa.RecordBatch:
        """The probes that the last reply announced; raises AgentError."""
        received = await self._receive()
        if not isinstance(received, wire_format.Probes):
            raise AgentError(self.node, "agent-garbled", "the agent sent no probes")
        return received.rows

    async def _receive(
        self,
    ) -> Reply | pa.RecordBatch | wire_format.Evidence | wire_format.Probes:
        try:
            received = await self._frames.read()
        except asyncio.IncompleteReadError:
            raise AgentError(self.node, *await self._how_it_ended()) from None
        except wire_format.FrameError as error:
            raise AgentError(self.node, "agent-garbled", error.message) from None
        if isinstance(received, wire_format.RelayOutput):
            raise AgentError(self.node, "agent-garbled", "the agent answers as a relay does")
        self._refused += getattr(received, "rejected", 0)
        if isinstance(received, reply.Error):
            raise AgentError(self.node, received.code, received.message, received.peers)
        return received

    def take_refused(self) -> int:
        """The number of connections that it reported as refused since the last call."""
        refused, self._refused = self._refused, 0
        return refused

    async def expect(
        self, kind: type[Answer], beside: Callable[[Recorded], None] | None = None
    ) -> Answer:
        """The next message, which must be of one kind; `beside` takes what is recorded. Raises AgentError."""
        received = await self.receive()
        while beside and isinstance(received, Recorded):
            beside(received)
            received = await self.receive()
        if not isinstance(received, kind):
            said = f"the agent sent something else than {kind.__struct_config__.tag}"
            raise AgentError(self.node, "agent-garbled", said)
        return received

    async def clock_offset_ns(self) -> int:
        """Offset in ns of its monotonic clock from this machine's, precise to half a round trip (Cristian 1989).

        Raises AgentError.
        """
        if self._clock_offset_ns is None:
            self._clock_offset_ns = min(await self._read_clocks())[1]
        return self._clock_offset_ns

    async def failure(self) -> AgentError | None:
        """Why an idle agent does not answer; None if it does."""
        try:
            await self._read_clocks()
        except AgentError as error:
            return error
        return None

    async def _read_clocks(self) -> list[tuple[int, int]]:
        try:
            async with asyncio.timeout(CLOCK_WITHIN_S):
                return [await self._read_clock() for _ in range(CLOCK_READINGS)]
        except TimeoutError:
            raise AgentError(
                self.node, "agent-silent", f"the agent sent nothing for {CLOCK_WITHIN_S:g} s"
            ) from None

    async def _read_clock(self) -> tuple[int, int]:
        """The time of a round trip and the offset measured by it, in ns."""
        asked_ns = time.monotonic_ns()
        await self.send(request.ClockRequest())
        there_ns = (await self.expect(reply.Clock)).now_ns
        heard_ns = time.monotonic_ns()
        return heard_ns - asked_ns, there_ns - (asked_ns + heard_ns) // 2

    async def counters(self) -> dict[str, list[int]]:
        """Bytes received and sent so far by each of the node's interfaces; raises AgentError."""
        await self.send(request.CountersRequest())
        return (await self.expect(reply.Counters)).interfaces

    async def _how_it_ended(self) -> Reason:
        said = await last_words(self._process)
        if reason := self._explain(said):
            return reason
        status = await self._process.wait()
        words = f": {said.splitlines()[-1]}" if said else ""
        return Reason("agent-lost", describe_end(status) + words)

    async def close(self) -> None:
        """End the agent: it exits when its standard input closes, and is killed if it does not."""
        self._process.stdin.close()
        try:
            async with asyncio.timeout(2):
                await self._process.wait()
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """End the agent at once, even if it is stopped."""
        self._process.kill()
        await self._process.wait()


async def start_process(node: str, argv: list[str]) -> LocalProcess:
    """Start a process that is an agent or a login to one; raises AgentError."""
    try:
        return await LocalProcess.start(argv)
    except BlockingIOError:
        reason = "this machine lets you have no more processes (`ulimit -u`)"
        raise AgentError(node, "agent-no-room", reason) from None
    except OSError as error:
        raise AgentError(node, "agent-not-started", f"cannot start {argv[0]}: {error}") from None


def describe_end(status: int) -> str:
    """How a process ended, as text."""
    if status == LOGIN_BROKE:
        return f"the agent was killed, or the login to it broke (status {status})"
    if status >= 0:
        return f"the agent ended with status {status}"
    return f"the agent was killed by signal {-status} ({signal.Signals(-status).name})"
