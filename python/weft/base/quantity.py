"""Numbers with units, written as people read them: three significant digits, the unit that fits."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.base.interval import Interval

Units = Sequence[tuple[float, str]]
"""Factors and symbols, smallest first."""

BYTES: Units = [(1, "B"), (2**10, "KiB"), (2**20, "MiB"), (2**30, "GiB"), (2**40, "TiB")]
MICROSECONDS: Units = [(1e-3, "ns"), (1, "µs"), (1e3, "ms"), (1e6, "s")]
MEGABITS: Units = [(1, "Mb/s"), (1e3, "Gb/s"), (1e6, "Tb/s")]


def format_bytes(value_bytes: float) -> str:
    """2150 -> "2.1 KiB": sizes are read, not computed with, so one digit of fraction is enough."""
    factor, unit = unit_of(value_bytes, BYTES)
    scaled = value_bytes / factor
    digits = 1 if factor > 1 and scaled < 100 else 0
    return f"{scaled:.{digits}f}".removesuffix(".0") + f" {unit}"


def exact_bytes(size_bytes: int) -> str:
    """6144 -> "6 KiB", 6147 -> "6,147 B": for sizes that must be told apart."""
    short = format_bytes(size_bytes)
    number, unit = short.split()
    factors = {name: factor for factor, name in BYTES}
    return short if float(number) * factors[unit] == size_bytes else f"{size_bytes:,} B"


def full_size(size_bytes: int) -> str:
    """A size in bytes, with its short form if that is exact: "8 KiB (8,192 B)"."""
    exact = f"{size_bytes:,} B"
    short_is_exact = size_bytes >= 1024 and size_bytes % 512 == 0
    return f"{format_bytes(size_bytes)} ({exact})" if short_is_exact else exact


def format_us(value_us: float) -> str:
    """28.31 -> "28.3 µs"."""
    return _format(value_us, MICROSECONDS)


def format_mbps(value_mbps: float) -> str:
    """941.2 -> "941 Mb/s"."""
    return _format(value_mbps, MEGABITS)


def exact_mbps(rate_mbps: float) -> str:
    """25000 -> "25 Gb/s", as a link is sold."""
    factor, unit = unit_of(rate_mbps, MEGABITS)
    return f"{rate_mbps / factor:g} {unit}"


def part_of_mbps(part_mbps: float, whole_mbps: float) -> str:
    """9.12 and 94.1 -> "9.12 of 94.1 Mb/s"."""
    factor, unit = unit_of(whole_mbps, MEGABITS)
    part, whole = (significant(mbps / factor, 3) for mbps in (part_mbps, whole_mbps))
    return f"{part} of {whole} {unit}"


def range_bytes(interval: Interval) -> str:
    """The median size and its range: "480 B (468 to 495)"."""
    return _range(interval, BYTES)


def range_us(interval: Interval) -> str:
    """The median time and its range: "28.3 µs (27.9 to 28.6)"."""
    return _range(interval, MICROSECONDS)


def range_mbps(interval: Interval) -> str:
    """The median rate and its range: "94.1 Mb/s (93.9 to 94.2)"."""
    return _range(interval, MEGABITS)


def unit_of(value: float, units: Units) -> tuple[float, str]:
    """The largest unit that leaves at least one in front of it, after rounding."""
    fitting = [unit for unit in units if abs(value) >= unit[0] * 0.9995]
    return fitting[-1] if fitting else units[0]


def number(value: float) -> str:
    """Four significant digits, whole numbers in full, as a column of a table has them: 94.1 is "94.10"."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.4g}".rstrip(".")


def significant(value: float, digits: int) -> str:
    """`value` to so many significant digits, never in exponent notation: 1234 stays 1234."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    magnitude = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:.{max(0, digits - 1 - magnitude)}f}"


def _format(value: float, units: Units, digits: int = 3) -> str:
    factor, unit = unit_of(value, units)
    return f"{significant(value / factor, digits)} {unit}"


def _range(interval: Interval, units: Units) -> str:
    factor, unit = unit_of(interval.median, units)
    # A part of a byte means nothing.
    digits = len(f"{interval.median:.0f}") if unit == "B" else digits_that_show(interval)
    low, median, high = (
        significant(x / factor, digits) for x in (interval.low, interval.median, interval.high)
    )
    return f"{median} {unit}" if low == high else f"{median} {unit} ({low} to {high})"


def digits_that_show(interval: Interval) -> int:
    """Significant digits of the median that let the width of its interval be seen: 3 to 5."""
    width = interval.high - interval.low
    if width <= 0 or interval.median <= 0:
        return 3
    needed = math.floor(math.log10(interval.median)) - math.floor(math.log10(width)) + 1
    return min(5, max(3, needed))
