"""Probes as collected by an importer, in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.base.statistics import Floats
from weft.links.analysis.series import ProbeSeries
from weft.runs.probes import KINDS

ICMP = KINDS.index("icmp")
ONE_WAY = KINDS.index("one-way")
UDP_ECHO = KINDS.index("udp-echo")
ICMP_HEADER_BYTES = 8
DEFAULT_BYTES = 56
"""Default payload of ping and fping."""
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEP_S = 1e-6
_EARLIEST_S, _LATEST_S = 631_152_000.0, 4_102_444_800.0
_LONGEST_S = 3600.0
"""A longer round trip is a damaged value: no monitor waits so long."""
MOST_BYTES = 1 << 24


class OutOfRangeError(ValueError):
    """A time or round trip outside of the plausible range."""


def is_unix_time(seconds: float) -> bool:
    """Whether this is a Unix time in seconds between 1990 and 2100, and not in milliseconds."""
    return _EARLIEST_S <= seconds < _LATEST_S


@dataclass
class Rows:
    """Columns of probes: Unix time in seconds, round trip or one-way delay (NaN for a loss), size (0 if unknown)."""

    kind: int = ICMP
    unix_s: list[float] = field(default_factory=list)
    rtt_s: list[float] = field(default_factory=list)
    size_bytes: list[int] = field(default_factory=list)

    def add(self, unix_s: float, rtt_s: float, size_bytes: int) -> None:
        """Append a probe."""
        self.unix_s.append(unix_s)
        self.rtt_s.append(rtt_s)
        self.size_bytes.append(size_bytes)

    def add_round(
        self, begin_s: float, interval_s: float, answers: Sequence[float], lost: int, size: int = 0
    ) -> None:
        """Append probes with known round trips but unknown order: ranks and losses are spread evenly."""
        trips = [*answers, *([math.nan] * lost)]
        order = np.argsort(np.arange(len(trips)) * _GOLDEN % 1)
        for position, which in enumerate(order):
            self.add(begin_s + (position + 0.5) * interval_s, trips[which], size)

    def series(self, src: str, dst: str, network: str = "") -> ProbeSeries:
        """The probes in order of time; an unknown size becomes the usual one of the others. Raises OutOfRangeError."""
        unix_s, rtt_s = np.array(self.unix_s), np.array(self.rtt_s)
        _check(unix_s, rtt_s, max(self.size_bytes, default=0))
        order = np.argsort(unix_s, kind="stable")
        start = float(np.floor(unix_s[order[0]])) if len(order) else 0.0
        size = np.array(self.size_bytes, dtype=np.int64)
        usual = int(np.median(size[size > 0])) if np.any(size > 0) else DEFAULT_BYTES
        return ProbeSeries(
            src=src,
            dst=dst,
            network=network,
            start=start,
            time_s=_apart(unix_s[order] - start),
            rtt_s=rtt_s[order],
            size_bytes=np.where(size > 0, size, usual)[order],
            kind=np.full(len(order), self.kind, dtype=np.int8),
        )


def merged(parts: list[ProbeSeries]) -> ProbeSeries:
    """Merge series of one link, in order of time."""
    if len(parts) == 1:
        return parts[0]
    start = min(one.start for one in parts)
    time_s = np.concatenate([one.time_s + (one.start - start) for one in parts])
    order = np.argsort(time_s, kind="stable")
    return ProbeSeries(
        src=parts[0].src,
        dst=parts[0].dst,
        network=parts[0].network,
        start=start,
        time_s=_apart(time_s[order]),
        rtt_s=np.concatenate([one.rtt_s for one in parts])[order],
        size_bytes=np.concatenate([one.size_bytes for one in parts])[order],
        kind=np.concatenate([one.kind for one in parts])[order],
    )


def _check(unix_s: Floats, rtt_s: Floats, largest: int) -> None:
    if largest > MOST_BYTES:
        raise OutOfRangeError(f"a probe of {largest:.15g} B")
    wrong_s = unix_s[~((unix_s >= _EARLIEST_S) & (unix_s < _LATEST_S))]
    if len(wrong_s):
        raise OutOfRangeError(
            f"a probe at {wrong_s[0]:.15g} s, which is no Unix time of 1990 to 2100"
        )
    wrong_s = rtt_s[(rtt_s < 0) | (rtt_s > _LONGEST_S)]
    if len(wrong_s):
        raise OutOfRangeError(f"a probe that took {wrong_s[0]:.15g} s")


def _apart(time_s: Floats) -> Floats:
    """Make equal times distinct, at the resolution of a watch, which identifies probes by time."""
    ticks = np.round(time_s / _STEP_S).astype(np.int64)
    index = np.arange(len(ticks))
    return np.asarray((np.maximum.accumulate(ticks - index) + index) * _STEP_S, np.float64)
