"""One agent: a process on a node that speaks frames on its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from weft import __version__
from weft.errors import WorkError
from weft.testbed import frames

READY_WITHIN_S = 20.0


class AgentError(WorkError):
    """An agent failed; names the node, says how, and which other nodes (by index) the agent blames."""

    def __init__(self, node: str, code: str, message: str, peers: Sequence[int] = ()) -> None:
        super().__init__(f"{node}: {message}")
        self.node = node
        self.code = code
        self.reason = message
        self.peers = tuple(peers)

    @property
    def is_its_end(self) -> bool:
        """Whether the agent itself is gone, rather than complaining."""
        return self.code.startswith("agent-")


class Agent:
    """A running agent."""

    def __init__(self, node: str, process: asyncio.subprocess.Process) -> None:
        self.node = node
        self._process = process
        assert process.stdout is not None
        self._frames = frames.Reader(process.stdout)
        self.facts: dict[str, Any] = {}
        self.timing: dict[str, Any] = {}

    @classmethod
    async def start(cls, node: str, argv: list[str]) -> Agent:
        """Start an agent and wait until it is ready; raises AgentError."""
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            raise AgentError(
                node, "agent-not-started", f"cannot start {argv[0]}: {error}"
            ) from None
        agent = cls(node, process)
        try:
            await asyncio.wait_for(agent._greet(), READY_WITHIN_S)
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
        ready = await self.expect("ready")
        if ready["version"] != __version__:
            raise AgentError(
                self.node,
                "agent-version",
                f"the agent is version {ready['version']}, this weft is {__version__}: run `make setup`",
            )
        self.facts, self.timing = ready["facts"], ready["timing"]

    @property
    def pid(self) -> int:
        return self._process.pid

    async def send(self, message: dict[str, Any]) -> None:
        """Send a request; an agent that is gone is noticed when its answer is read."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(frames.encode(message))
            await self._process.stdin.drain()

    async def receive(self) -> dict[str, Any] | pa.RecordBatch:
        """The next message or samples; raises AgentError for the agent's errors and for its death."""
        try:
            received = await self._frames.read()
        except asyncio.IncompleteReadError:
            raise AgentError(self.node, "agent-lost", await self._how_it_ended()) from None
        except frames.FrameError as error:
            raise AgentError(self.node, "agent-garbled", error.message) from None
        if isinstance(received, dict) and received["type"] == "error":
            peers = received.get("peers", ())
            raise AgentError(self.node, received["code"], received["message"], peers)
        return received

    async def expect(self, kind: str) -> dict[str, Any]:
        """The next message, which must be of one kind."""
        received = await self.receive()
        if not isinstance(received, dict) or received["type"] != kind:
            raise AgentError(
                self.node, "agent-garbled", f"the agent said something else than {kind}"
            )
        return received

    async def _how_it_ended(self) -> str:
        assert self._process.stderr is not None
        said = (await self._process.stderr.read()).decode(errors="replace").strip()
        status = await self._process.wait()
        return describe_end(status) + (f": {said.splitlines()[-1]}" if said else "")

    async def close(self) -> None:
        """End the agent: it goes when its standard input closes, and is killed if it does not."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 2)
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """End the agent at once, even one that is stopped."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


def describe_end(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"the agent ended with status {status}"
    return f"the agent was killed by signal {-status} ({signal.Signals(-status).name})"
