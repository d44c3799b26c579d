"""The job: a command that is run to its end, or killed with all that it has started here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from weft.errors import RequestError

KILLED = -signal.SIGKILL


class Job:
    """A running job in a session of its own; what it prints goes to standard error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.started_ns = time.monotonic_ns()

    @property
    def pid(self) -> int:
        return self._process.pid

    async def wait(self, patience_s: float | None = None) -> int:
        """Its exit status; after so many seconds it is killed."""
        try:
            return await asyncio.wait_for(self._process.wait(), patience_s)
        except TimeoutError:
            await self.kill()
            return KILLED

    async def kill(self) -> None:
        """End it, if it has not ended."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()


@asynccontextmanager
async def running(
    command: Sequence[str], environment: Mapping[str, str], is_quiet: bool = False
) -> AsyncIterator[Job]:
    """Start a job, and end it when this is left; raises RequestError where there is no such program."""
    output = subprocess.DEVNULL if is_quiet else sys.stderr.fileno()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise RequestError(
            f"{command[0]}: cannot be started: {error.strerror}", "give the job's command after --"
        ) from None
    job = Job(process)
    try:
        yield job
    finally:
        await job.kill()
