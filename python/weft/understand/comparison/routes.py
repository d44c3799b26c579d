"""Compares two runs between many nodes route by route."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.statistics import Floats
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta, Warning
from weft.understand.comparison.measured import ComparedPair, ratio_of
from weft.understand.curve.curve import Ints
from weft.understand.ensemble.rates import MedianRates

_AT_ONCE = 10_000

StepKey = tuple[str, int]
"""A step's pattern, and how many steps of that pattern precede it."""


class RoutePair(ComparedPair, frozen=True, kw_only=True):
    """One transfer in both runs; `step` counts the steps of its pattern."""

    step: int
    phase: int
    src: str
    dst: str


@dataclass(frozen=True)
class RoutePairs:
    """All transfers that two runs share, as columns, since there may be a million.

    `a` and `b` have a row for each transfer; nodes are numbered as in a.
    """

    steps: list[StepKey]
    names: list[str]
    step: Ints
    a: MedianRates
    b: MedianRates
    unmatched_a: int
    unmatched_b: int

    def __len__(self) -> int:
        return len(self.step)

    @property
    def ratios(self) -> Floats:
        """a's median over b's."""
        found: Floats = self.a.mbps / self.b.mbps
        return found

    @property
    def is_apart(self) -> Any:
        """Whether the ratio's interval excludes 1."""
        return (self.a.low_mbps > self.b.high_mbps) | (self.a.high_mbps < self.b.low_mbps)

    def pairs(
        self, judged: Iterable[tuple[bool | None, float | None, float | None]] | None = None
    ) -> Iterator[RoutePair]:
        """Iterates over the transfers as objects; `judged` has their significance and noise, which depend on all
        compared rows."""
        told = iter(judged or repeat((None, None, None)))
        for row in self._rows():
            step, phase, src, dst, size, *ends = row
            left, right = Interval(*ends[:3]), Interval(*ends[3:])
            pattern, nth = self.steps[step]
            significant, noise_a, noise_b = next(told)
            yield RoutePair(
                *(pattern, size, left, right, ratio_of(left, right), significant),
                noise_a=noise_a,
                noise_b=noise_b,
                step=nth,
                phase=phase,
                src=self.names[src],
                dst=self.names[dst],
            )

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """Step, phase, ends and size, then both intervals; converted in parts, because Python's numbers are large."""
        place = (self.step, self.a.phase, self.a.src, self.a.dst, self.a.size)
        ends = [(one.mbps, one.low_mbps, one.high_mbps) for one in (self.a, self.b)]
        columns = (*place, *ends[0], *ends[1])
        for first in range(0, len(self), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            yield from zip(*(column[some].tolist() for column in columns), strict=True)


def compare_routes(a: RunFolder, b: RunFolder, warnings: list[Warning] | None = None) -> RoutePairs:
    """Compares transfers between many nodes, without adaptive steps, whose phases differ between runs.
    O(n log n) in the number of transfers."""
    left_steps, right_steps = _steps(a), _steps(b)
    steps = [key for key in left_steps if key in right_steps]
    left, right = _rates(a, left_steps), _rates(b, right_steps)
    ranks = np.arange(len(b.meta.nodes))
    if len(left) and len(right):
        ranks = _ranks_in(a.meta, b.meta, [] if warnings is None else warnings)
    src, dst = ranks[right.src], ranks[right.dst]
    left_columns = [
        _numbered(left_steps, steps, left.step),
        left.phase,
        left.src,
        left.dst,
        left.size,
    ]
    right_columns = [_numbered(right_steps, steps, right.step), right.phase, src, dst, right.size]
    codes = _codes(left_columns, right_columns)
    mine = np.flatnonzero(left_columns[0] >= 0)
    theirs = np.flatnonzero((right_columns[0] >= 0) & (src >= 0) & (dst >= 0))
    shared = np.intersect1d(codes[0][mine], codes[1][theirs], return_indices=True)
    at_left, at_right = mine[shared[1]], theirs[shared[2]]
    return RoutePairs(
        steps,
        [str(node["name"]) for node in a.meta.nodes],
        left_columns[0][at_left],
        _some(left, at_left),
        _some(right, at_right),
        len(left) - len(at_left),
        len(right) - len(at_right),
    )


def _codes(left: list[Ints], right: list[Ints]) -> tuple[Ints, Ints]:
    """A number for each row of both tables; equal rows have the same number."""
    count = len(left[0])
    code = np.zeros(count + len(right[0]), dtype=np.int64)
    for one, other in zip(left, right, strict=True):
        values, rank = np.unique(np.concatenate([one, other]), return_inverse=True)
        code = code * max(1, len(values)) + rank
    return code[:count], code[count:]


def _rates(run: RunFolder, steps: dict[StepKey, int]) -> MedianRates:
    """The rates of these steps."""
    rates = MedianRates.of(run)
    return _some(rates, np.flatnonzero(np.isin(rates.step, list(steps.values()))))


def _some(rates: MedianRates, rows: Ints) -> MedianRates:
    """The given rows; not copied if they are all."""
    return rates if np.array_equal(rows, np.arange(len(rates))) else rates.where(rows)


def _numbered(own: dict[StepKey, int], common: list[StepKey], step: Ints) -> Ints:
    """The index of each row's step among the common steps; -1 if only one run has it."""
    place = np.full(max(own.values(), default=0) + 1, -1, dtype=np.int64)
    for index, key in enumerate(common):
        place[own[key]] = index
    return place[step]


def _steps(run: RunFolder) -> dict[StepKey, int]:
    """The steps between many nodes that are not adaptive, by key."""
    seen: dict[str, int] = defaultdict(int)
    found = {}
    for index, step in enumerate(run.meta.plan.steps):
        kind = step.pattern.kind
        if step.is_ensemble and not step.is_adaptive:
            found[kind, seen[kind]] = index
        seen[kind] += 1
    return found


def _ranks_in(a: RunMeta, b: RunMeta, warnings: list[Warning]) -> Ints:
    """For each node of b its index in a, -1 if there is none. Nodes are matched by name, and if both runs have equally
    many nodes, the others by rank, with a warning."""
    left, right = ([str(node["name"]) for node in meta.nodes] for meta in (a, b))
    index = {name: at for at, name in enumerate(left)}
    ranks = np.array([index.get(name, -1) for name in right], dtype=np.int64)
    free = [at for at, name in enumerate(left) if name not in set(right)]
    nameless = np.flatnonzero(ranks < 0)
    if len(nameless) and len(left) == len(right):
        ranks[nameless] = free
        names = fold(left[at] for at in ranks[nameless]), fold(right[at] for at in nameless)
        warnings.append(
            Warning(
                "nodes-by-rank", f"{names[0]} of a stand beside {names[1]} of b: matched by rank"
            )
        )
    return ranks
