"""Round trips of pairs for tests."""

from __future__ import annotations

import numpy as np

from weft.understand.xray.tree.round_trips import RoundTrips


def round_trips(trips_us: np.ndarray) -> RoundTrips:
    """Of a matrix `trips_us[a, b, repetition]`, without what is NaN."""
    a, b, repetition = np.nonzero(~np.isnan(trips_us))
    is_upper = a < b
    return RoundTrips.of(
        a[is_upper], b[is_upper], trips_us[a[is_upper], b[is_upper], repetition[is_upper]]
    )


NO_TRIPS = round_trips(np.full((1, 1, 1), np.nan))
