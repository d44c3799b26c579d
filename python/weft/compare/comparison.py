"""Two runs, size by size, and route by route where many nodes took part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec import structs

from weft.compare.applications import compare_loads
from weft.compare.document import Head, Simultaneous, Unmatched
from weft.compare.matching import Launches, Matched, Pair, matched, ratio_of, table
from weft.compare.multi_pair import compare_pairs
from weft.compare.nodes import NodeRatio, nodes_that_differ
from weft.compare.routes import RoutePairs, compare_routes
from weft.compare.settings import Difference, setting_differences
from weft.compare.significance import can_differ, family_p, least_p, whole_launches
from weft.diagnose.curve import Reduction, curves, reduction_of
from weft.diagnose.points import Point, curve_points
from weft.errors import RequestError
from weft.run.digests import sampled_warning
from weft.run.folder import Run
from weft.run.meta import Warning
from weft.statistics import LEVEL, Floats, middle_rank

Key = tuple[str, int, int]
"""Pattern, which of the run's steps of that pattern, size."""

Measured = tuple[Point, tuple[float, ...]]
"""A point, and its throughput in each launch."""


@dataclass(frozen=True)
class Comparison:
    """All sizes and routes two runs share. `reduction` is what stands for a launch, in both.

    `points` are the sizes, loads and arrangements. `significant` has an entry for each of these and then for each
    route: whether it differs, None where that cannot be told. `launches` are those of a and b that were tested.
    """

    a: str
    b: str
    reduction: Reduction
    points: list[Pair]
    routes: RoutePairs
    significant: list[bool | None]
    launches: tuple[int, int]
    unmatched: Unmatched
    differences: list[Difference]
    nodes: list[NodeRatio]
    warnings: list[Warning]

    @property
    def pairs(self) -> list[Pair]:
        """Everything that was compared, as objects: many where there are many routes."""
        return list(self.each())

    def each(self) -> Iterator[Pair]:
        """The same, one after the other."""
        yield from self.points
        yield from self.routes.pairs(self.significant[len(self.points) :])

    @property
    def tested(self) -> int:
        """How many rows share the bound on false differences."""
        return sum(one is not None for one in self.significant)

    @property
    def median_abs_error_pct(self) -> float:
        """The middle one of |ratio - 1|, in percent."""
        errors = np.sort(self._errors_pct)
        return float(errors[middle_rank(len(errors))])

    @property
    def worst_abs_error_pct(self) -> float:
        """The largest |ratio - 1|, in percent."""
        return float(self._errors_pct.max())

    @cached_property
    def _errors_pct(self) -> Floats:
        ratios = np.array([pair.ratio.median for pair in self.points])
        errors: Floats = np.abs(np.concatenate([ratios, self.routes.ratios]) - 1.0) * 100.0
        return errors

    def head(self) -> Head:
        """The document of `weft compare --json` without its points, of which there may be millions."""
        return Head(
            a=self.a,
            b=self.b,
            statistic=self.reduction,
            differences=self.differences,
            nodes=self.nodes,
            simultaneous=Simultaneous(self.tested, self.launches, least_p(*self.launches)),
            median_abs_error_pct=self.median_abs_error_pct,
            worst_abs_error_pct=self.worst_abs_error_pct,
            unmatched=self.unmatched,
            warnings=self.warnings,
        )


def compare(a: Run, b: Run) -> Comparison:
    """Compare throughputs; raises RequestError when the runs share no pattern and size."""
    warnings = _told("a", a) + _told("b", b)
    reduction = _common_reduction(a, b, warnings)
    parts: tuple[Matched[Pair], ...] = (
        matched(_keyed(a, reduction), _keyed(b, reduction), _pair),
        compare_loads(a, b),
        compare_pairs(a, b),
    )
    routes = compare_routes(a, b, warnings)
    points = [pair for one in parts for pair in one.pairs]
    if not (points or len(routes)):
        raise _nothing_shared(a, b)
    unmatched = Unmatched(
        routes.unmatched_a + sum(one.unmatched_a for one in parts),
        routes.unmatched_b + sum(one.unmatched_b for one in parts),
    )
    launches = [each for one in parts for each in one.launches]
    significant, tested = _judged(points, launches, routes)
    return Comparison(
        str(a.directory),
        str(b.directory),
        reduction,
        [
            structs.replace(one, significant=yes)
            for one, yes in zip(points, significant, strict=False)
        ],
        routes,
        significant,
        tested,
        unmatched,
        setting_differences(a.meta, b.meta),
        nodes_that_differ(routes),
        [*warnings, *_notes(a, b, unmatched, significant)],
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
    points: list[Pair], launches: list[Launches], routes: RoutePairs
) -> tuple[list[bool | None], tuple[int, int]]:
    """What differs, and how many launches of each run say so: points and routes are one family."""
    left = _stacked([one for one, _ in launches], routes.a.by_launch_mbps)
    right = _stacked([other for _, other in launches], routes.b.by_launch_mbps)
    counts = whole_launches(left), whole_launches(right)
    if not can_differ(*counts):
        return [None] * len(left), counts
    p = family_p(left, right)
    apart = [not pair.ratio.low <= 1.0 <= pair.ratio.high for pair in points]
    differs = (p <= 1 - LEVEL) & np.concatenate([np.array(apart, dtype=bool), routes.is_apart])
    unknown = np.isnan(p)
    return [
        None if no else yes for no, yes in zip(unknown.tolist(), differs.tolist(), strict=True)
    ], counts


def _stacked(points: list[tuple[float, ...]], routes: Floats) -> Floats:
    """A row for each point and then for each route, a column for each launch."""
    above = table(points)
    stacked = np.full((len(above) + len(routes), max(above.shape[1], routes.shape[1])), np.nan)
    stacked[: len(above), : above.shape[1]] = above
    stacked[len(above) :, : routes.shape[1]] = routes
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


def _keyed(run: Run, reduction: Reduction) -> dict[Key, Measured]:
    """What pairs measured, by pattern, which step of that pattern, and size."""
    steps: dict[str, list[int]] = {}
    keyed: dict[Key, Measured] = {}
    for curve in curves(run, reduction):
        seen = steps.setdefault(curve.pattern, [])
        seen.append(curve.step)
        by_launch = np.full((len(curve.sizes), int(curve.launches.max()) + 1), np.nan)
        by_launch[:, curve.launches] = curve.rates_mbps
        for point, row in zip(curve_points(curve), by_launch.tolist(), strict=True):
            keyed[point.pattern, len(seen) - 1, point.size_bytes] = (point, tuple(row))
    return keyed


def _extent(run: Run) -> str:
    found = curves(run)
    if not found:
        return "no samples"
    sizes = [size for one in found for size in one.sizes.tolist()]
    patterns = ", ".join(sorted({one.pattern for one in found}))
    return f"{patterns} of {min(sizes)} to {max(sizes)} bytes"


def _pair(key: Key, a: Measured, b: Measured) -> tuple[Pair, Launches]:
    (left, left_launches), (right, right_launches) = a, b
    ends = (left.throughput_mbps, right.throughput_mbps)
    pair = Pair(key[0], key[2], *ends, ratio_of(*ends), None)
    return pair, (left_launches, right_launches)
