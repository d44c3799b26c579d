"""The job: a command that runs to its end, or is ended with all that it has started here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

from weft.base.errors import RequestError

GRACE_S = 3.0
"""Time that a launcher gets to end its ranks on other nodes."""


class WatchedJob:
    """A running job in a session of its own; its output goes to standard error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.started_ns = time.monotonic_ns()

    @property
    def pid(self) -> int:
        return self._process.pid

    async def wait(self, limit_s: float | None = None) -> int | None:
        """Its exit status; None if it was ended after `limit_s`."""
        try:
            async with asyncio.timeout(limit_s):
                return await self._process.wait()
        except TimeoutError:
            await self.end()
            return None

    async def end(self) -> None:
        """Ask it to end, and kill it if it does not. Processes that it leaves after a normal end are not touched."""
        if self._process.returncode is not None:
            return
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(GRACE_S):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            self._signal(signal.SIGKILL)
        await self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


@asynccontextmanager
async def running(
    command: Sequence[str], environment: Mapping[str, str], is_quiet: bool = False
) -> AsyncIterator[WatchedJob]:
    """Start a job, and end it on leaving; raises RequestError if the program does not exist."""
    output = subprocess.DEVNULL if is_quiet else sys.stderr.fileno()
    start = asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        job = await _started(start)
    except OSError as error:
        raise RequestError(
            f"{command[0]}: cannot be started: {error.strerror}", "give the job's command after --"
        ) from None
    try:
        yield job
    finally:
        await job.end()


async def _started(start: Coroutine[None, None, asyncio.subprocess.Process]) -> WatchedJob:
    """The job; if an interrupt comes while it starts, it is ended."""
    starting = asyncio.ensure_future(start)
    try:
        return WatchedJob(await asyncio.shield(starting))
    except asyncio.CancelledError:
        await WatchedJob(await starting).end()
        raise


@contextmanager
def ending_with_us() -> Iterator[None]:
    """Treat termination requests as interrupts, so that the job and the stage are ended first, even if a shell started
    this process in the background with interrupts ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler)}
    for number in (signal.SIGTERM, signal.SIGHUP):
        before[number] = signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
