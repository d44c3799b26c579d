"""Ranges of the application ratio as users write them: "0:3.5" or "0:3.5:0.1"."""

from __future__ import annotations

import math

import numpy as np

from weft.errors import RequestError
from weft.statistics import Floats

MOST_POINTS = 100_000

_HINT = 'write LOW:HIGH or LOW:HIGH:STEP, such as "0:3.5" or "0:3.5:0.1"'
_INTERVALS = 50
"""A range without a step has at most so many."""


def gamma_range(text: str) -> Floats:
    """The gammas of a range, both ends included; raises RequestError when it is none.

    Without a step it is 1, 2 or 5 times a power of ten.
    """
    low, high, step = _numbers(text)
    if not 0 <= low < high:
        raise RequestError(f'gamma "{text}": not 0 <= LOW < HIGH', _HINT)
    step = _round_step((high - low) / _INTERVALS) if step is None else step
    if step <= 0:
        raise RequestError(f'gamma "{text}": STEP is not greater than 0', _HINT)
    if (high - low) / step > MOST_POINTS:
        raise RequestError(f'gamma "{text}": more than {MOST_POINTS} points', "take a larger STEP")
    count = math.ceil((high - low) / step - 1e-9)
    return np.append(low + step * np.arange(count), high)


def _numbers(text: str) -> tuple[float, float, float | None]:
    try:
        low, high, *steps = (float(part) for part in text.split(":"))
    except ValueError:
        raise RequestError(f'gamma "{text}": not a range', _HINT) from None
    if len(steps) > 1 or not all(map(math.isfinite, (low, high, *steps))):
        raise RequestError(f'gamma "{text}": not a range', _HINT)
    return low, high, steps[0] if steps else None


def _round_step(smallest: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is at least `smallest`."""
    decade = 10.0 ** math.floor(math.log10(smallest))
    return next(
        step
        for step in (decade, 2 * decade, 5 * decade, 10 * decade)
        if step >= smallest * (1 - 1e-9)
    )
