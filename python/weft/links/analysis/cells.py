"""A series in cells of equal width, for figures: median round trip and losses of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats
from weft.links.analysis.local_time import hour_starts_s
from weft.links.analysis.profile import HOURS, hour_of_week
from weft.links.analysis.series import ProbeSeries


@dataclass(frozen=True)
class Cells:
    """Cells with probes, in order of time: Unix time of the start, median round trip in seconds (NaN if nothing was
    answered), number of probes and of lost ones; and the time zone for hours of the week."""

    width_s: float
    begin_s: Floats
    rtt_s: Floats
    probes: npt.NDArray[np.int64]
    lost: npt.NDArray[np.int64]
    timezone: str

    def __len__(self) -> int:
        return len(self.begin_s)


def cells(small: ProbeSeries, width_s: float) -> Cells:
    """Divide a series with one kind and size of probe into cells; cells of an hour start at whole hours of its time
    zone. O(n log n)."""
    behind_s = hour_starts_s(small.timezone, small.start) % min(width_s, 3600.0)
    number = ((small.start - behind_s + small.time_s) // width_s).astype(np.int64)
    first = np.flatnonzero(np.diff(number, prepend=number[:1] - 1))
    end = np.append(first[1:], len(number))
    lost = np.diff(np.concatenate([[0], np.cumsum(small.lost)])[np.append(first, len(number))])
    # NaN (lost) sorts behind all answers of its cell.
    rtt_s = small.rtt_s[np.lexsort((small.rtt_s, number))]
    last = np.maximum(end - first - lost - 1, 0)
    medians = (rtt_s[first + last // 2] + rtt_s[first + (last + 1) // 2]) / 2
    begin_s = np.asarray(number[first] * width_s + behind_s, np.float64)
    return Cells(width_s, begin_s, medians, end - first, lost, small.timezone)


def week(hours: Cells) -> Floats:
    """For each hour of the week (0 is Monday 00:00, local time), the median over weeks of the hours' medians; NaN
    without data; shape (168,)."""
    name = hour_of_week(hours.begin_s, hours.timezone)
    found = [hours.rtt_s[(name == one) & ~np.isnan(hours.rtt_s)] for one in range(HOURS)]
    return np.array([np.median(part) if len(part) else np.nan for part in found])
