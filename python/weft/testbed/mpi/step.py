"""One step between two ranks: starts them, reads what rank 0 says line by line, hands whole phases on.

Rank 0 says `library VERSION`, then for each batch `row PHASE BATCH BYTES MESSAGES START_NS ELAPSED_NS`, `over PHASE`
behind the last row of a phase, and `done`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from weft.plan.phases import expand
from weft.run.samples import SCHEMA
from weft.testbed.agent import AgentError, describe_end
from weft.testbed.base import Testbed
from weft.testbed.mpi.command import environment, mpirun_command
from weft.testbed.mpi.program import compiled
from weft.testbed.mpi.toolchain import find_toolchain
from weft.testbed.pair import StepJob, StepOutcome

START_WITHIN_S = 60.0
"""Starting an MPI's daemons may take long."""
END_WITHIN_S = 5.0
NAME = "mpirun"
"""Who is to blame where no single node is."""


async def run_mpi_step(
    testbed: Testbed, job: StepJob, on_samples: Callable[[pa.RecordBatch], None]
) -> StepOutcome:
    """Run a step between the first two nodes; raises AgentError, after what whole phases there are was handed on."""
    toolchain = find_toolchain(job.step["options"].get("mpi"))
    cpus = job.step["options"]["cpus"]
    with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
        shares_cpu = cpus is not None and len(set(cpus[:2])) < 2
        program = [str(compiled(toolchain)), *_arguments(job, len(testbed.nodes))]
        command = mpirun_command(toolchain, testbed, program, shares_cpu, Path(folder))
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(toolchain),
            start_new_session=True,
        )
        try:
            library = await _Listener(process, job, on_samples).listen()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), END_WITHIN_S)
        finally:
            await _end(process)
    calls = job.step["options"].get("calls") or "blocking"
    settings = {"mpi": library, "calls": calls, "cpus": cpus[:2] if cpus else None}
    return StepOutcome(effective={node.name: settings for node in testbed.nodes[:2]})


def _arguments(job: StepJob, nodes: int) -> list[str]:
    """The settings of the step as the program reads them."""
    step, stop = job.step, job.step["stop"]
    sizes = {phase["index"]: phase["size_bytes"] for phase in expand(step, nodes)}
    settings = {
        "pattern": step["pattern"]["kind"],
        "window": step["pattern"].get("window", 1),
        "calls": step["options"].get("calls") or "blocking",
        "until_ns": step["until_ns"] or 0,
        "epoch_ns": job.epoch_ns,
        "phases": ",".join(f"{index}:{sizes[index]}" for index in job.phases),
    }
    settings |= {name: value or 0 for name, value in stop.items()}
    if cpus := step["options"]["cpus"]:
        settings["cpus"] = ",".join(map(str, cpus[:2]))
    return [f"{name}={value}" for name, value in settings.items()]


class _Listener:
    """Reads what rank 0 says."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        job: StepJob,
        on_samples: Callable[[pa.RecordBatch], None],
    ) -> None:
        self._process = process
        self._job = job
        self._on_samples = on_samples
        self._rows: list[dict[str, int]] = []
        self._library = ""

    async def listen(self) -> str:
        """To the end; returns the library's version. Raises AgentError when the job fails or falls silent."""
        assert self._process.stderr is not None
        complaints = asyncio.ensure_future(self._process.stderr.read())
        try:
            while (words := (await self._line()).split()) != ["done"]:
                if not words:
                    await asyncio.wait([complaints], timeout=END_WITHIN_S)
                    said = complaints.result() if complaints.done() else b""
                    raise AgentError(NAME, "mpi-lost", await self._how_it_ended(said))
                self._take(words)
        finally:
            complaints.cancel()
        return self._library

    async def _line(self) -> str:
        """The next line, or nothing at the end."""
        assert self._process.stdout is not None
        patience_s = self._job.patience_ms / 1e3
        within_s = patience_s if self._library else max(patience_s, START_WITHIN_S)
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), within_s)
        except TimeoutError:
            raise AgentError(
                NAME, "mpi-silent", f"the MPI job said nothing for {within_s:.0f} s"
            ) from None
        return line.decode(errors="replace")

    def _take(self, words: list[str]) -> None:
        match words:
            case ["library", *version]:
                self._library = " ".join(version)
            case ["row", *numbers] if len(numbers) == 6:
                self._rows.append(self._row([int(number) for number in numbers]))
            case ["over", _]:
                self._on_samples(pa.RecordBatch.from_pylist(self._rows, schema=SCHEMA))
                self._rows = []

    def _row(self, numbers: list[int]) -> dict[str, int]:
        names = ("phase", "batch", "size_bytes", "messages", "start_ns", "elapsed_ns")
        known = {"step": self._job.step_index, "launch": self._job.launch, "src": 0, "dst": 1}
        return known | dict(zip(names, numbers, strict=True))

    async def _how_it_ended(self, said: bytes) -> str:
        status = await self._process.wait()
        lines = [line.strip() for line in said.decode(errors="replace").splitlines()]
        telling = [line for line in lines if line and not set(line) <= set("-= ")]
        ended = describe_end(status).replace("the agent", "the MPI job")
        return ended + (f": {telling[0]}" if telling else "")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Have mpirun end its ranks, if it has not; it and what it started here are killed if it does not."""
    if process.returncode is None:
        process.terminate()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_WITHIN_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
