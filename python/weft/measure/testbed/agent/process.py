"""The process of an agent, wherever it runs: its pipes and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import Protocol

LOOK_EVERY_S = 0.05


class Input(Protocol):
    """The standard input of a process."""

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
        """Its id on this machine, or that of the local process through which it runs."""

    async def wait(self) -> int:
        """Its exit status; negative if a signal of that number killed it."""

    def kill(self) -> None:
        """Kill it and all that it started; no error if it has already ended."""


class LocalProcess:
    """A process on this machine, such as an `ssh`, which leads a process group of its own."""

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
        """Wait for its end only. asyncio's own `wait` also waits for the end of its pipes.

        A shared ssh connection (ControlPersist) stays in the background and keeps them open.
        """
        waiting = asyncio.ensure_future(self._process.wait())
        try:
            while self._process.returncode is None:
                await asyncio.wait({waiting}, timeout=LOOK_EVERY_S)
        finally:
            waiting.cancel()
        # Close what is left of the pipes; the garbage collector might do so after the loop has ended.
        self._process._transport.close()  # type: ignore[attr-defined]
        return self._process.returncode

    def kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


async def last_words(process: AgentProcess, within_s: float = 1.0) -> str:
    """What a process that is ending has written to standard error.

    Does not wait for the end of the pipe, because a shared ssh connection in the background keeps it open.
    """
    said = bytearray()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while piece := await process.stderr.read(65536):
                said += piece
    return said.decode(errors="replace").strip()
