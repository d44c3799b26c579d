"""The speed of a node, measured on this machine if a plan does not give it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from weft.base.errors import WorkError
from weft.base.quantity import significant
from weft.measure.execute.linpack.blas import blas_here
from weft.measure.execute.linpack.kernel import KernelRates
from weft.plan.pattern import Hpl
from weft.plan.plan import Step
from weft.runs.meta import Warning

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_WITHIN_S = 300


def with_rates(
    step: Step, pattern: Hpl, processes: int, cpus: Sequence[int] | None
) -> tuple[Step, list[Warning]]:
    """The step with the speeds that its plan leaves out, and the warnings about them.

    They are measured with the BLAS of the real program, if that program is on this machine and is named or about to
    run. As many processes compute at the same time, each on one of `cpus`, because nodes that share this machine share
    its processors.
    """
    if pattern.dgemm_flops and pattern.panel_flops:
        return step, []
    blas = blas_here(pattern.program, step.transport == "mpi")
    found = measured(pattern.nb, processes, cpus, blas)
    dgemm = pattern.dgemm_flops or found.dgemm_flops
    panel = pattern.panel_flops or found.panel_flops
    at_once = "one process" if processes == 1 else f"{processes} processes at once"
    said = (
        f"{step.name}: a node computes as this machine does, {significant(dgemm / 1e9, 3)} GFlop/s in products of "
        f"matrices and {significant(panel / 1e9, 3)} GFlop/s in panels ({at_once}, one thread each, {_name(blas)}, "
        f"load {os.getloadavg()[0]:.1f} before)"
    )
    pattern = replace(pattern, dgemm_flops=dgemm, panel_flops=panel)
    hint = f"for other nodes: --set steps.{step.name}.dgemm='20 GFlop/s',panel='4 GFlop/s'"
    return replace(step, pattern=pattern), [Warning("compute-rate", said, hint)]


def _name(blas: Path | None) -> str:
    return f"the BLAS {blas}" if blas else "the OpenBLAS that SciPy comes with"


def measured(
    block: int, processes: int, cpus: Sequence[int] | None = None, blas: Path | None = None
) -> KernelRates:
    """Median rates of processes that compute at the same time with a BLAS, or with SciPy's; raises WorkError."""
    library = [str(blas)] if blas else []
    command = [sys.executable, "-m", "weft.measure.execute.linpack.kernel", str(block), *library]
    pinned = [["taskset", "-c", str(cpu)] for cpu in cpus or ()] or [[]]
    started = [
        subprocess.Popen(
            [*pinned[number % len(pinned)], *command],
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
        )
        for number in range(processes)
    ]
    rates = [_answer(process) for process in started]
    dgemm, panel = (
        np.median([getattr(one, name) for one in rates]) for name in ("dgemm_flops", "panel_flops")
    )
    return KernelRates(round(dgemm), round(panel))


def _answer(process: subprocess.Popen[bytes]) -> KernelRates:
    try:
        said, _ = process.communicate(timeout=_WITHIN_S)
        return msgspec.json.decode(said, type=KernelRates)
    except (subprocess.TimeoutExpired, msgspec.DecodeError):
        process.kill()
        raise WorkError(
            "how fast this machine computes could not be measured", "give `dgemm` and `panel`"
        ) from None
