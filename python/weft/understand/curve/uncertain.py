"""Whether the numbers of a signature are too uncertain to use, and how many launches would help."""

from __future__ import annotations

import math
from collections.abc import Iterator

from weft.base.interval import Interval
from weft.understand.curve.signature import Signature

MOST_SPREAD = 0.25
"""Half of an interval's width over the median; two networks that differ by this much cannot be told apart."""

AIM = 0.1
"""The spread that more launches should reach. The width of a rank interval falls with the root of their number."""

MOST_LAUNCHES = 200
"""More launches are not suggested, since then something else has to change."""


def uncertainty(found: Signature) -> str:
    """The sentence about a latency or peak that is too uncertain to use; empty if both are known."""
    spreads = dict(_spreads(found))
    if not spreads:
        return ""
    named = " and ".join(f"the {name} to ±{100 * x:.0f} %" for name, x in spreads.items())
    return f"Too uncertain to use: {named} of its median; {_remedy(found, max(spreads.values()))}."


def _spreads(found: Signature) -> Iterator[tuple[str, float]]:
    for name, value in (("latency", found.latency_us), ("peak", found.peak_mbps)):
        if value is not None and (spread := _spread(value)) > MOST_SPREAD:
            yield name, spread


def _spread(value: Interval) -> float:
    return (value.high - value.low) / 2 / value.median if value.median else 0.0


def _remedy(found: Signature, spread: float) -> str:
    more = math.ceil(found.launches * ((spread / AIM) ** 2 - 1))
    if found.launches + more > MOST_LAUNCHES:
        return "more launches alone do not help: find what varies, or measure when the machine is quiet"
    return f"about {more} launches more would do (--launches {found.launches + more})"
