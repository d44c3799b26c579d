"""Two runs, size by size, and route by route where many nodes took part."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from msgspec import structs

from weft.comparison.judgement import Judgement, judged
from weft.comparison.measured import Pair, measured
from weft.comparison.nodes import NodeRatio, nodes_that_differ
from weft.comparison.noise import MIN_LAUNCHES
from weft.comparison.routes import RoutePairs, compare_routes
from weft.comparison.settings import Difference, setting_differences
from weft.comparison.significance import least_p
from weft.diagnosis.curve import Reduction, curves, reduction_of
from weft.diagnosis.disturbed import not_usable
from weft.errors import RequestError
from weft.runs.digests import sampled_warning
from weft.runs.folder import Run
from weft.runs.meta import Warning
from weft.statistics import LEVEL, middle_rank


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
    Where the runs are `not_comparable`, that says why, and nothing is called a difference.
    """

    a: str
    b: str
    not_comparable: str | None = None
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

    `points` are the sizes, loads and arrangements. `judgement` has an entry for each of these and then for each route.
    """

    points: list[Pair]
    routes: RoutePairs
    judgement: Judgement

    @property
    def pairs(self) -> list[Pair]:
        """Everything that was compared, as objects: many where there are many routes."""
        return list(self.each())

    def each(self) -> Iterator[Pair]:
        """The same, one after the other."""
        yield from self.points
        yield from self.routes.pairs(self.judgement.rows(len(self.points)))

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
    reason = _why_not(a, b)
    judgement = judged(points, *launches, routes)
    judgement = judgement.withheld() if reason else judgement
    ratios = np.array([one.ratio.median for one in points])
    errors_pct = np.abs(np.concatenate([ratios, routes.ratios]) - 1.0) * 100.0
    return Comparison(
        a=str(a.directory),
        b=str(b.directory),
        not_comparable=reason,
        statistic=reduction,
        differences=setting_differences(a.meta, b.meta),
        nodes=[] if reason else nodes_that_differ(routes),
        simultaneous=Simultaneous(
            sum(one is not None for one in judgement.significant),
            judgement.launches,
            least_p(*judgement.launches),
        ),
        median_abs_error_pct=float(np.sort(errors_pct)[middle_rank(len(errors_pct))]),
        worst_abs_error_pct=float(errors_pct.max()),
        unmatched=unmatched,
        warnings=[*warnings, *_notes(a, b, unmatched, judgement)],
        points=[
            structs.replace(one, significant=yes, noise_a=noise_a, noise_b=noise_b)
            for one, (yes, noise_a, noise_b) in zip(points, judgement.rows(), strict=False)
        ],
        routes=routes,
        judgement=judgement,
    )


def _why_not(a: Run, b: Run) -> str | None:
    """Why the two say nothing about each other, if they do not."""
    reasons = {name: not_usable(run.meta) for name, run in (("a", a), ("b", b))}
    return "; ".join(f"{name}: {reason}" for name, reason in reasons.items() if reason) or None


def _told(name: str, run: Run) -> list[Warning]:
    """A run's own warnings."""
    return [Warning(one.code, f"{name}: {one.message}", one.hint) for one in run.meta.warnings]


def _nothing_shared(a: Run, b: Run) -> RequestError:
    return RequestError(
        f"{a.directory} and {b.directory} share no size of the same pattern: "
        f"{_extent(a)} against {_extent(b)}",
        "measure both with the same plan; sizes are matched exactly, never interpolated",
    )


def _notes(a: Run, b: Run, unmatched: Unmatched, judgement: Judgement) -> Iterator[Warning]:
    """What could not be compared, and what cannot be said."""
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
    for run in (a, b):
        yield from sampled_warning(str(run.directory), run.meta)
    if _why_not(a, b):
        return
    has_few = min(judgement.launches) < MIN_LAUNCHES
    if None in judgement.significant:
        noise = ", nor is it known what each run differs from itself" if has_few else ""
        yield Warning(
            "too-few-launches",
            f"some differences cannot be called significant or not{noise}: too few launches",
            "four launches on each side are enough, or three against four",
        )
    elif has_few:
        run, launches = min(zip((a, b), judgement.launches, strict=True), key=lambda one: one[1])
        yield Warning(
            "noise-unknown",
            f"{run.directory} has {launches} launches: what it differs from itself is not known",
            "four launches are enough",
        )


def _is_same(a: Run, b: Run) -> bool:
    """Whether both are one; runs in memory may have the same name."""
    return a is b or (a.directory.exists() and a.directory.resolve() == b.directory.resolve())


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
