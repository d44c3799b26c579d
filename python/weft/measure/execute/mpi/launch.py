"""Starts a job: the program on each node, mpirun, and the ranks in order."""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from weft.knobs.catalog import find
from weft.measure.execute.mpi.command import environment, mpirun_command
from weft.measure.execute.mpi.job import MpiJob
from weft.measure.execute.mpi.program import NAME, compiled
from weft.measure.execute.mpi.toolchain import Toolchain, find_toolchain
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.base import Testbed
from weft.plan.plan import Step

_RANK = "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-$PMI_RANK}}"


@contextlib.asynccontextmanager
async def launch(
    testbed: Testbed,
    nodes: Sequence[int],
    step: Step,
    settings: Mapping[str, object],
    patience_s: float,
) -> AsyncIterator[MpiJob]:
    """A job with a rank on each node, in their order; it is ended on leaving. Raises AgentError."""
    toolchain = find_toolchain(step.options.mpi or None)
    cpus = step.options.cpus
    if cpus is not None:
        settings = {**settings, "cpus": ",".join(str(cpus[node]) for node in nodes)}
    arguments = [f"{name}={value}" for name, value in settings.items()]
    with tempfile.TemporaryDirectory(prefix="weft-mpi-") as folder:
        program = [*await _program(testbed, nodes, toolchain), *arguments]
        shares = shares_cpu(testbed, nodes, cpus)
        command = mpirun_command(toolchain.launcher, testbed, nodes, program, shares, Path(folder))
        variables = environment(toolchain.launcher, testbed, Path(folder)) | _knobs(step, toolchain)
        job = await MpiJob.start(command, variables, patience_s)
        try:
            yield job
        finally:
            await job.end()


def _knobs(step: Step, toolchain: Toolchain) -> dict[str, str]:
    """Environment variables for the step's MPI knobs; raises AgentError for a knob that this MPI does not have."""
    variables = {}
    for name, value in (step.options.knobs or {}).items():
        known = find(name.partition("@")[0]).environment
        if known and toolchain.kind not in known:
            raise AgentError(NAME, "knob-refused", f"{name} is of {', '.join(known)}")
        if known:
            variables[known[toolchain.kind]] = value
    return variables


def shares_cpu(testbed: Testbed, nodes: Sequence[int], cpus: Sequence[int] | None) -> bool:
    """Whether this machine has fewer processors for ranks than ranks, so that none may spin."""
    if not testbed.is_here:
        return False
    places = os.sched_getaffinity(0) if cpus is None else {cpus[node] for node in nodes}
    return len(places) < len(nodes)


async def _program(testbed: Testbed, nodes: Sequence[int], toolchain: Toolchain) -> list[str]:
    """The words that start the program at each rank, after it was copied to the nodes.

    If nodes keep it in different folders, each rank looks up its own.
    """
    paths = await testbed.keep(compiled(toolchain), nodes)
    if len(set(paths)) == 1:
        return [paths[0]]
    cases = " ".join(f'{rank}) exec {shlex.quote(path)} "$@";;' for rank, path in enumerate(paths))
    return ["sh", "-c", f"case {_RANK} in {cases} esac", NAME]
