"""Job arrays of Slurm: each task of an array computes some chunks and writes a file for each."""

from __future__ import annotations

import queue
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path

from weft.base.errors import RequestError, WorkError
from weft.runs.columns.table_stream import read_stream
from weft.simulation.sweep.folder import SweepFolder
from weft.simulation.sweep.row import SCHEMA, SweepRow, rows_of
from weft.simulation.sweep.work_list import Chunk

_LOOK_S = 0.5
_QUIET_S = 0.3
"""Chunks submitted within this time of the previous one go into the same array."""

_SIDE_BY_SIDE = 64
"""The number of concurrent array tasks up to which each takes a single chunk; beyond, each takes up to _MOST_EACH."""
_MOST_EACH = 8

_DEFAULT_ARRAY = 1001
_GONE_S = 10.0
"""The time after a job's end within which its files may still appear on a network file system."""


class SlurmExecutor(Executor):
    """Computes chunks of a folder that all nodes can access. Partition, account and time limit come from
    SBATCH_PARTITION and similar variables, which sbatch reads itself."""

    def __init__(self, folder: SweepFolder) -> None:
        self._folder = folder
        self._most = _most_tasks()
        self._queue: queue.Queue[tuple[int, Future[list[SweepRow]]]] = queue.Queue()
        self._is_over = threading.Event()
        self._jobs: set[str] = set()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(  # type: ignore[override]
        self, fn: Callable[[Chunk], list[SweepRow]], chunk: Chunk, /
    ) -> Future[list[SweepRow]]:
        """Submits a chunk; a node reads it from the folder, so `fn` is not used."""
        del fn
        future: Future[list[SweepRow]] = Future()
        self._queue.put((chunk.index, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stops the thread and cancels the jobs that are left."""
        del cancel_futures
        self._is_over.set()
        if wait:
            self._thread.join()
        if self._jobs:
            subprocess.run(["scancel", *sorted(self._jobs)], capture_output=True, check=False)

    def _work(self) -> None:
        while not self._is_over.is_set():
            if batch := self._batch():
                try:
                    self._carry_out(batch)
                except Exception as error:
                    for future in batch.values():
                        if not future.done():
                            future.set_exception(error)

    def _batch(self) -> dict[int, Future[list[SweepRow]]]:
        """The chunks submitted until none came for _QUIET_S."""
        found: dict[int, Future[list[SweepRow]]] = {}
        while True:
            try:
                index, future = self._queue.get(timeout=_QUIET_S)
            except queue.Empty:
                return found
            if future.set_running_or_notify_cancel():
                found[index] = future

    def _carry_out(self, batch: dict[int, Future[list[SweepRow]]]) -> None:
        job = self._start(sorted(batch))
        self._jobs.add(job)
        left, gone_s = dict(batch), 0.0
        while left and not self._is_over.is_set():
            time.sleep(_LOOK_S)
            gone_s = 0.0 if _is_alive(job) else gone_s + _LOOK_S
            for index in [one for one in left if self._folder.chunk_file(one).exists()]:
                table = read_stream(self._folder.chunk_file(index), SCHEMA).table
                left.pop(index).set_result(rows_of(table))
            if left and gone_s > _GONE_S:
                raise WorkError(
                    f"job {job} of Slurm ended without {len(left)} of {len(batch)} chunks: {self._said(job)}",
                    "what was computed is kept: mend it, and go on with --resume",
                )
        if not left:
            self._jobs.discard(job)

    def _start(self, indices: Sequence[int]) -> str:
        """Submits an array, with several chunks per task if there are many, because each task must start Python.
        Returns the job's id; raises WorkError if sbatch fails."""
        each = max(
            -(-len(indices) // self._most), min(_MOST_EACH, -(-len(indices) // _SIDE_BY_SIDE))
        )
        lines = [indices[at : at + each] for at in range(0, len(indices), each)]
        spool = self._folder.path / "slurm"
        spool.mkdir(exist_ok=True)
        listed = spool / f"array-{indices[0]}-{time.time_ns()}.txt"
        listed.write_text("".join(" ".join(map(str, line)) + "\n" for line in lines))
        command = ["sbatch", "--parsable", f"--array=0-{len(lines) - 1}", "--job-name=weft-sweep"]
        command += [f"--output={spool.resolve()}/%A_%a-%N.log", f"--chdir={Path.cwd()}"]
        script = _script(self._folder.path.resolve(), listed.resolve())
        done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WorkError(f"sbatch: {done.stderr.strip() or 'failed'}", "try it by hand")
        return done.stdout.strip().partition(";")[0]

    def _said(self, job: str) -> str:
        """The last line of the logs of a job's tasks."""
        logs = sorted((self._folder.path / "slurm").glob(f"{job}_*.log"))
        lines = [line for log in logs for line in log.read_text(errors="replace").splitlines()]
        return lines[-1] if lines else "it said nothing"


def _script(folder: Path, listed: Path) -> str:
    weft = f"{shlex.quote(sys.executable)} -m weft"
    line = f'$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" {shlex.quote(str(listed))})'
    return f"#!/bin/sh\nexec {weft} sweep-task {shlex.quote(str(folder))} {line}\n"


def _most_tasks() -> int:
    """The largest number of tasks of an array; raises RequestError without Slurm, WorkError if it does not answer."""
    try:
        done = subprocess.run(
            ["scontrol", "show", "config"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise RequestError(
            "--executor slurm: there is no Slurm here (no scontrol)", "run it on a login node"
        ) from None
    if done.returncode:
        raise WorkError(f"scontrol: {done.stderr.strip()}", "is the controller up?")
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", done.stdout, re.MULTILINE)
    return max(1, int(found[1]) - 1) if found else _DEFAULT_ARRAY


def _is_alive(job: str) -> bool:
    command = ["squeue", "--noheader", f"--jobs={job}", "--format=%i"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # An unknown job is an error, and so is a controller that does not answer.
    is_unknown = done.returncode != 0 and "Invalid job id" in done.stderr
    return not is_unknown and (done.returncode != 0 or bool(done.stdout.strip()))
