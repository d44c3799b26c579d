"""Two runs, size by size, and route by route where many nodes took part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from weft.compare.measured import Measured, Pair, measured
from weft.compare.nodes import NodeRatio, nodes_that_differ
from weft.compare.routes import RoutePairs, compare_routes
from weft.compare.settings import Difference, setting_differences
from weft.compare.significance import can_differ, family_p, least_p, whole_launches
from weft.diagnose.curve import Reduction, curves, reduction_of
from weft.errors import RequestError
from weft.run.digests import sampled_warning
from weft.run.folder import Run
from weft.run.meta import Warning
from weft.statistics import LEVEL, Floats, middle_rank


class Simultaneous(msgspec.Struct):
    """How many rows share the bound on false differences, what was tested, and the smallest p it can give."""

    rows: int
    launches: tuple[int, int]
    least_p: float
    level: float = LEVEL


class Unmatched(msgspec.Struct):
    """How many sizes, routes or loads of each run have no partner."""

    a: int
    b: int


class Head(msgspec.Struct, kw_only=True):
    """The document of `weft compare --json` without its points, of which there may be millions.

    `statistic` is what stands for a launch, in both runs. The errors are |ratio - 1|: the middle one, and the largest.
    """

    a: str
    b: str
    quantity: str = "throughput_mbps"
    statistic: Reduction
    differences: list[Difference]
    nodes: list[NodeRatio]
    simultaneous: Simultaneous
    median_abs_error_pct: float
    worst_abs_error_pct: float
    unmatched: Unmatched
    warnings: list[Warning]


class Comparison(Head, kw_only=True):
    """All sizes and routes two runs share.

    `points` are the sizes, loads and arrangements. `significant` has an entry for each of these and then for each
    route: whether it differs, None where that cannot be told.
    """

    points: list[Pair]
    routes: RoutePairs
    significant: list[bool | None]

    @property
    def pairs(self) -> list[Pair]:
        """Everything that was compared, as objects: many where there are many routes."""
        return list(self.each())

    def each(self) -> Iterator[Pair]:
        """The same, one after the other."""
        yield from self.points
        yield from self.routes.pairs(self.significant[len(self.points) :])

    def head(self) -> Head:
        """What is printed before the points."""
        return Head(**{name: getattr(self, name) for name in Head.__struct_fields__})


def compare(a: Run, b: Run) -> Comparison:
    """Compare throughputs; raises RequestError when the runs share no pattern and size."""
    warnings = _told("a", a) + _told("b", b)
    reduction = _common_reduction(a, b, warnings)
    left, right = measured(a, reduction), measured(b, reduction)
    common = [key for key in left if key in right]
    points = [key.pair(left[key], right[key]) for key in common]
    routes = compare_routes(a, b, warnings)
    if not (points or len(routes)):
        raise _nothing_shared(a, b)
    unmatched = Unmatched(
        routes.unmatched_a + len(left) - len(common), routes.unmatched_b + len(right) - len(common)
    )
    launches = ([left[key] for key in common], [right[key] for key in common])
    significant, tested = _judged(points, *launches, routes)
    ratios = np.array([one.ratio.median for one in points])
    errors_pct = np.abs(np.concatenate([ratios, routes.ratios]) - 1.0) * 100.0
    return Comparison(
        a=str(a.directory),
        b=str(b.directory),
        statistic=reduction,
        differences=setting_differences(a.meta, b.meta),
        nodes=nodes_that_differ(routes),
        simultaneous=Simultaneous(
            sum(one is not None for one in significant), tested, least_p(*tested)
        ),
        median_abs_error_pct=float(np.sort(errors_pct)[middle_rank(len(errors_pct))]),
        worst_abs_error_pct=float(errors_pct.max()),
        unmatched=unmatched,
        warnings=[*warnings, *_notes(a, b, unmatched, significant)],
        points=[
            structs.replace(one, significant=yes)
            for one, yes in zip(points, significant, strict=False)
        ],
        routes=routes,
        significant=significant,
    )


def _told(name: str, run: Run) -> list[Warning]:
    """A run's own warnings."""
    return [Warning(one.code, f"{name}: {one.message}", one.hint) for one in run.meta.warnings]


