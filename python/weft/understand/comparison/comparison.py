"""Compares two runs size by size, and route by route between many nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
import numpy as np
from msgspec import structs

from weft.base.errors import RequestError
from weft.base.statistics import LEVEL, middle_rank
from weft.runs.digests import sampled_warning
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.comparison.judgement import Significance, judged
from weft.understand.comparison.measured import ComparedPair, measured
from weft.understand.comparison.nodes import NodeRatio, nodes_that_differ
from weft.understand.comparison.noise import MIN_LAUNCHES
from weft.understand.comparison.repeats import measured_in, with_repeats
from weft.understand.comparison.routes import RoutePairs, compare_routes
from weft.understand.comparison.settings import SettingDifference, setting_differences
from weft.understand.comparison.significance import least_p
from weft.understand.curve.curve import Reduction, curves, reduction_of
from weft.understand.host.disturbed import not_usable

Repeated = Literal["launch", "run"]
"""The unit that is permuted between the two networks."""


class Simultaneous(msgspec.Struct):
    """The simultaneous test: the number of rows that share the error bound, the units tested, and the least possible p.

    If launches of two runs were tested, the bound assumes that runs differ by no more than launches do. If `repeated`
    is "run", whole runs were tested, and `launches` are the numbers of runs.
    """

    rows: int
    launches: tuple[int, int]
    least_p: float
    level: float = LEVEL
    repeated: Repeated = "launch"

    @property
    def units(self) -> str:
        """The units that `launches` counts."""
        return "launches" if self.repeated == "launch" else "runs"

    @property
    def assumption(self) -> str:
        """The assumption under which the bound holds."""
        if self.repeated == "run":
            return "by whole runs"
        return "if runs of one network differ by no more than launches do"


class UnmatchedCounts(msgspec.Struct):
    """The number of sizes, routes or loads of each run that the other lacks."""

    a: int
    b: int


class Head(msgspec.Struct, kw_only=True):
    """The document of `weft compare --json` without its points, of which there may be millions.

    `statistic` is the reduction of a launch in both runs. The errors are the median and the largest |ratio - 1|. If the
    runs are not comparable, `not_comparable` is the reason, and no difference is reported as significant.
    """

    a: str
    b: str
    more_a: list[str]
    more_b: list[str]
    not_comparable: str | None = None
    quantity: str = "throughput_mbps"
    statistic: Reduction
    differences: list[SettingDifference]
    nodes: list[NodeRatio]
    simultaneous: Simultaneous
    median_abs_error_pct: float
    worst_abs_error_pct: float
    unmatched: UnmatchedCounts
    warnings: list[Warning]


class RunComparison(Head, kw_only=True):
    """All sizes and routes that two runs share.

    `points` are the sizes, loads and arrangements. `judgement` has an entry for each point, then for each route.
    """

    points: list[ComparedPair]
    routes: RoutePairs
    judgement: Significance

    @property
    def pairs(self) -> list[ComparedPair]:
        """All compared pairs as a list, which is long if there are many routes."""
        return list(self.each())

    def each(self) -> Iterator[ComparedPair]:
        """Iterates over all compared pairs: points, then routes."""
        yield from self.points
        yield from self.routes.pairs(self.judgement.rows(len(self.points)))

    def head(self) -> Head:
        """The fields that are printed before the points."""
        return Head(**{name: getattr(self, name) for name in Head.__struct_fields__})


def compare(
    a: RunFolder, b: RunFolder, more_a: Sequence[RunFolder] = (), more_b: Sequence[RunFolder] = ()
) -> RunComparison:
    """Compares throughputs. With more runs of either network, whole runs are compared instead of launches.

    Raises RequestError if the runs share no size of the same pattern, or if a run is given twice.
    """
    sides = (a, *more_a), (b, *more_b)
    runs = [*sides[0], *sides[1]]
    repeated: Repeated = "run" if len(runs) > 2 else "launch"
    if repeated == "run":
        _refuse_twice(runs)
    named = list(zip([*_names("a", sides[0]), *_names("b", sides[1])], runs, strict=True))
    warnings = [one for name, run in named for one in _told(name, run)]
    reduction = _common_reduction(runs, warnings)
    left, right = (
        measured(side[0], reduction) if repeated == "launch" else measured_in(side, reduction)
        for side in sides
    )
    common = [key for key in left if key in right]
    points = [key.pair(left[key], right[key]) for key in common]
    routes = with_repeats(compare_routes(a, b, warnings), *sides)
    if not (points or len(routes)):
        raise _nothing_shared(a, b)
    unmatched = UnmatchedCounts(
        routes.unmatched_a + len(left) - len(common), routes.unmatched_b + len(right) - len(common)
    )
    launches = ([left[key] for key in common], [right[key] for key in common])
    reason = _why_not(named)
    judgement = judged(points, *launches, routes)
    judgement = judgement.withheld() if reason else judgement
    simultaneous = Simultaneous(
        sum(one is not None for one in judgement.significant),
        judgement.launches,
        least_p(*judgement.launches),
        repeated=repeated,
    )
    unsure = [] if reason else _unsure(a, b, judgement, simultaneous.units)
    ratios = np.array([one.ratio.median for one in points])
    errors_pct = np.abs(np.concatenate([ratios, routes.ratios]) - 1.0) * 100.0
    return RunComparison(
        a=str(a.directory),
        b=str(b.directory),
        more_a=[str(one.directory) for one in more_a],
        more_b=[str(one.directory) for one in more_b],
        not_comparable=reason,
        statistic=reduction,
        differences=setting_differences(a.meta, b.meta),
        nodes=[] if reason else nodes_that_differ(routes),
        simultaneous=simultaneous,
        median_abs_error_pct=float(np.sort(errors_pct)[middle_rank(len(errors_pct))]),
        worst_abs_error_pct=float(errors_pct.max()),
        unmatched=unmatched,
        warnings=[*warnings, *_notes(sides, unmatched), *unsure],
        points=[
            structs.replace(one, significant=yes, noise_a=noise_a, noise_b=noise_b)
            for one, (yes, noise_a, noise_b) in zip(points, judgement.rows(), strict=False)
        ],
        routes=routes,
        judgement=judgement,
    )


def _names(side: str, runs: Sequence[RunFolder]) -> list[str]:
    """The names of runs in warnings."""
    return [side, *(f"{side} {number}" for number in range(2, len(runs) + 1))]


def _refuse_twice(runs: Sequence[RunFolder]) -> None:
    """Raises RequestError if a run is given twice, because it would count twice as evidence."""
    for at, run in enumerate(runs):
        if any(_is_same(run, other) for other in runs[:at]):
            raise RequestError(
                f"{run.directory} is given twice", "give each run once; `weft run` makes another"
            )


def _why_not(runs: Sequence[tuple[str, RunFolder]]) -> str | None:
    """Why the runs cannot be compared; None if they can."""
    reasons = {name: not_usable(run.meta) for name, run in runs}
    return "; ".join(f"{name}: {reason}" for name, reason in reasons.items() if reason) or None


def _told(name: str, run: RunFolder) -> list[Warning]:
    """A run's own warnings, with its name."""
    return [Warning(one.code, f"{name}: {one.message}", one.hint) for one in run.meta.warnings]


