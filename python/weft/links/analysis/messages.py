"""Predicted times of an MPI ping-pong and an all-to-all between two sites, by hour: t(n) = alpha + beta n."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from weft.links.analysis.hours import Typical, typical
from weft.links.analysis.series import ProbeSeries
from weft.links.analysis.times import Hourly, hourly, hours_apart


@dataclass(frozen=True)
class HourTimes:
    """Times in seconds; `hour` is one of the keys of `LinkFindings.times_by_hour`. `exchange_s` is None without
    ranks."""

    hour: int
    message_s: Typical
    exchange_s: Typical | None


@dataclass(frozen=True)
class MessageTimes:
    """One-way time of a message of `size_bytes`, and time of an all-to-all with messages of that size between `ranks`,
    half of them at each site.

    Hours are those of the week if `is_by_week`, else of the day, in `timezone`. `best`, `middle` and `worst` are hours
    ranked by `message_s`.
    """

    src: str
    dst: str
    network: str
    timezone: str
    size_bytes: int
    ranks: int | None
    is_by_week: bool
    best: HourTimes
    middle: HourTimes
    worst: HourTimes
    by_hour: list[HourTimes]

    @property
    def are_alike(self) -> bool:
        """Whether chance explains the differences between hours."""
        return self.best.message_s.median == self.worst.message_s.median


def crossing(ranks: int) -> int:
    """Messages of an all-to-all that cross the link in each direction, with half of the ranks at each site."""
    return (ranks // 2) * (ranks - ranks // 2)


def message_times(
    watched: Iterable[ProbeSeries], size_bytes: int, ranks: int | None = None
) -> list[MessageTimes]:
    """Predict times for each link whose alpha and beta are both known; links with a single size of probe are left out.

    The unit of repetition is an hour of measurement: alpha + beta n of each, then the typical value by hour of the week
    or day, so that correlated errors of alpha and beta count once.
    """
    found = (_of_link(one, size_bytes, ranks) for one in watched)
    return [one for one in found if one]


def _of_link(series: ProbeSeries, size_bytes: int, ranks: int | None) -> MessageTimes | None:
    hours = hourly(series)
    if not len(hours.unix_s) or np.isnan(hours.beta_s).any():
        return None
    apart = hours_apart(hours)
    message_s = _typical(apart, size_bytes)
    exchange_s = _typical(apart, size_bytes * crossing(ranks)) if ranks else {}
    by_hour = [HourTimes(name, one, exchange_s.get(name)) for name, one in message_s.items()]
    order = sorted(by_hour, key=lambda one: one.message_s.median)
    best, middle, worst = order[0], order[(len(order) - 1) // 2], order[-1]
    ends = (series.src, series.dst, series.network, series.timezone)
    return MessageTimes(
        *ends, size_bytes, ranks, max(h.hour for h in by_hour) >= 24, best, middle, worst, by_hour
    )


def _typical(apart: dict[int, Hourly], total_bytes: int) -> dict[int, Typical]:
    return typical({n: part.alpha_s + part.beta_s * total_bytes for n, part in apart.items()})
