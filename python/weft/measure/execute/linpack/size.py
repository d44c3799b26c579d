"""The size of a problem if the plan does not give it, and the expected duration."""

from __future__ import annotations

import math
import os
from pathlib import PurePath

from msgspec import UNSET
from msgspec.structs import replace

from weft.base.quantity import significant
from weft.measure.execute.linpack.blas import blas_here
from weft.measure.execute.linpack.compute_rate import measured
from weft.measure.execute.linpack.memory import PANELS
from weft.measure.execute.linpack.program import grid_nodes, make_ready
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Hpl
from weft.plan.plan import Step
from weft.runs.meta import Warning

HPCC_TIMES = 3.0
"""HPC Challenge solves the system last: at n = 500 to 4,000 on two processors it took 2.7 to 4 times as long."""
SCALAR_SHARE = 0.7
"""Speed of a whole solution relative to matrix products, on nodes that do not wait for a network."""
FILLED = 0.8
"""HPL's authors advise to fill at most this share of memory."""
LEAST_N = 500
LONG_S = 300.0
"""A longer duration is announced even if the plan gives n."""


def with_size(
    step: Step, pattern: Hpl, testbed: Testbed, launches: int
) -> tuple[Step, list[Warning]]:
    """The step with its problem size, if open, and a warning about its duration; raises RequestError."""
    nodes = len(grid_nodes(step, len(testbed.nodes)))
    ready = make_ready(step, pattern, testbed) if step.transport == "mpi" else None
    is_hpcc = ready is not None and PurePath(ready.path).name == "hpcc"
    times = HPCC_TIMES if is_hpcc else 1.0
    others = " and HPC Challenge's other benchmarks are (xhpl has none)" if is_hpcc else ""
    each_flops = _speed(step, pattern, testbed, nodes)
    flops = each_flops * nodes * SCALAR_SHARE / times
    if pattern.budget_ns:
        within_s = pattern.budget_ns / 1e9 / launches
        n = _fitting(flops * within_s, ready.free_bytes if ready else None)
        pattern = replace(pattern, n=n, nb=min(pattern.nb, n), budget_ns=UNSET)
        what = f"n = {n:,} was chosen, {launches} launches of about"
        hint = f"give --set steps.{step.name}.n=..., or more time: steps.{step.name}.time='600 s'"
    else:
        what = f"n = {pattern.n:,} takes {launches} launches of about"
        hint = f"a smaller n, or leave it out: then it suits a minute (steps.{step.name}.time)"
        if pattern.flops / flops * launches < LONG_S:
            return step, []
    said = (
        f"{step.name}: {what} {duration(pattern.flops / flops)} each on {nodes} nodes that compute "
        f"{significant(each_flops / 1e9, 2)} GFlop/s, as this machine does now, longer where the "
        f"network is slow or other programs run there"
        f"{others}"
    )
    return replace(step, pattern=pattern), [Warning("linpack-time", said, hint)]


def _speed(step: Step, pattern: Hpl, testbed: Testbed, nodes: int) -> float:
    """Operations per second of one process; nodes on this machine share its processors."""
    blas = blas_here(pattern.program, step.transport == "mpi")
    cpus = len(os.sched_getaffinity(0))
    at_once = min(nodes, cpus) if testbed.is_here else 1
    found = pattern.dgemm_flops or measured(pattern.nb, at_once, None, blas).dgemm_flops
    return found * min(1.0, cpus / nodes) if testbed.is_here else found


def _fitting(flops: float, free_bytes: int | None) -> int:
    """The largest n, in hundreds, with at most `flops` operations whose matrix fits into the free memory of all
    nodes."""
    most = (1.5 * flops) ** (1 / 3)
    if free_bytes is not None:
        most = min(most, math.sqrt(FILLED * free_bytes / PANELS / 8))
    return max(LEAST_N, int(most) // 100 * 100)


def duration(seconds: float) -> str:
    """Such as "12 s" or "8 min"."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
