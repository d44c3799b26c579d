"""The p of LAWS at the gammas of a sweep, by processor time: whether it is constant, as LAWS assumes."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.understand.kinds.loads.live_loads import LiveLoad
from weft.understand.kinds.loads.loaded import LoadedPoint

_FEW_WAITS = 0.5
"""The share of the waits at gamma 0 up to which the receiver's own work limits the stream."""


def p_over_gamma(points: Sequence[LoadedPoint]) -> list[tuple[float, LiveLoad]]:
    """Gamma and load of the points where p is known, and the receiver computes and hardly waits."""
    return [
        (one.gamma, one.live)
        for one in points
        if one.live and one.live.p_by_launch and one.gamma > 0 and _hardly_waits(one.live)
    ]


def p_over_gamma_text(points: Sequence[LoadedPoint]) -> str | None:
    """p at the least and the greatest gamma, and whether they differ significantly over launches, in words; None with
    fewer than two gammas."""
    loads = p_over_gamma(points)
    if len(loads) < 2:
        return None
    (least, first), (greatest, last) = loads[0], loads[-1]
    change = _change(first, last)
    if change is None or change.low <= 0 <= change.high:
        said = "no difference shown, and LAWS assumes none"
    else:
        said = "LAWS assumes one p for all, so a fit's lies between"
    return f"p by processor time is {_p(first)} at gamma {least:g}, {_p(last)} at gamma {greatest:g}: {said}"


def _change(first: LiveLoad, last: LiveLoad) -> Interval | None:
    """The change of p from one gamma to another, paired by launch, because launches differ more than gammas do; None
    with fewer than two launches."""
    before, after = first.p_by_launch, last.p_by_launch
    changes = [after[launch] - before[launch] for launch in sorted(before.keys() & after)]
    return median_interval(changes) if len(changes) > 1 else None


def _hardly_waits(load: LiveLoad) -> bool:
    return load.waits <= _FEW_WAITS * load.receiving.waits


def _p(load: LiveLoad) -> str:
    one = load.p_at_gamma
    return f"{one.median:.2f} ({one.low:.2f} to {one.high:.2f})" if one else ""
