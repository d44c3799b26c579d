"""How far a prediction goes beyond what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator

from weft.quantity import format_mbps
from weft.testbed.computed.network import Simulated

_TOLERANCE = 1.01


def extrapolations(before: Simulated, after: Simulated) -> list[str]:
    """What a changed network has more of than the one that was measured."""
    return [*_hosts(len(before.nodes), len(after.nodes)), *_rates(before, after)]


def _hosts(measured: int, wanted: int) -> Iterator[str]:
    if wanted > measured:
        more = wanted / measured - 1
        yield f"extrapolated: {wanted} hosts, measured were {measured} ({more:+.0%})"


def _rates(before: Simulated, after: Simulated) -> Iterator[str]:
    measured, wanted = (_greatest_mbps(one) for one in (before, after))
    if math.isfinite(wanted) and wanted > measured * _TOLERANCE:
        yield (
            f"extrapolated: a limit of {format_mbps(wanted)}, the fastest that was measured has "
            f"{format_mbps(measured)} ({wanted / measured:.3g} times)"
        )


def _greatest_mbps(testbed: Simulated) -> float:
    return max(
        (rate for rate in testbed.capacities_mbps.tolist() if math.isfinite(rate)), default=0.0
    )
