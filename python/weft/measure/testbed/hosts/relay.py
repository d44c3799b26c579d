"""A relay: an agent that starts other agents and passes on their input and output.

A tree of relays saves the coordinator a login process and three pipes for each node.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools

from weft import __version__
from weft.measure.testbed.agent import reply, request, wire_format
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.agent.process import AgentProcess
from weft.measure.testbed.agent.wire_format import RelayOutput

_STANDARD = 0
_PIECE_BYTES = 1 << 20
OWN_PROGRAM = ["/proc/self/exe"]
"""The program that a relay starts for an agent on its own node."""


class RelayedInput:
    """The standard input of a process behind a relay."""

    def __init__(self, relay: SshRelay, child: int) -> None:
        self._relay = relay
        self._child = child

    def write(self, data: bytes) -> None:
        for start in range(0, len(data), _PIECE_BYTES):
            piece = data[start : start + _PIECE_BYTES]
            self._relay.put(wire_format.encode_relayed(self._child, piece))

    async def drain(self) -> None:
        await self._relay.drain()

    def feed(self) -> None:
        """Let the relay write its own program to the process, so that it need not be sent again."""
        self._relay.ask(request.Feed(child=self._child))

    def close(self) -> None:
        self._relay.ask(request.Close(child=self._child))


class RelayedProcess:
    """A process behind a relay, whose program is for the architecture `machine` ("" if unknown)."""

    def __init__(self, relay: SshRelay, child: int) -> None:
        self.stdin = RelayedInput(relay, child)
        self.stdout = asyncio.StreamReader()
        self.stderr = asyncio.StreamReader()
        self.pid = relay.pid
        self.machine = relay.machine
        self._relay = relay
        self._child = child
        self._status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def wait(self) -> int:
        status = await asyncio.shield(self._status)
        await self._relay.end_if_idle()
        return status

    def kill(self) -> None:
        if not self._status.done():
            self._relay.ask(request.Kill(child=self._child))

    def hear(self, said: RelayOutput) -> None:
        """Take what the process wrote."""
        stream = self.stdout if said.stream == _STANDARD else self.stderr
        stream.feed_data(said.data)

    def end(self, status: int, message: str) -> None:
        """The process has ended."""
        if not self._status.done():
            self.stderr.feed_data(message.encode())
            self.stdout.feed_eof()
            self.stderr.feed_eof()
            self._status.set_result(status)


class SshRelay:
    """A running relay. Once told to, it ends with the last process that it has started."""

    def __init__(self, node: str, process: AgentProcess, machine: str) -> None:
        self.node = node
        self.machine = machine
        self.pid = process.pid
        self._process = process
        self._frames = wire_format.Reader(process.stdout)
        self._children: dict[int, RelayedProcess] = {}
        self._numbers = itertools.count()
        self._starts_more = True
        self._listening: asyncio.Task[None] | None = None

    @classmethod
    async def greeted(
        cls, node: str, process: AgentProcess, within_s: float, machine: str
    ) -> SshRelay:
        """The relay that a process on a node of this architecture becomes; raises AgentError."""
        relay = cls(node, process, machine)
        try:
            async with asyncio.timeout(within_s):
                said = await relay._frames.read()
        except (TimeoutError, asyncio.IncompleteReadError, wire_format.FrameError):
            said = None
        if not isinstance(said, reply.RelayReply) or said.version != __version__:
            process.kill()
            raise AgentError(node, "agent-not-ready", "no relay of this version was started")
        relay._listening = asyncio.create_task(relay._listen())
        return relay

    def start(self, argv: list[str]) -> RelayedProcess:
        """Start a process on the relay's node."""
        child = next(self._numbers)
        process = self._children[child] = RelayedProcess(self, child)
        self.ask(request.Start(child=child, argv=argv))
        return process

    async def start_no_more(self) -> None:
        """Let the relay end as soon as no process runs behind it."""
        self._starts_more = False
        await self.end_if_idle()

    async def end_if_idle(self) -> None:
        """End if nothing is left to do."""
        if not self._starts_more and not self._children and self._listening:
            self._process.stdin.close()
            await asyncio.shield(self._listening)

    def ask(self, asked: request.Request) -> None:
        self.put(wire_format.encode(asked))

    def put(self, frame: bytes) -> None:
        """Send a frame; if the relay has ended, the reader notices it."""
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(frame)

    async def drain(self) -> None:
        await self._process.stdin.drain()

    async def _listen(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, wire_format.FrameError):
            while True:
                said = await self._frames.read()
                if isinstance(said, RelayOutput):
                    self._hear(said)
                elif isinstance(said, reply.ProcessEnd):
                    self._end(said.child, said.status, said.message)
        self._process.kill()
        for child in list(self._children):
            self._end(child, -9, f"its relay {self.node} ended")
        await self._process.wait()

    def _hear(self, said: RelayOutput) -> None:
        if process := self._children.get(said.child):
            process.hear(said)

    def _end(self, child: int, status: int, message: str) -> None:
        if process := self._children.pop(child, None):
            process.end(status, message)