def _nothing_shared(a: RunFolder, b: RunFolder) -> RequestError:
    return RequestError(
        f"{a.directory} and {b.directory} share no size of the same pattern: "
        f"{_extent(a)} against {_extent(b)}",
        "measure both with the same plan; sizes are matched exactly, never interpolated",
    )


def _notes(
    sides: tuple[Sequence[RunFolder], Sequence[RunFolder]], unmatched: UnmatchedCounts
) -> Iterator[Warning]:
    """Warnings about parts that could not be compared."""
    a, b = sides[0][0], sides[1][0]
    if _is_same(a, b):
        yield Warning(
            "same-run",
            f"{a.directory} is compared with itself: an interval says only how well its median is known",
            "give two runs, to learn what changed between them",
        )
    if unmatched.a or unmatched.b:
        yield Warning(
            "sizes-unmatched",
            f"{unmatched.a} sizes, routes or loads of a and {unmatched.b} of b have no partner and are left out",
            "measure both with the same plan",
        )
    for run in (*sides[0], *sides[1]):
        yield from sampled_warning(str(run.directory), run.meta)


def _unsure(a: RunFolder, b: RunFolder, judgement: Significance, units: str) -> Iterator[Warning]:
    """Warnings about conclusions that need more launches or runs."""
    has_few = min(judgement.launches) < MIN_LAUNCHES
    if None in judgement.significant:
        noise = ", nor is it known what each run differs from itself" if has_few else ""
        yield Warning(
            "too-few-launches",
            f"some differences cannot be called significant or not{noise}: too few {units}",
            f"four {units} on each side are enough, or three against four",
        )
    elif has_few:
        run, count = min(zip((a, b), judgement.launches, strict=True), key=lambda one: one[1])
        what = f"{run.directory} has {count} launches" if units == "launches" else f"{count} runs"
        yield Warning(
            "noise-unknown",
            f"{what}: what it differs from itself is not known",
            f"four {units} are enough",
        )


def _is_same(a: RunFolder, b: RunFolder) -> bool:
    """Whether both are the same run; different runs in memory may have the same name."""
    return a is b or (a.directory.exists() and a.directory.resolve() == b.directory.resolve())


def _common_reduction(runs: Sequence[RunFolder], warnings: list[Warning]) -> Reduction:
    """The reduction for all runs: runs with all batches use that of runs that kept only the best or the mean."""
    by_kind = {reduction_of(run): run for run in reversed(runs)}
    kinds = set(by_kind)
    if {"best", "mean"} <= kinds:
        told = ", ".join(f"{one.directory} holds {_NAMES[kind]}" for kind, one in by_kind.items())
        warnings.append(
            Warning(
                "statistics-differ",
                f"{told}: the ratio is biased by that",
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


def _extent(run: RunFolder) -> str:
    found = curves(run)
    if not found:
        return "no samples"
    sizes = [size for one in found for size in one.sizes.tolist()]
    patterns = ", ".join(sorted({one.pattern for one in found}))
    return f"{patterns} of {min(sizes)} to {max(sizes)} bytes"
