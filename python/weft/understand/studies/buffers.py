"""Throughput over socket buffers: where it stops growing, compared with the bandwidth-delay product."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weft.base.interval import Interval
from weft.base.quantity import format_bytes, format_mbps, format_us, range_bytes
from weft.base.statistics import Floats, median_interval
from weft.understand.studies.study import SettingStudy, SettingValue, value_of
from weft.understand.studies.varied import Variant, VariedStep

KEYS = {"options.send_buffer", "options.receive_buffer"}
KNEE_SHARE = 0.9
"""The share of the best rate that is reached from the knee on."""
UNSURE = 4
"""A knee is inconclusive if the high end of its interval is more than this many times the low end."""
DEFAULT = "default"


def buffer_study(found: VariedStep) -> SettingStudy:
    """Finds the knee: the smallest buffer from which at least 90 % of the best rate, with autotuning's, is reached.

    It is interpolated between buffers on logarithmic axes, for each launch. The round trip is that of the smallest
    message with the first value."""
    rows = [value_of(one, found, *_granted(one)) for one in found.variants]
    peaks = np.array([one.peak_mbps for one in found.variants])
    best = peaks[int(np.median(peaks, axis=1).argmax())]
    tuned = next((at for at, row in enumerate(rows) if row.value == DEFAULT), None)
    round_trip_us = 2 * found.variants[0].latency_us
    numbers = {
        "knee_bytes": _knee(rows, peaks, best),
        "bandwidth_delay_bytes": median_interval(round_trip_us * best / 8, upper=True),
        "round_trip_us": median_interval(round_trip_us, upper=True),
        "best_mbps": median_interval(best),
        "autotuned_share": None if tuned is None else median_interval(peaks[tuned] / best),
    }
    sentences = [_knee_text(numbers, rows), _autotuned_text(numbers), _capped_text(rows)]
    text = " ".join(filter(None, sentences))
    return SettingStudy("buffers", found.name, found.keys, False, rows, text, numbers)


def _granted(one: Variant) -> tuple[int | None, str]:
    """The smaller buffer of both ends, with the note "capped" if it is less than requested, or "autotuned".

    The kernel doubles a request for its own overhead, and reports the doubled size. Autotuned buffers have no fixed
    size (None).
    """
    names = ("send_buffer_bytes", "receive_buffer_bytes")
    said = [each[name] for each in one.settings for name in names if each.get(name)]
    if one.value == DEFAULT or not said:
        return None, "autotuned" if one.value == DEFAULT else ""
    granted = min(said) // 2
    asked = filter(None, (one.options.send_buffer_bytes, one.options.receive_buffer_bytes))
    return granted, "capped" if granted < min(asked, default=0) else ""


def _knee(rows: Sequence[SettingValue], peaks: Floats, best: Floats) -> Interval | None:
    """The knee with its interval over launches; None unless every launch has it between two of the buffers."""
    first: dict[int, int] = {}
    for at, row in enumerate(rows):
        if row.granted_bytes:
            first.setdefault(row.granted_bytes, at)
    sizes = sorted(first)
    rates = peaks[[first[size] for size in sizes]]
    found = [_knee_of(sizes, *each) for each in zip(rates.T, KNEE_SHARE * best, strict=True)]
    known = [one for one in found if one is not None]
    return median_interval(known, upper=True) if known and len(known) == len(found) else None


def _knee_of(sizes: Sequence[int], rates: Floats, threshold: float) -> float | None:
    below = np.flatnonzero(rates < threshold)
    at = int(below[-1]) + 1 if len(below) else 0
    if at == 0 or at == len(sizes):
        return None
    low, high = np.log(rates[at - 1 : at + 1])
    share = (math.log(threshold) - low) / (high - low)
    return float(sizes[at - 1] ** (1 - share) * sizes[at] ** share)


def _knee_text(numbers: dict[str, Interval | None], rows: Sequence[SettingValue]) -> str:
    knee, product, trip, best = (
        numbers[name]
        for name in ("knee_bytes", "bandwidth_delay_bytes", "round_trip_us", "best_mbps")
    )
    assert product and trip and best
    beside = (
        f"the bandwidth-delay product of {format_bytes(product.median)} (round trip "
        f"{format_us(trip.median)}, best rate {format_mbps(best.median)})"
    )
    if knee and knee.high > UNSURE * knee.low:
        return (
            "Launches do not agree from which socket buffer on throughput stops growing: "
            f"{format_bytes(knee.low)} in some, {format_bytes(knee.high)} in others, beside {beside}."
        )
    if knee:
        times = knee.median / product.median
        return f"Throughput stops growing at socket buffers of {range_bytes(knee)}, {times:.2g} times {beside}."
    given = [row for row in rows if row.granted_bytes]
    reaching = [row for row in given if row.peak_mbps.median >= KNEE_SHARE * best.median]
    if len(reaching) == len(given) > 0:
        least = min(row.granted_bytes or 0 for row in given)
        return f"Throughput does not grow with socket buffers from {format_bytes(least)}, beside {beside}."
    if not reaching:
        share = f"{100 * KNEE_SHARE:.0f} % of the best rate"
        return f"No socket buffer that the kernel gave reaches {share}, beside {beside}."
    return (
        f"Throughput still grows at the largest buffer, in some launches at least, beside {beside}."
    )


def _autotuned_text(numbers: dict[str, Interval | None]) -> str:
    share = numbers["autotuned_share"]
    return (
        f"The kernel's autotuning reaches {100 * share.median:.0f} % of the best." if share else ""
    )


def _capped_text(rows: Sequence[SettingValue]) -> str:
    capped = [row for row in rows if row.note == "capped"]
    if not capped:
        return ""
    most = format_bytes(capped[0].granted_bytes or 0)
    return f"From {capped[0].value} on the kernel gave {most}: its rmem_max or wmem_max allows no more."
