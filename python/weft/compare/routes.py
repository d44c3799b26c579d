"""Two runs between many nodes, route by route."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Any

from weft.compare.matching import Matched, Pair, matched, paired
from weft.diagnose.ensemble.rates import Rates
from weft.interval import Interval
from weft.plan.steps import is_adaptive, is_ensemble
from weft.run.folder import Run

Key = tuple[str, int, int, str, str, int]
"""Pattern, which of the run's steps of that pattern, phase, source, destination, size."""


@dataclass(frozen=True)
class RoutePair(Pair):
    """One transfer in both runs; `step` says which of the steps of its pattern it is in."""

    step: int
    phase: int
    src: str
    dst: str

    def to_json(self) -> dict[str, Any]:
        """The pair as `weft compare --json` prints it."""
        place = {"phase": self.phase, "src": self.src, "dst": self.dst}
        return super().to_json() | place


def compare_routes(a: Run, b: Run) -> Matched[RoutePair]:
    """Compare transfers between many nodes. Phases that were chosen during a run are its own: they are left out, and
    so is what carried nothing."""
    launches = (a.meta.plan["launches"], b.meta.plan["launches"])
    return matched(_rates(a), _rates(b), partial(_pair, launches))


def _pair(launches: tuple[int, int], key: Key, left: Interval, right: Interval) -> RoutePair:
    pattern, step, phase, src, dst, size = key
    pair = paired(pattern, size, left, right, launches)
    return RoutePair(**vars(pair), step=step, phase=phase, src=src, dst=dst)


def _rates(run: Run) -> dict[Key, Interval]:
    steps = run.meta.plan["steps"]
    kept = [i for i, step in enumerate(steps) if is_ensemble(step) and not is_adaptive(step)]
    numbers = _numbers(steps)
    rates = Rates.of(run)
    names = [str(node["name"]) for node in run.meta.nodes]
    columns = (rates.step, rates.phase, rates.src, rates.dst, rates.size)
    intervals = (rates.mbps, rates.low_mbps, rates.high_mbps)
    rows = zip(*(column.tolist() for column in (*columns, *intervals)), strict=True)
    return {
        (*numbers[step], phase, names[src], names[dst], size): Interval(median, low, high)
        for step, phase, src, dst, size, median, low, high in rows
        if step in kept and low > 0
    }


def _numbers(steps: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """For each step its pattern, and how many of that pattern stand before it."""
    seen: dict[str, int] = defaultdict(int)
    found = []
    for step in steps:
        kind = str(step["pattern"]["kind"])
        found.append((kind, seen[kind]))
        seen[kind] += 1
    return found
