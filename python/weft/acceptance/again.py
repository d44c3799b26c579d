"""Routes that were measured twice: first in a round with others, then alone."""

from __future__ import annotations

import numpy as np

from weft.acceptance.pairs import Pairs
from weft.acceptance.verdict import Again


def again_of(pairs: Pairs | None) -> tuple[Again, ...]:
    """All of them in the order of measuring, rates first; a time is that of both directions."""
    return () if pairs is None else (*_rates(pairs), *_times(pairs))


def _rates(pairs: Pairs) -> list[Again]:
    return [
        Again(*_names(pairs, route), "Mb/s", _known(pairs.mbps[route]), pairs.again(route))
        for route, values in pairs.again_mbps.items()
        if len(values)
    ]


def _times(pairs: Pairs) -> list[Again]:
    return [
        Again(
            *_names(pairs, route),
            "us",
            _known(pairs.times_us[size][route]) if size in pairs.times_us else None,
            pairs.again_time(route, size),
            size,
        )
        for (route, size), values in pairs.again_us.items()
        if route[0] < route[1] and len(values)
    ]


def _names(pairs: Pairs, route: tuple[int, int]) -> tuple[str, str]:
    return pairs.names[route[0]], pairs.names[route[1]]


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
