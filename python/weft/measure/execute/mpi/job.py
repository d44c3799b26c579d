"""An MPI job: mpirun and its ranks, of which rank 0 prints for all, line by line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections import deque

from weft.measure.testbed.agent.agent import AgentError, describe_end

START_WITHIN_S = 60.0
"""Starting an MPI's daemons may take this long."""
END_WITHIN_S = 5.0
TICK_S = 0.25
LONGEST_LINE_BYTES = 1 << 20
MOST_COMPLAINTS = 200
NAME = "mpirun"
"""The node named in errors if no single node is at fault."""
REACH = "its daemons on the nodes must reach this machine, and each other, on ports that the MPI chooses"
ALIVE = "weft_mpi: alive"
"""What a rank prints to standard error while messages move in a long phase."""


class MpiJob:
    """A running job. It counts as alive while any of its ranks prints something within the patience."""

    def __init__(self, process: asyncio.subprocess.Process, patience_s: float) -> None:
        self._process = process
        self._patience_s = patience_s
        self._complaints: deque[str] = deque(maxlen=MOST_COMPLAINTS)
        self._has_spoken = False
        self._heard_s = time.monotonic()
        self._listening = asyncio.ensure_future(self._hear_complaints())
        self._telling: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls, command: list[str], environment: dict[str, str], patience_s: float
    ) -> MpiJob:
        """Start mpirun; raises AgentError."""
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env=environment,
                start_new_session=True,
                limit=LONGEST_LINE_BYTES,
            )
        except OSError as error:
            raise AgentError(NAME, "mpi-lost", f"cannot start {command[0]}: {error}") from None
        return cls(process, patience_s)

    @property
    def complaints(self) -> list[str]:
        """The latest lines of standard error."""
        return list(self._complaints)

    def tell(self, text: str) -> None:
        """Write to rank 0's standard input while its answers are read. Must not be called again before all is
        written."""
        self._heard_s = time.monotonic()
        self._telling = asyncio.ensure_future(self._write(text))

    def tell_no_more(self) -> None:
        """Close rank 0's standard input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def words(self) -> list[str]:
        """The words of rank 0's next line; raises AgentError if the job fails or falls silent."""
        return (await self.line()).split()

    async def line(self) -> str:
        """Rank 0's next line, which may be blank; raises AgentError if the job fails or falls silent."""
        assert self._process.stdout is not None
        reading = asyncio.ensure_future(self._process.stdout.readline())
        try:
            while not (await asyncio.wait({reading}, timeout=TICK_S))[0]:
                self._check_silence()
        finally:
            reading.cancel()
        if not (said := reading.result()):
            raise AgentError(NAME, "mpi-lost", await self._how_it_ended())
        self._heard_s, self._has_spoken = time.monotonic(), True
        return said.decode(errors="replace")

    async def finish(self) -> None:
        """Give a finished job time to end by itself."""
        self.tell_no_more()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_WITHIN_S):
                await self._process.wait()

    async def end(self) -> None:
        """Let mpirun end its ranks if they still run; kill it and what it started here if it does not."""
        if self._process.returncode is None:
            self._process.terminate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(END_WITHIN_S):
                    await self._process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        for task in (self._listening, self._telling):
            if task:
                task.cancel()

    async def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(text.encode())
            await self._process.stdin.drain()

    async def _hear_complaints(self) -> None:
        """Read standard error to its end; signs of life are not complaints."""
        assert self._process.stderr is not None
        with contextlib.suppress(ValueError):
            while line := await self._process.stderr.readline():
                said = line.decode(errors="replace").strip()
                if said.endswith(ALIVE):
                    self._heard_s = time.monotonic()
                elif not set(said) <= set("-= "):
                    self._complaints.append(said)

    def _check_silence(self) -> None:
        within_s = self._patience_s if self._has_spoken else max(self._patience_s, START_WITHIN_S)
        if time.monotonic() - self._heard_s <= within_s:
            return
        if self._has_spoken:
            text = f"the MPI job printed nothing for {within_s:.0f} s"
        else:
            text = f"the MPI job did not start within {within_s:.0f} s; {REACH}"
        raise AgentError(NAME, "mpi-silent", text + self._first_complaint())

    async def _how_it_ended(self) -> str:
        status = await self._process.wait()
        await asyncio.wait({self._listening}, timeout=END_WITHIN_S)
        ended = describe_end(status).replace("the agent", "the MPI job")
        return ended + self._first_complaint()

    def _first_complaint(self) -> str:
        return f": {self._complaints[0]}" if self._complaints else ""
