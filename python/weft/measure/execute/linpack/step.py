"""One launch of the real Linpack: mpirun, its output, and what the run records."""

from __future__ import annotations

import math
import shlex
import tempfile
import time
from collections import deque
from pathlib import Path

import pyarrow as pa

from weft import _core
from weft.measure.execute.linpack.compute_rate import ONE_THREAD
from weft.measure.execute.linpack.input_file import RESIDUAL_LIMIT, input_file
from weft.measure.execute.linpack.memory import needed
from weft.measure.execute.linpack.output import HplSolution, complaint, read_output
from weft.measure.execute.linpack.program import ReadyProgram, make_ready
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.mpi.command import environment, mpirun_command
from weft.measure.execute.mpi.job import ALIVE, NAME, MpiJob
from weft.measure.execute.mpi.launch import shares_cpu
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Grid, Hpl
from weft.plan.plan import to_json
from weft.runs.records import records
from weft.runs.samples import SCHEMA

_MOST_LINES = 100_000
_IN_A_FOLDER = (
    'folder=$(mktemp -d) && cd "$folder" || exit 1; '
    'printf %s "$1" | tr "|" "\\n" > HPL.dat; cp HPL.dat hpccinf.txt; '
    f'if [ "${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-$PMI_RANK}}}}" = 0 ]; '
    f'then while kill -0 $$ 2>/dev/null; do echo "{ALIVE}" >&2; sleep 1; done > /dev/null & fi; '
    '"$2" < /dev/null; status=$?; '
    '[ $status -le 128 ] || echo "weft: a process was ended by signal $((status - 128))" >&2; '
    'cat hpccoutf.txt 2>/dev/null; rm -rf "$folder"; exit $status'
)
"""Each process runs its program in a new folder, because it reads and writes files with fixed names. The first process
prints a sign of life while its program runs, since a large problem prints nothing for hours."""
_KILLED = "ended by signal 9"


async def run_linpack_step(testbed: Testbed, job: StepJob, pattern: Hpl, logbook: Logbook) -> None:
    """Solve the problem once; raises AgentError if nothing was solved. A wrong solution gives no sample."""
    ready = make_ready(job.step, pattern, testbed)
    grid = Grid(*_core.Program.grid(to_json(job.step), len(testbed.nodes)))
    begun_ns = time.monotonic_ns() - job.epoch_ns
    solved = await _solve(testbed, job, pattern, ready, input_file(pattern, grid))
    _note(job, ready, solved, logbook)
    if solved.is_right:
        logbook.phases_measured([0], [_row(job, pattern, ready, solved, begun_ns)])
        return
    reason = f"the solution is wrong: its residual is {solved.residual:.3g}, and right is at most {RESIDUAL_LIMIT:g}"
    logbook.phase_incomplete(0, ready.nodes, reason)
    logbook.meta.warn(
        "residual-failed",
        f"{job.step.name}, launch {job.launch}: {reason}; its time counts nowhere",
        "look for a node with wrong memory or an unstable processor, and for a BLAS or MPI that is not right",
    )


def _note(job: StepJob, ready: ReadyProgram, solved: HplSolution, logbook: Logbook) -> None:
    """Record the solution, right or wrong, in run.json."""
    key = (job.step_index, job.launch)
    others = [one for one in logbook.meta.linpack if (one["step"], one["launch"]) != key]
    new: records.Linpack = {
        "step": job.step_index,
        "launch": job.launch,
        "elapsed_ns": round(solved.elapsed_s * 1e9),
        "residual": solved.residual if math.isfinite(solved.residual) else None,
        "is_right": solved.is_right,
        "program": ready.path,
        "mpi": f"{ready.mpirun.kind} {ready.mpirun.version}",
    }
    logbook.meta.linpack = [*others, new]


async def _solve(
    testbed: Testbed, job: StepJob, pattern: Hpl, ready: ReadyProgram, text: str
) -> HplSolution:
    lines: deque[str] = deque(maxlen=_MOST_LINES)
    program = ["sh", "-c", _IN_A_FOLDER, "linpack", text.replace("\n", "|"), ready.path]
    threads = ONE_THREAD if testbed.is_here else {}
    with tempfile.TemporaryDirectory(prefix="weft-hpl-") as name:
        folder = Path(name)
        shares = testbed.is_here or shares_cpu(testbed, ready.nodes, job.step.options.cpus)
        command = mpirun_command(ready.mpirun, testbed, ready.nodes, program, shares, folder)
        command = [*_pinned(testbed), *command]
        variables = environment(ready.mpirun, testbed, folder) | threads
        started = await MpiJob.start(command, variables, job.patience_s)
        try:
            while (solved := read_output(lines, pattern.flops)) is None:
                lines.append(await started.line())
            await started.finish()
        except AgentError as error:
            raise _why(error, job, pattern, ready, [*lines, *started.complaints]) from None
        finally:
            await started.end()
    return solved


def _pinned(testbed: Testbed) -> list[str]:
    """Keeps processes, which spin while they wait, off the processor of a lab's forwarder."""
    if testbed.kind != "lab" or not testbed.cpus:
        return []
    return ["taskset", "-c", ",".join(str(cpu) for cpu in sorted(set(testbed.cpus)))]


def _why(
    error: AgentError, job: StepJob, pattern: Hpl, ready: ReadyProgram, said: list[str]
) -> AgentError:
    """The error with the reason why nothing was solved, as far as it is known."""
    name = shlex.quote(ready.path)
    if any(_KILLED in line for line in said):
        reason = f"{name} was killed (signal 9), as happens where memory runs out: {needed(pattern, len(ready.nodes))}"
        return AgentError(NAME, "linpack-killed", reason)
    if words := complaint(said):
        return AgentError(NAME, "linpack-failed", f"{name}: {words}")
    return AgentError(NAME, error.code, f"{name} has solved nothing: {error.reason}")


def _row(
    job: StepJob, pattern: Hpl, ready: ReadyProgram, solved: HplSolution, begun_ns: int
) -> pa.RecordBatch:
    """The solution as one sample, from the first process to the last."""
    row = {
        "step": job.step_index,
        "phase": 0,
        "launch": job.launch,
        "batch": 0,
        "src": ready.nodes[0],
        "dst": ready.nodes[-1],
        "size_bytes": pattern.matrix_bytes,
        "messages": 1,
        "start_ns": begun_ns,
        "elapsed_ns": round(solved.elapsed_s * 1e9),
    }
    return pa.RecordBatch.from_pylist([row], schema=SCHEMA)
