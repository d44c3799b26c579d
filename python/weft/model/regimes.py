"""The ranges of gamma in which the same stages limit a transfer before and after offload."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from weft.model.laws import STAGES, Laws, Stage, cuts
from weft.statistics import Floats

Trend = Literal["rises", "falls", "constant"]

_SAME = 1e-12
"""Gains nearer than this differ by rounding only."""


@dataclass(frozen=True)
class Regime:
    """A range of gamma, what limits before and after offload there, and what the gain does as gamma grows."""

    low: float
    high: float
    limit_before: Stage
    limit_after: Stage
    trend: Trend


def regimes(model: Laws, low: float, high: float) -> list[Regime]:
    """The regimes between two gammas, in increasing order; of a model with single ratios."""
    return [_regime(model, *ends) for ends in pairwise(cuts(model, low, high))]


def slowest(times: Floats) -> list[Stage]:
    """The stage that limits, of stage times by stage and point."""
    return [STAGES[index] for index in np.atleast_1d(times.argmax(axis=0))]


def _regime(model: Laws, low: float, high: float) -> Regime:
    middle = (low + high) / 2
    (before,) = slowest(model.times_before(middle))
    (after,) = slowest(model.times_after(middle))
    first, last = model.gain([low, high])
    change = float(last - first)
    trend: Trend = "constant" if abs(change) < _SAME else "rises" if change > 0 else "falls"
    return Regime(float(low), float(high), before, after, trend)
