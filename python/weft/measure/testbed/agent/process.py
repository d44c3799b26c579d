"""The process of an agent, wherever it runs: pipes to and from it, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import Protocol

LOOK_EVERY_S = 0.05


class Input(Protocol):
    """Where the process reads from."""

    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...
    def close(self) -> None: ...


class AgentProcess(Protocol):
    """What a coordinator needs of a process."""

    @property
    def stdin(self) -> Input: ...
    @property
    def stdout(self) -> asyncio.StreamReader: ...
    @property
    def stderr(self) -> asyncio.StreamReader: ...
    @property
    def pid(self) -> int:
        """Its id on this machine, or that of the process here by way of which it runs."""

    async def wait(self) -> int:
        """Its exit status; minus the number of the signal that killed it."""

    def kill(self) -> None:
        """End it and all that it started; one that is gone already is fine."""


class LocalProcess:
    """A process that this machine runs, such as an `ssh`; it leads a group of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.stdin: Input = process.stdin
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.pid = process.pid
        self._process = process

    @classmethod
    async def start(cls, argv: list[str]) -> LocalProcess:
        """Start a process; raises OSError."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        return cls(process)

    async def wait(self) -> int:
        """For its end, not for that of its pipes, which asyncio's own `wait` insists on.

        An ssh that others share (ControlPersist) stays behind and keeps them.
        """
        waiting = asyncio.ensure_future(self._process.wait())
        try:
            while self._process.returncode is None:
                await asyncio.wait({waiting}, timeout=LOOK_EVERY_S)
        finally:
            waiting.cancel()
        # What is left of the pipes would otherwise be closed by the garbage collector, perhaps after the loop.
        self._process._transport.close()  # type: ignore[attr-defined]
        return self._process.returncode

    def kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


async def last_words(process: AgentProcess, within_s: float = 1.0) -> str:
    """What a process that ends has written to standard error.

    Not until its end: an ssh that others share goes on in the background and keeps the pipe.
    """
    said = bytearray()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while piece := await process.stderr.read(65536):
                said += piece
    return said.decode(errors="replace").strip()