def _nothing_shared(a: Run, b: Run) -> RequestError:
    return RequestError(
        f"{a.directory} and {b.directory} share no size of the same pattern: "
        f"{_extent(a)} against {_extent(b)}",
        "measure both with the same plan; sizes are matched exactly, never interpolated",
    )


def _notes(
    a: Run, b: Run, unmatched: Unmatched, significant: Sequence[bool | None]
) -> Iterator[Warning]:
    """What could not be compared, and what cannot be said."""
    if unmatched.a or unmatched.b:
        yield Warning(
            "sizes-unmatched",
            f"{unmatched.a} sizes, routes or loads of a and {unmatched.b} of b have no partner and are left out",
            "measure both with the same plan",
        )
    for run in (a, b):
        yield from sampled_warning(str(run.directory), run.meta)
    if None in significant:
        yield Warning(
            "too-few-launches",
            "some differences cannot be called significant or not: too few launches",
            "four launches on each side are enough, or three against five",
        )


def _judged(
    points: list[Pair], a: list[Measured], b: list[Measured], routes: RoutePairs
) -> tuple[list[bool | None], tuple[int, int]]:
    """What differs, and how many launches of each run say so: points and routes are one family."""
    left, right = _stacked(a, routes.a.by_launch_mbps), _stacked(b, routes.b.by_launch_mbps)
    counts = whole_launches(left), whole_launches(right)
    if not can_differ(*counts):
        return [None] * len(left), counts
    p = family_p(left, right)
    apart = [not pair.ratio.low <= 1.0 <= pair.ratio.high for pair in points]
    differs = (p <= 1 - LEVEL) & np.concatenate([np.array(apart, dtype=bool), routes.is_apart])
    differing: Any = np.where(np.isnan(p), None, differs)
    return differing.tolist(), counts


def _stacked(points: list[Measured], routes: Floats) -> Floats:
    """A row for each point and then for each route, a column for each launch; NaN where there is none."""
    width = max([routes.shape[1], *(len(one.by_launch_mbps) for one in points)])
    stacked = np.full((len(points) + len(routes), width), np.nan)
    for row, point in zip(stacked, points, strict=False):
        row[: len(point.by_launch_mbps)] = point.by_launch_mbps
    stacked[len(points) :, : routes.shape[1]] = routes
    return stacked


def _common_reduction(a: Run, b: Run, warnings: list[Warning]) -> Reduction:
    """What stands for a launch in both runs: a run of batches follows one that kept less."""
    kinds = {reduction_of(a), reduction_of(b)}
    if kinds == {"best", "mean"}:
        warnings.append(
            Warning(
                "statistics-differ",
                f"{a.directory} holds {_NAMES[reduction_of(a)]}, "
                f"{b.directory} {_NAMES[reduction_of(b)]}: the ratio is biased by that",
                "import results of the same statistic",
            )
        )
        return "median"
    if len(kinds) == 2:
        (chosen,) = kinds - {"median"}
        warnings.append(
            Warning(
                "statistics-reconciled",
                f"one run holds only {_NAMES[chosen]}, so the other was reduced to that too",
            )
        )
        return chosen
    return kinds.pop()


_NAMES: dict[Reduction, str] = {
    "best": "the best of several trials",
    "mean": "the mean of several trials",
    "median": "batches",
}


def _extent(run: Run) -> str:
    found = curves(run)
    if not found:
        return "no samples"
    sizes = [size for one in found for size in one.sizes.tolist()]
    patterns = ", ".join(sorted({one.pattern for one in found}))
    return f"{patterns} of {min(sizes)} to {max(sizes)} bytes"
