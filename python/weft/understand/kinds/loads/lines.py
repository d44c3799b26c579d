"""Remarks in the terminal below a stream whose receiver computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.understand.kinds.loads.live_loads import LiveLoad, ReceivingTime
from weft.understand.kinds.loads.loaded import LoadedPoint
from weft.understand.kinds.loads.p_over_gamma import p_over_gamma_text

SHARED = 0.05
"""The share of the time from which on a machine counts as shared with other programs."""


def load_lines(points: Sequence[LoadedPoint]) -> list[str]:
    """Lines on gains, p, the cost of receiving, and sharing of the machine, as far as they are known."""
    live = [one.live for one in points if one.live]
    found = (_gains(points), _p(live[0]), p_over_gamma_text(points), _receiving(live[0].receiving))
    return [*filter(None, found), *_taken(live)]


def _gains(points: Sequence[LoadedPoint]) -> str:
    """The gammas with a significant gain or loss over the step before offload, and those without."""
    gains = [(f"{one.gamma:g}", one.live.gain) for one in points if one.live and one.live.gain]
    kinds = {
        "gains at gamma": [gamma for gamma, gain in gains if gain.low > 0],
        "loses at gamma": [gamma for gamma, gain in gains if gain.high < 0],
        "no difference shown at gamma": [
            gamma for gamma, gain in gains if gain.low <= 0 <= gain.high
        ],
    }
    return "; ".join(f"{kind} {', '.join(gammas)}" for kind, gammas in kinds.items() if gammas)


def _p(first: LiveLoad) -> str:
    if not first.p:
        return ""
    shares = f"{first.p.median:.3f} ({first.p.low:.3f} to {first.p.high:.3f})"
    return f"p = {shares} by processor time, before the sweep"


def _receiving(cost: ReceivingTime) -> str:
    """The processor time of receiving, in words."""
    own = f"receiving takes the receiver {cost.own_ns:.3f} ns a byte"
    other = f"other processors of its node {cost.elsewhere_ns:.3f}"
    often = f"{cost.waits:.2g} times a message at gamma 0"
    if cost.wait_ns is None:
        return f"{own}, its waits included ({often}), and {other}"
    each = f"{cost.wait_ns / 1e3:.3g} us more each time that it waits ({often})"
    return f"{own}, and {other}; {each}"


def _taken(loads: Sequence[LiveLoad]) -> Iterator[str]:
    """A line that the machine is shared; none if it is not."""
    most = max(one.taken for one in loads)
    if most >= SHARED:
        yield (
            f"shared: other programs had the receiver's processor up to {100 * most:.0f} % of the time; throughputs "
            "are lower for that, and `weft fit` leaves that time out"
        )
