"""Several runs of each network: the run is the unit of repetition, so that variation between runs is included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from weft.base.statistics import Floats, median_interval
from weft.runs.folder import RunFolder
from weft.understand.comparison.measured import ComparedRate, Key, measured
from weft.understand.comparison.routes import RoutePairs, compare_routes
from weft.understand.curve.curve import Ints, Reduction
from weft.understand.ensemble.rates import MedianRates

Rows = dict[tuple[object, ...], int]


def measured_in(runs: Sequence[RunFolder], reduction: Reduction) -> dict[Key, ComparedRate]:
    """The rates that all runs measured, with the median of each run in place of a launch."""
    found = [measured(run, reduction) for run in runs]
    return {
        key: _of_runs([one[key].mbps.median for one in found])
        for key in found[0]
        if all(key in one for one in found)
    }


def _of_runs(mbps: list[float]) -> ComparedRate:
    return ComparedRate(median_interval(mbps), tuple(mbps))


def with_repeats(routes: RoutePairs, a: Sequence[RunFolder], b: Sequence[RunFolder]) -> RoutePairs:
    """The routes that all runs share, with a column for each run in place of launches; unchanged if there are no
    repeats."""
    if len(a) == len(b) == 1:
        return routes
    found = [compare_routes(a[0], other) for other in (*a[1:], *b[1:])]
    rows = [_rows(one) for one in (routes, *found)]
    shared = reduce(
        lambda some, other: [key for key in some if key in other], rows[1:], list(rows[0])
    )
    kept = np.array([rows[0][key] for key in shared], dtype=np.int64)
    more = [
        one.b.mbps[[mine[key] for key in shared]] for one, mine in zip(found, rows[1:], strict=True)
    ]
    left, right = more[: len(a) - 1], more[len(a) - 1 :]
    return replace(
        routes,
        step=routes.step[kept],
        a=_repeated(routes.a, kept, left),
        b=_repeated(routes.b, kept, right),
        unmatched_a=routes.unmatched_a + len(routes) - len(kept),
        unmatched_b=routes.unmatched_b + len(routes) - len(kept),
    )


def _rows(routes: RoutePairs) -> Rows:
    """The row of each transfer, by its key in the first run."""
    one = routes.a
    keys = zip(
        *(column.tolist() for column in (one.phase, one.src, one.dst, one.size)), strict=True
    )
    steps = (routes.steps[step] for step in routes.step.tolist())
    return {(step, *key): at for at, (step, key) in enumerate(zip(steps, keys, strict=True))}


def _repeated(rates: MedianRates, kept: Ints, more: list[Floats]) -> MedianRates:
    first = rates.where(kept)
    by_run = np.column_stack([first.mbps, *more])
    ends = [median_interval(row) for row in by_run]
    middle = np.array([one.median for one in ends])
    return replace(
        first,
        mbps=middle,
        low_mbps=np.array([one.low for one in ends]),
        high_mbps=np.array([one.high for one in ends]),
        time_us=first.time_us * first.mbps / middle,
        by_launch_mbps=by_run,
    )
