"""Two runs, size by size, and route by route where many nodes took part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from weft.compare.applications import compare_loads
from weft.compare.matching import Matched, Pair, matched, paired
from weft.compare.multi_pair import compare_pairs
from weft.compare.routes import compare_routes
from weft.diagnose.curve import Reduction, reduction_of
from weft.diagnose.points import Point, points
from weft.errors import RequestError
from weft.run.digests import sampled_warning
from weft.run.folder import Run
from weft.run.meta import Warning
from weft.statistics import median_interval

Key = tuple[str, int, int]
"""Pattern, which of the run's steps of that pattern, size."""


@dataclass(frozen=True)
class Comparison:
    """All sizes and routes two runs share. `reduction` is what stands for a launch, in both."""

    a: str
    b: str
    reduction: Reduction
    pairs: list[Pair]
    unmatched_a: int
    unmatched_b: int
    warnings: list[Warning] = field(default_factory=list)

    @property
    def median_abs_error_pct(self) -> float:
        """The middle one of |ratio - 1|, in percent."""
        return median_interval(self._errors_pct()).median

    @property
    def worst_abs_error_pct(self) -> float:
        """The largest |ratio - 1|, in percent."""
        return max(self._errors_pct())

    def _errors_pct(self) -> list[float]:
        return [abs(pair.ratio.median - 1.0) * 100.0 for pair in self.pairs]

    def to_json(self) -> dict[str, Any]:
        """The document of `weft compare --json`."""
        return {
            "a": self.a,
            "b": self.b,
            "quantity": "throughput_mbps",
            "statistic": self.reduction,
            "points": [pair.to_json() for pair in self.pairs],
            "median_abs_error_pct": self.median_abs_error_pct,
            "worst_abs_error_pct": self.worst_abs_error_pct,
            "unmatched": {"a": self.unmatched_a, "b": self.unmatched_b},
            "warnings": [vars(warning) for warning in self.warnings],
        }


def compare(a: Run, b: Run) -> Comparison:
    """Compare throughputs; raises RequestError when the runs share no pattern and size."""
    warnings: list[Warning] = []
    reduction = _common_reduction(a, b, warnings)
    left, right = _keyed(points(a, reduction)), _keyed(points(b, reduction))
    all_matched: tuple[Matched[Pair], ...] = (
        matched(left, right, lambda _, one, other: _pair(one, other)),
        compare_routes(a, b),
        compare_loads(a, b),
        compare_pairs(a, b),
    )
    if not any(one.pairs for one in all_matched):
        raise RequestError(
            f"{a.directory} and {b.directory} share no size of the same pattern: "
            f"{_extent(left)} against {_extent(right)}",
            "measure both with the same plan; sizes are matched exactly, never interpolated",
        )
    unmatched_a = sum(one.unmatched_a for one in all_matched)
    unmatched_b = sum(one.unmatched_b for one in all_matched)
    if unmatched_a or unmatched_b:
        warnings.append(
            Warning(
                "sizes-unmatched",
                f"{unmatched_a} sizes, routes or loads of a and {unmatched_b} of b have no partner and are left out",
                "measure both with the same plan",
            )
        )
    for run in (a, b):
        warnings += sampled_warning(str(run.directory), run.meta)
    pairs = [pair for one in all_matched for pair in one.pairs]
    if any(pair.significant is None for pair in pairs):
        warnings.append(_TOO_FEW_LAUNCHES)
    return Comparison(
        str(a.directory), str(b.directory), reduction, pairs, unmatched_a, unmatched_b, warnings
    )


_TOO_FEW_LAUNCHES = Warning(
    "too-few-launches",
    "some differences cannot be called significant or not: too few launches",
    "four launches on each side are enough, or three against five",
)


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


def _keyed(found: list[Point]) -> dict[Key, Point]:
    """The points by pattern, size and which step of that pattern they belong to."""
    steps: dict[str, list[int]] = {}
    keyed: dict[Key, Point] = {}
    for point in found:
        seen = steps.setdefault(point.pattern, [])
        if point.step not in seen:
            seen.append(point.step)
        keyed[point.pattern, seen.index(point.step), point.size_bytes] = point
    return keyed


def _extent(keyed: dict[Key, Point]) -> str:
    if not keyed:
        return "no samples"
    sizes = [size for _, _, size in keyed]
    patterns = ", ".join(sorted({pattern for pattern, _, _ in keyed}))
    return f"{patterns} of {min(sizes)} to {max(sizes)} bytes"


def _pair(a: Point, b: Point) -> Pair:
    launches = (a.launches, b.launches)
    return paired(a.pattern, a.size_bytes, a.throughput_mbps, b.throughput_mbps, launches)
