"""Two runs of one network or of two, where runs differ by more than their launches do."""

from __future__ import annotations

from functools import partial

import numpy as np

from common.case import Case, Said
from weft.base.sequential import LOOKS, ratio_interval
from weft.base.statistics import Floats, median_interval
from weft.understand.comparison.judgement import judged
from weft.understand.comparison.measured import ComparedRate, Key
from weft.understand.comparison.routes import RoutePairs
from weft.understand.ensemble.rates import MedianRates

LAUNCHES, SIZES = 5, 10
SD = 0.02
"""Of launches; those of all sizes move together by as much as each by itself."""
RUNS = 4
MBPS = 90.0
NO_ROUTES = RoutePairs(
    [],
    [],
    np.empty(0, dtype=np.int64),
    *[MedianRates(*[np.empty(0)] * 9, np.empty((0, 0)))] * 2,
    0,
    0,
)
Random = np.random.Generator


def _run(random: Random, times: float, faster: float) -> Floats:
    """Rates of a run, a row for each size: what runs have in common is `times` as wide as launches."""
    of_run = random.normal(0, times * SD)
    of_launch = random.normal(0, SD / np.sqrt(2), (1, LAUNCHES))
    own = random.normal(0, SD / np.sqrt(2), (SIZES, LAUNCHES))
    found: Floats = MBPS * faster * np.exp(of_run + of_launch + own)
    return found


def _differs(a: Floats, b: Floats) -> bool:
    """Whether any size is called significant, as `weft compare` says."""
    sides = [[ComparedRate(median_interval(row), tuple(row)) for row in one] for one in (a, b)]
    points = [
        Key("pingpong", size).pair(*both)
        for size, both in enumerate(zip(*sides, strict=True), start=1)
    ]
    return any(judged(points, *sides, NO_ROUTES).significant)


def _by_launch(random: Random, times: float, faster: float = 1.0) -> bool:
    return _differs(_run(random, times, faster), _run(random, times, 1.0))


def _by_run(random: Random, times: float, faster: float = 1.0, less: int = 0) -> bool:
    """Four runs of each network, whole ones shuffled."""
    a, b = (
        np.column_stack([np.median(_run(random, times, rate), axis=1) for _ in range(count)])
        for rate, count in ((faster, RUNS - less), (1.0, RUNS))
    )
    return _differs(a, b)


def _beside(random: Random, times: float) -> bool:
    """Whether `--against` calls a size slower or faster at any look."""
    runs = (random.normal(0, times * SD) + random.normal(0, SD, 75) for _ in range(2))
    values, earlier = (np.exp(one) for one in runs)
    for look in LOOKS[:7]:
        found = ratio_interval(values[:look], earlier[:12], others_ended=True)
        if found and not found.low <= 1 <= found.high:
            return True
    return False


_PAGE = "docs/compare-runs.md"
_RATIO = "docs/numbers.md"
ALIKE = "the chance that any row is called significant is 5 % at most"
WHOLE = "the chance that any row is called significant by chance is 5 % at most"
BY_LAUNCH = {
    0.5: (0.15, "one is called significant in 15 % of cases"),
    1.0: (0.35, "in 35 % where they differ as much"),
    2.0: (0.62, "in 62 % where twice as much"),
}
BESIDE = {
    0.5: (0.13, "networks is called different in 13 % of cases"),
    1.0: (0.42, "by as much in 42 %"),
    2.0: (0.68, "by twice as much in 68 %"),
}
CASES = [
    Case(
        "compare, launches, runs alike",
        partial(_by_launch, times=0.0),
        400,
        claimed=0.05,
        said=(Said(_PAGE, ALIKE),),
    ),
    *(
        Case(
            f"compare, launches, runs {times:g} times as wide",
            partial(_by_launch, times=times),
            1000,
            claimed=claimed,
            said=(Said(_PAGE, words),),
        )
        for times, (claimed, words) in BY_LAUNCH.items()
    ),
    *(
        Case(
            f"compare, {RUNS} runs of each, {times:g} times as wide as launches",
            partial(_by_run, times=times),
            400,
            claimed=0.05,
            said=(Said(_PAGE, WHOLE),),
        )
        for times in (0, 0.5, 1, 2)
    ),
    Case(
        "compare, launches, runs alike, one faster by 10 %",
        partial(_by_launch, times=0.0, faster=1.1),
        200,
        power=0.9,
    ),
    Case(
        "compare, launches, runs as wide, one faster by 10 %",
        partial(_by_launch, times=1.0, faster=1.1),
        200,
        power=0.88,
    ),
    Case(
        f"compare, {RUNS} runs of each, as wide as launches, faster by 10 %",
        partial(_by_run, times=1.0, faster=1.1),
        200,
        power=0.88,
    ),
    Case(
        f"compare, {RUNS - 1} runs beside {RUNS}, as wide as launches, faster by 10 %",
        partial(_by_run, times=1.0, faster=1.1, less=1),
        200,
        power=0.8,
    ),
    Case("--against, runs alike", partial(_beside, times=0.0), 400, claimed=0.05),
    *(
        Case(
            f"--against, runs {times:g} times as wide",
            partial(_beside, times=times),
            1000,
            claimed=claimed,
            said=(Said(_RATIO, words),),
        )
        for times, (claimed, words) in BESIDE.items()
    ),
]
