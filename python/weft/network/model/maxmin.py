"""Max-min fair rates of long transfers through shared limits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats

Crossings = npt.NDArray[np.bool_]
"""`crossings[..., i, j]`: whether flow i crosses limit j."""

Ints = npt.NDArray[np.int64]

NONE = -1
"""Padding in arrays of limits."""


def fair_rates(
    crossings: Crossings, capacities: Floats, own_limits: Floats | None = None
) -> Floats:
    """The rate of each flow, in the unit of `capacities`; infinity for a flow without limit.

    `own_limits`, shape (flows,), is the maximum rate of each flow.
    """
    own = np.full(len(crossings), np.inf) if own_limits is None else own_limits
    flow, limit = np.nonzero(crossings)
    return _filled(flow, limit, capacities, own)


def shared_rates(crossed: Ints, capacities: Floats, own_limits: Floats) -> Floats:
    """The rate of each flow if each crosses few of many limits: `crossed` are the limits of each flow, shape (flows,
    most), padded with NONE."""
    flow, place = np.nonzero(crossed != NONE)
    limit = crossed[flow, place]
    is_crossed = np.zeros(len(capacities), dtype=np.bool_)
    is_crossed[limit] = True
    number = np.cumsum(is_crossed) - 1
    return _filled(flow, number[limit], capacities[is_crossed], own_limits)


def _filled(flow: Ints, limit: Ints, capacities: Floats, own: Floats) -> Floats:
    """The rate of each flow, given pairs of flow and crossed limit.

    Progressive filling as in `fair_rates_in_rounds`, but in each pass for all limits that are the tightest one of each
    of their flows: settling them leaves more to the others (D. Bertsekas and R. Gallager, "Data Networks", 2nd ed.
    1992, section 6.5.2). A pass is O(crossings + limits); the number of passes is the length of the longest chain of
    limits that wait for each other.
    """
    rates = own.astype(np.float64)
    left = np.asarray(capacities, dtype=np.float64).copy()
    live = rates[flow] > 0
    while live.any():
        flow, limit = flow[live], limit[live]
        loads = np.bincount(limit, minlength=len(left))
        shares = np.where(loads > 0, np.maximum(left, 0) / np.maximum(loads, 1), np.inf)
        first = np.flatnonzero(np.diff(flow, prepend=-1))
        rate = np.minimum(np.minimum.reduceat(shares[limit], first), own[flow[first]])
        each = np.repeat(rate, np.diff(first, append=len(flow)))
        waits = each < shares[limit] * (1 - 1e-12)
        is_tightest = np.bincount(limit, waits, len(left)) == 0
        settled = np.logical_or.reduceat(is_tightest[limit], first) | (rate == own[flow[first]])
        rates[flow[first][settled]] = rate[settled]
        done = np.repeat(settled, np.diff(first, append=len(flow)))
        left -= np.bincount(limit[done], each[done], len(left))
        live = ~done
    return rates


def fair_rates_in_rounds(crossings: Crossings, capacities: Floats, own_limits: Floats) -> Floats:
    """The rates in many rounds at once, which share nothing but the capacities.

    `crossings` is (rounds, flows, limits), `capacities` (limits,), `own_limits` (rounds, flows): the maximum rate of
    each flow, 0 for a flow that is not in a round.

    All rates rise together, and the flows of a limit that is full stop rising. At most one pass per limit and kind of
    own limit, each O(rounds x flows x limits).
    """
    crossed = crossings.astype(np.float64)
    rates = own_limits.astype(np.float64)
    left = np.repeat(np.asarray(capacities, dtype=np.float64)[np.newaxis], len(rates), axis=0)
    rising = (rates > 0) & crossings.any(axis=2)
    while rising.any():
        loads = summed_per_limit(rising, crossed)
        shares = np.where(loads > 0, left / np.maximum(loads, 1), np.inf)
        share = np.maximum(shares.min(axis=1), 0)[:, np.newaxis]
        content = rising & (own_limits <= share)
        full = shares <= share * (1 + 1e-12)
        held = rising & (crossings & full[:, np.newaxis, :]).any(axis=2)
        # A flow at its own limit leaves a larger share to the others, so in such rounds no other flow settles yet.
        settled = np.where(content.any(axis=1, keepdims=True), content, held)
        rates = np.where(settled, np.minimum(share, own_limits), rates)
        left -= summed_per_limit(np.where(settled, rates, 0.0), crossed)
        rising &= ~settled
    return rates


def summed_per_limit(weights: Floats | Crossings, crossings: Floats | Crossings) -> Floats:
    """The sum of `weights`, (rounds, flows), over the flows that cross each limit: shape (rounds, limits)."""
    crossed = crossings.astype(np.float64, copy=False)
    summed: Floats = (weights[:, np.newaxis, :].astype(np.float64) @ crossed)[:, 0]
    return summed
