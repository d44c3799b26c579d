"""How far a prediction goes beyond the measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator

from weft.base.nodeset import fold_names
from weft.base.quantity import format_mbps
from weft.decisions.what_if.network import limits_mbps
from weft.measure.testbed.computed.network import SimulatedNetwork

_TOLERANCE = 1.01
_NAMED = 4


def extrapolations(before: SimulatedNetwork, after: SimulatedNetwork) -> list[str]:
    """What a changed network has more of than the measured one."""
    return [
        *_hosts(len(before.nodes), len(after.nodes)),
        *_rates(before, after),
        *_raised(before, after),
    ]


def _hosts(measured: int, wanted: int) -> Iterator[str]:
    if wanted > measured:
        more = wanted / measured - 1
        yield f"extrapolated: {wanted} hosts, measured were {measured} ({more:+.0%})"


def _rates(before: SimulatedNetwork, after: SimulatedNetwork) -> Iterator[str]:
    measured, wanted = (_greatest_mbps(one) for one in (before, after))
    if math.isfinite(wanted) and wanted > measured * _TOLERANCE:
        yield (
            f"extrapolated: a limit of {format_mbps(wanted)}, the fastest that was measured has "
            f"{format_mbps(measured)} ({wanted / measured:.3g} times)"
        )


def _raised(before: SimulatedNetwork, after: SimulatedNetwork) -> Iterator[str]:
    """Raised limits. A limit in series with a tighter one never shows in measurements."""
    old, new = limits_mbps(before), limits_mbps(after)
    raised = [name for name in old if new.get(name, 0.0) > old[name] * _TOLERANCE]
    if raised:
        names = fold_names(raised)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield (
            f"extrapolated: what is behind {', '.join(names[:_NAMED])}{more} was never asked for more than passes "
            "there now, and may turn out to be the next limit"
        )


def _greatest_mbps(testbed: SimulatedNetwork) -> float:
    return max(
        (rate for rate in testbed.capacities_mbps.tolist() if math.isfinite(rate)), default=0.0
    )
