"""Throughput over the size of segments: the time per frame and per byte."""

from __future__ import annotations

import numpy as np

from weft.base.interval import Interval
from weft.base.quantity import format_bytes, format_mbps, range_us
from weft.base.statistics import Floats, median_interval
from weft.understand.studies.study import SettingStudy, value_of
from weft.understand.studies.varied import Variant, VariedStep

KEYS = {"options.mss", "options.knobs.mtu"}
FEWEST = 3
"""With fewer sizes the two times fit any measurement."""
POOR_PCT = 5.0
"""A fit with a larger error at any size is incomplete."""


def segment_study(found: VariedStep) -> SettingStudy:
    """Fits the time per byte in segments of m bytes as a / m + b: a for the frame, b for the byte itself."""
    sizes = [_segment_bytes(one) for one in found.variants]
    rows = [value_of(one, found, size) for one, size in zip(found.variants, sizes, strict=True)]
    known = [at for at, size in enumerate(sizes) if size]
    numbers: dict[str, Interval | None] = {}
    if len({sizes[at] for at in known}) >= FEWEST:
        segments = np.array([sizes[at] for at in known], dtype=float)
        numbers = _fitted(segments, np.array([found.variants[at].peak_mbps for at in known]))
    text = _text(numbers) if numbers else f"There are fewer than {FEWEST} sizes of segments to fit."
    return SettingStudy("segments", found.name, found.keys, False, rows, text, numbers)


def _segment_bytes(one: Variant) -> int | None:
    """The payload of a full segment without headers and options, the smaller of both ends; None if unknown."""
    said = [each["mss_bytes"] for each in one.settings if each.get("mss_bytes")]
    return min(said, default=None)


def _fitted(segments: Floats, rates_mbps: Floats) -> dict[str, Interval | None]:
    """The fit of each launch by non-negative least squares of relative errors; `rates_mbps` (sizes x launches)."""
    from scipy.optimize import nnls  # a slow import that few runs need

    fits, off_pct = [], []
    for rates in rates_mbps.T:
        columns = np.column_stack([rates / segments, rates]) / 8
        fit, _ = nnls(columns, np.ones(len(rates)))
        fits.append(fit)
        off_pct.append(100 * np.abs(columns @ fit - 1).max())
    frame_us, byte_us = np.array(fits).T
    has_most = bool((byte_us > 0).all())
    return {
        "frame_us": median_interval(frame_us, upper=True),
        "byte_us": median_interval(byte_us, upper=True),
        "frame_bytes": median_interval(frame_us / byte_us, upper=True) if has_most else None,
        "most_mbps": median_interval(8 / byte_us) if has_most else None,
        "fit_off_pct": median_interval(off_pct, upper=True),
    }


def fitted_mbps(numbers: dict[str, Interval | None], segment_bytes: int) -> float | None:
    """The fitted rate for segments of a size; None if there is no fit."""
    frame, byte = numbers.get("frame_us"), numbers.get("byte_us")
    return 8 / (frame.median / segment_bytes + byte.median) if frame and byte else None


def _text(numbers: dict[str, Interval | None]) -> str:
    frame, byte, off = (numbers[name] for name in ("frame_us", "byte_us", "fit_off_pct"))
    equal, most = numbers["frame_bytes"], numbers["most_mbps"]
    assert frame and byte and off
    text = f"A frame takes {range_us(frame)} and each byte of its payload {range_us(byte)}"
    if equal and most:
        text += f": a frame costs as much as {format_bytes(round(equal.median))} of payload"
        text += f", and the largest frames would reach {format_mbps(most.median)}"
    if off.median > POOR_PCT:
        text += (
            f". The fit is off by up to {off.median:.0f} %: another limit decides some of the sizes"
        )
    return f"{text}."
