"""The windows of connections during a search for limits."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from weft.plan.plan import Options
from weft.understand.xray.survey import Survey

PRODUCTS = 4
"""Bandwidth-delay products of a window; with one, a path is full only while nothing is late."""
FAR = 2.0
"""If the median round trip exceeds the nearest ones by this factor, windows hold fewer bandwidth-delay products, down
to one over this factor: it may be long because many cross a narrow link at once, and data in flight then takes longer
to drain than a trial lasts."""
NEAREST_QUANTILE = 0.1
"""A quantile, because the fastest round trip may be that of the only two nodes that are so near."""
LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES = 24 << 10, 4 << 20
"""A smaller window does not fill a port of 10 Mb/s in both directions at once; Linux allows no larger one
(tcp_wmem)."""


def with_windows(options: Options, survey: Survey) -> Options:
    """The options with buffers of a few bandwidth-delay products, unless the plan sets them or no rate is known."""
    window = window_bytes(survey)
    if not window or not (options.send_buffer_bytes is None is options.receive_buffer_bytes):
        return options
    return replace(options, send_buffer_bytes=window, receive_buffer_bytes=window)


def window_bytes(survey: Survey) -> int | None:
    """A few bandwidth-delay products of the survey's median path; None if it measured no rates or round trips."""
    rate_mbps = np.nanmedian(survey.send_mbps) if np.isfinite(survey.send_mbps).any() else 0.0
    trips_us = survey.trips.fastest_us
    if not rate_mbps or len(trips_us) == 0:
        return None
    nearest_us, usual_us = np.quantile(trips_us, [NEAREST_QUANTILE, 0.5])
    products = PRODUCTS * np.clip(FAR * nearest_us / usual_us, 1 / FAR, 1)
    window = float(products * rate_mbps * usual_us / 8)
    return int(np.clip(window, LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES))
