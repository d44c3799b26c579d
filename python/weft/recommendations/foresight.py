"""What changes bring: a plan simulated on every network that fits what was measured, before and after, draw by draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from weft.fabrics.changes.change import apply_all
from weft.fabrics.changes.parse import parse_change
from weft.fabrics.document import FabricDocument
from weft.interval import Interval
from weft.prediction.draws import Draws
from weft.prediction.intervals import LEVEL, Prediction, intervals
from weft.prediction.measures import Measure
from weft.prediction.predict import Drawn, Workload, predict
from weft.recommendations.measured import MeasureName

Changes = tuple[str, ...]
"""In the words of `weft what-if`."""


@dataclass
class Foresight:
    """A network as far as it is known, and a plan that is asked of it; each changed network is simulated once."""

    draws: Draws
    workload: Workload
    scale: float = 1.0
    _known: dict[Changes, list[list[Measure]]] = field(default_factory=dict)

    @property
    def document(self) -> FabricDocument:
        """The network as it most likely is."""
        return self.draws.median.document

    @cached_property
    def before(self) -> dict[tuple[str, int], Prediction]:
        """The plan on the network as it is, by step and size."""
        found = intervals(self.draws, self.workload, self.scale)
        return {(one.step, one.size_bytes): one for one in found}

    def time_ratio(self, before: Changes, after: Changes) -> Interval:
        """The time of the whole plan with some changes over that with others."""
        pairs = zip(self._of(before), self._of(after), strict=True)
        return _interval([_time_s(slow) / _time_s(fast) for slow, fast in pairs])

    def ratios(self, after: Changes, measure: MeasureName) -> list[tuple[str, int, Interval]]:
        """Of each step and size: how many times as good changes make the network as it is."""
        pairs = list(zip(self._of(()), self._of(after), strict=True))
        return [
            (one.step, one.size_bytes, _interval([_ratio(a[at], b[at], measure) for a, b in pairs]))
            for at, one in enumerate(pairs[0][0])
        ]

    def _of(self, changes: Changes) -> list[list[Measure]]:
        """By draw, the likeliest first."""
        if changes not in self._known:
            parsed = [parse_change(text) for text in changes]
            self._known[changes] = [
                predict(
                    Drawn(apply_all(one.document, parsed), one.parameters).open(self.scale),
                    self.workload,
                )
                for one in (self.draws.median, *self.draws.drawn)
            ]
        return self._known[changes]


def _time_s(measures: Sequence[Measure]) -> float:
    return sum(one.time_s for one in measures)


def _ratio(before: Measure, after: Measure, measure: MeasureName) -> float:
    if measure == "rate":
        return after.rate_mbps / before.rate_mbps
    return before.time_s / after.time_s


def _interval(ratios: Sequence[float]) -> Interval:
    """Of the likeliest network and of draws; of one that is certain a point."""
    middle, *drawn = ratios
    low, high = np.quantile(drawn or [middle], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(middle, min(middle, float(low)), max(middle, float(high)))
