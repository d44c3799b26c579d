"""Kinks: sizes above which messages take longer than the line through the smaller sizes predicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.thresholds import ThresholdCandidate
from weft.understand.curve.points import CurvePoint
from weft.understand.curve.thresholds import Threshold
from weft.understand.explain.contrast import StretchContrast
from weft.understand.explain.stretches import Stretches


@dataclass(frozen=True)
class Kink(StretchContrast):
    """Stretches of larger sizes in contrast to those of smaller ones, each with its size, time, and time on the line.

    Counters grow with the size too, so their expected values for larger messages are extrapolated on lines of their
    own.
    """

    sizes: Floats
    time_us: Floats
    line_us: Floats
    slow_ones = "larger ones"

    def beside(self, rows: Floats) -> Floats:
        """The expected values: each counter per message on the line through the smaller sizes, over the time that
        these predict."""
        per_message = (rows * self.time_us).T
        lines = np.column_stack([np.ones(len(self.sizes)), self.sizes])
        fast = ~self.slow
        weights = 1 / self.line_us[fast, np.newaxis]
        found, *_ = np.linalg.lstsq(lines[fast] * weights, per_message[fast] * weights, rcond=None)
        expected: Floats = np.maximum((lines @ found).T, 0) / self.line_us
        return expected


def kinks(
    points: list[CurvePoint], thresholds: Sequence[Threshold], stretches: Stretches
) -> Iterator[Kink]:
    """The kinks of a step to longer times, each with the sizes that show at least half of its height."""
    for threshold in thresholds:
        if threshold.found.kind == "kink" and threshold.found.height.median > 0:
            below = (one.found.first_after for one in thresholds if _is_below(one, threshold.found))
            yield from _kink(threshold, max(below, default=0), points, stretches)


def _kink(
    threshold: Threshold, start: int, points: list[CurvePoint], stretches: Stretches
) -> Iterator[Kink]:
    found = threshold.found
    before = [one for one in points if start <= one.size_bytes <= found.last_before]
    after = [one for one in points if _is_high(one.size_bytes, found)]
    size_of = {one.phase: one.size_bytes for one in (*before, *after)}
    used = np.isin(stretches.phase, list(size_of))
    phase, launch = stretches.phase[used], stretches.launch[used]
    slow = np.isin(phase, [one.phase for one in after])
    if not slow.any() or slow.all():
        return
    sizes = np.array([size_of[int(one)] for one in phase], dtype=np.float64)
    line_us = np.maximum(found.before.predict(sizes), np.finfo(np.float64).tiny)
    time_us = stretches.time_us[used]
    yield Kink(
        "threshold",
        tuple(one.size_bytes for one in after),
        threshold.text,
        used,
        slow,
        unit=launch * (int(phase.max()) + 1) + phase,
        stratum=launch,
        slowdown=float(np.median((time_us / line_us)[slow])),
        sizes=sizes,
        time_us=time_us,
        line_us=line_us,
    )


def _is_below(one: Threshold, kink: ThresholdCandidate) -> bool:
    return one.found.first_after <= kink.last_before


def _is_high(size_bytes: int, kink: ThresholdCandidate) -> bool:
    if not kink.first_after <= size_bytes <= kink.height_at_bytes:
        return False
    height = kink.after.predict(size_bytes) / kink.before.predict(size_bytes) - 1
    return bool(height >= kink.height.median / 2)
