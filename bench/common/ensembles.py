"""Runs of plans between many nodes, for benchmarks: carried out in a folder that goes away again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.curve.curve import column

Override = tuple[str, str]

MACHINE_LIMITS = {"lab-late", "lab-busy"}
"""Warnings that the machine, not the fabric, made some of the values."""


@contextmanager
def measured(
    plan: str, on: str, scale: float, overrides: list[Override] | None = None
) -> Iterator[RunFolder]:
    """A complete run of a plan; what it warns of is printed, because it says what its numbers are worth."""
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            plan, on, RunOptions(out=f"{folder}/run", scale=scale, settings=dict(overrides or []))
        )
        run = start_run(request)
        for warning in run.meta.warnings:
            print(f"  warning {warning.code}: {warning.message}", flush=True)
        if run.meta.status != "complete":
            raise RuntimeError(f"{plan} on {on} ended {run.meta.status}")
        yield run


def machine_was_limit(run: RunFolder) -> bool:
    """Whether the lab could not keep up, so that its numbers say little about the fabric."""
    return are_of_machine(run.meta.warnings)


def are_of_machine(warnings: Iterable[Warning]) -> bool:
    return any(warning.code in MACHINE_LIMITS for warning in warnings)


def span_s(samples: pa.Table) -> float:
    """Seconds from the first start to the last end of what was timed."""
    start_ns = column(samples, "start_ns")
    return float((start_ns + column(samples, "elapsed_ns")).max() - start_ns.min()) / 1e9
