"""The time of each kernel of a run, measured or simulated, for comparison with a prediction.

A kernel is a unit that a user waits for: a program at one size, with one algorithm, over a number of nodes; in other
steps, all phases of one message size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from weft.base.statistics import median_interval
from weft.runs.folder import RunFolder
from weft.understand.kinds.every import KINDS
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.summary.measures import StepMeasure, measures


def kernels(run: RunFolder) -> list[KernelTime]:
    """The kernels of all steps that have times, in the order of the plan's steps."""
    steps = run.meta.plan.steps
    found: list[KernelTime] = []
    of_kinds: set[str] = set()
    for kind in KINDS:
        if kind.kernels:
            results = kind.results(run)
            found += kind.kernels(results, run.meta)
            of_kinds |= {steps[one.step].name for one in results}
    found += (one for one in _of_messages(run) if one.step not in of_kinds)
    places = {step.name: at for at, step in enumerate(steps)}
    return sorted(found, key=lambda one: places[one.step])


def _of_messages(run: RunFolder) -> Iterator[KernelTime]:
    """Steps between two nodes or many, with all phases of each size together."""
    launches = np.unique(run.samples["launch"].to_numpy()).tolist()
    found: dict[tuple[str, int], list[float]] = {}
    for launch in launches:
        for one in _measures_of(run, launch):
            found.setdefault((one.step, one.size_bytes), []).append(one.time_s)
    for (step, size), times_s in found.items():
        yield KernelTime(step, "", size, median_interval(times_s, upper=True), len(times_s) > 2)


def _measures_of(run: RunFolder, launch: int) -> Sequence[StepMeasure]:
    return measures(replace(run, samples=run.samples.filter(pc.field("launch") == launch)))
