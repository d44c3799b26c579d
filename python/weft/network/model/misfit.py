"""Sizes at which a fitted curve deviates from measurements by more than noise explains, so that its intervals do not
hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.noisy_curve import NoisyCurve

FALSE_FINDS = 0.005
"""The share of curves that follow the model, with noise as modelled, in which a misfit may be found."""
LEAST_ERROR = 0.02
"""Relative error below which a model is good enough."""
LEAST_SPAN = 2.0
"""Deviating sizes inside a curve must span this factor; fewer are a dip, which a robust fit ignores."""


@dataclass(frozen=True)
class Misfit:
    """Neighbouring sizes with a deviation from the model; `worst_error_pct` is that of the time, positive if the model
    is slower.

    `reason` is a likely cause.
    """

    first_bytes: int
    last_bytes: int
    worst_error_pct: float
    reason: str

    @property
    def text(self) -> str:
        """Such as "from 765 B to 3,075 B up to +61 %: a jump"."""
        where = f"from {self.first_bytes:,} B to {self.last_bytes:,} B"
        return f"{where} up to {self.worst_error_pct:+.0f} %: {self.reason}"


def misfit_lines(found: Sequence[Misfit]) -> list[str]:
    """An indented line for each."""
    return [f"the model is off {one.text}" for one in found]


@dataclass(frozen=True)
class MisfitSpan:
    """Neighbouring sizes that deviate in one direction, as indices, `last` included."""

    first: int
    last: int
    worst_error: float
    is_at_start: bool
    is_at_end: bool


def stretches(curve: NoisyCurve, predicted_us: Floats) -> list[MisfitSpan]:
    """Spans of sizes whose predicted times deviate; dips are ignored. `predicted_us` has one time for each size of the
    curve."""
    from scipy.special import ndtri  # imported here, as it would slow down every command

    errors = predicted_us / curve.levels_us - 1
    allowed = ndtri(1 - FALSE_FINDS / (2 * len(errors))) * curve.errors
    side = np.where(np.abs(np.log1p(errors)) > np.maximum(allowed, LEAST_ERROR), np.sign(errors), 0)
    borders = [0, *(np.flatnonzero(np.diff(side)) + 1).tolist(), len(side)]
    found = [_stretch(first, end - 1, errors) for first, end in pairwise(borders) if side[first]]
    return [one for one in found if _is_wide(one, curve.sizes)]


def _stretch(first: int, last: int, errors: Floats) -> MisfitSpan:
    inside = errors[first : last + 1]
    worst = float(inside[np.argmax(np.abs(inside))])
    return MisfitSpan(first, last, worst, first == 0, last == len(errors) - 1)


def _is_wide(one: MisfitSpan, sizes: Floats) -> bool:
    return (
        one.is_at_start or one.is_at_end or bool(sizes[one.last] >= LEAST_SPAN * sizes[one.first])
    )
