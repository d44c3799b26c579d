"""The most that a connection may have on its way while limits are searched for."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from weft.plan.plan import Options
from weft.understand.xray.survey import Survey

MOST_PRODUCTS, LEAST_PRODUCTS = 4, 2
FAR = 2.0
"""Where the usual round trip is longer than so many of the nearest, windows hold fewer of it: it may be long because
many cross a narrow link at once, and then what is on its way takes longer to drain than a trial lasts."""
NEAREST_QUANTILE = 0.1
LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES = 24 << 10, 4 << 20
"""Less does not fill a port of 10 Mb/s both ways at once."""


def with_windows(options: Options, survey: Survey) -> Options:
    """With buffers that fill the path a few times over, unless the plan has set them or the survey has no rates."""
    window = window_bytes(survey)
    if not window or not (options.send_buffer_bytes is None is options.receive_buffer_bytes):
        return options
    return replace(options, send_buffer_bytes=window, receive_buffer_bytes=window)


def window_bytes(survey: Survey) -> int | None:
    """Some bandwidth-delay products of the survey's usual path; None where it measured none."""
    rate_mbps = np.nanmedian(survey.send_mbps) if np.isfinite(survey.send_mbps).any() else 0.0
    trips_us = survey.trips.fastest_us
    if not rate_mbps or len(trips_us) == 0:
        return None
    nearest_us, usual_us = np.quantile(trips_us, [NEAREST_QUANTILE, 0.5])
    products = np.clip(MOST_PRODUCTS * FAR * nearest_us / usual_us, LEAST_PRODUCTS, MOST_PRODUCTS)
    window = float(products * rate_mbps * usual_us / 8)
    return int(np.clip(window, LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES))
