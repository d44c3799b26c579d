"""A run's measurement of a step at one size, with its interval over launches, or over phases if there is one launch."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.runs.folder import RunFolder
from weft.understand.ensemble.phases import phases
from weft.understand.summary.measures import StepMeasure, measures

_DRAWS = 1000
_ENDS = (0.025, 0.975)
MeasureName = Literal["rate", "time"]


def measured(run: RunFolder, step: str, size_bytes: int, measure: MeasureName) -> Interval | None:
    """The rate (Mb/s) or time (s), as in `weft.understand.summary.measures`; None if the run did not measure it."""
    of_launches = [
        _value(one, measure)
        for launch in sorted(pc.unique(run.samples["launch"]).to_pylist())
        for one in measures(_launch(run, launch))
        if (one.step, one.size_bytes) == (step, size_bytes)
    ]
    if not of_launches:
        return None
    if len(of_launches) == 1:
        return _over_phases(run, step, size_bytes, measure) or _point(of_launches[0])
    return median_interval(of_launches, upper=measure == "time")


def _launch(run: RunFolder, launch: int) -> RunFolder:
    return replace(run, samples=run.samples.filter(pc.field("launch") == launch))


def _value(one: StepMeasure, measure: MeasureName) -> float:
    return one.time_s if measure == "time" else one.rate_mbps


def _point(value: float) -> Interval:
    return Interval(value, value, value)


def _over_phases(
    run: RunFolder, step: str, size_bytes: int, measure: MeasureName
) -> Interval | None:
    """An interval from resampled phases; None between two nodes, where there is only one phase."""
    steps = run.meta.plan.steps
    mine = [
        one for one in phases(run) if steps[one.step].name == step and one.size_bytes == size_bytes
    ]
    if len(mine) < 2:
        return None
    if measure == "rate":
        values = np.array([one.aggregate_mbps for one in mine])
        return _drawn(values, 1.0)
    return _drawn(np.array([size_bytes * 8e-6 / one.rate_mbps for one in mine]), len(mine))


def _drawn(values: Floats, times: float, seed: int = 1) -> Interval:
    generator = np.random.default_rng(seed)
    means = values[generator.integers(0, len(values), (_DRAWS, len(values)))].mean(axis=1)
    low, high = np.quantile(means, _ENDS)
    middle = float(values.mean())
    return Interval(times * middle, times * float(low), times * float(high))


def ratio(before: Interval, after: Interval, measure: MeasureName) -> Interval:
    """The improvement as a ratio, with ends from those of both intervals."""
    if measure == "time":
        before, after = after, before
    return Interval(after.median / before.median, after.low / before.high, after.high / before.low)
