"""Max-min fair rates: what long transfers through shared limits settle at."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from weft.statistics import Floats

Crossings = npt.NDArray[np.bool_]
"""`crossings[i, j]`: whether flow i crosses limit j."""


def fair_rates(crossings: Crossings, capacities: Floats) -> Floats:
    """The rate of each flow, in the unit of `capacities`; a flow that crosses no limit gets infinity.

    Progressive filling: all rates rise together, and where a limit is full its flows stay as they are
    (D. Bertsekas and R. Gallager, "Data Networks", 2nd ed. 1992, section 6.5.2). At most one round per
    limit, each O(flows x limits).
    """
    rates = np.full(len(crossings), np.inf)
    left = np.asarray(capacities, dtype=np.float64).copy()
    rising = crossings.any(axis=1)
    while rising.any():
        loads = crossings[rising].sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(loads > 0, left / loads, np.inf)
        share = shares.min()
        full = shares <= share * (1 + 1e-12)
        settled = rising & crossings[:, full].any(axis=1)
        rates[settled] = share
        left -= share * crossings[settled].sum(axis=0)
        rising &= ~settled
    return rates
