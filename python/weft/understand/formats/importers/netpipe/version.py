"""The versions of NetPIPE, recognised by which relation their columns satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weft.understand.formats.importers.netpipe.lines import Result


@dataclass(frozen=True)
class Version:
    """The meaning of the columns in one version."""

    name: str
    format: str
    columns: tuple[int, ...]
    rate_bits_per_s: float
    time_s: float
    statistic: Literal["best", "mean"]
    aggregates: bool = False

    def transfers(self, line: Result) -> float:
        """The number of messages that the rate carries in the time: 1 unless it is an aggregate."""
        return self._bits_moved(line) / _bits(line)

    def agrees(self, line: Result, transfers: int) -> bool:
        """Whether size, rate and time agree within the rounding of the printed digits."""
        rate, time = line.rate, line.time
        rounding = (
            rate.rounding * time.value + time.rounding * rate.value + rate.rounding * time.rounding
        )
        allowed = rounding * self.rate_bits_per_s * self.time_s + 1e-9 * _bits(line)
        return abs(self._bits_moved(line) - _bits(line) * transfers) <= allowed

    def one_way_s(self, line: Result, transfers: int) -> float:
        """The time of one message in seconds, from the column with more significant digits.

        Tiny messages have few digits in one column, large messages in the other. The unit of the
        rate is known by then, because both columns must agree.
        """
        rate, time = line.rate, line.time
        if rate.rounding * time.value < time.rounding * rate.value:
            return _bits(line) * transfers / (rate.value * self.rate_bits_per_s)
        return time.value * self.time_s

    def _bits_moved(self, line: Result) -> float:
        return line.rate.value * self.rate_bits_per_s * line.time.value * self.time_s


VERSIONS = (
    Version("NetPIPE 3", "netpipe-3", (3,), 2.0**20, 1.0, "best"),
    Version("NetPIPE 3", "netpipe-3-stdout", (0,), 2.0**20, 1e-6, "best"),
    Version("NetPIPE 4", "netpipe-4", (5, 7), 1e6, 1.0, "best"),
    Version("NetPIPE 5", "netpipe-5", (5, 6), 1e9, 1e-6, "mean", aggregates=True),
)
"""Version 3 counts 2^20 bits to its megabit, the later ones 10^6; version 5 prints Gb/s, summed
over pairs, and microseconds."""


def recognise(lines: Sequence[Result]) -> tuple[Version, int]:
    """The version that fits the line with the most digits, and its number of simultaneous pairs."""
    line = min(lines, key=_relative_rounding)
    for version in VERSIONS:
        if line.columns not in version.columns:
            continue
        transfers = max(1, round(version.transfers(line))) if version.aggregates else 1
        if version.agrees(line, transfers):
            return version, transfers
    raise line.line.wrong(
        f"not the columns of any version of NetPIPE: {line.line.text!r}",
        "3 columns are bytes, Mb/s of 2^20 bits and seconds; 5 are bytes, Mb/s, and seconds last "
        "(NetPIPE 4) or bytes, Gb/s, and microseconds last (NetPIPE 5)",
    )


def _bits(line: Result) -> float:
    return 8.0 * line.size_bytes * line.ways


def _relative_rounding(line: Result) -> float:
    if line.rate.value == 0 or line.time.value == 0:
        return float("inf")
    return line.rate.rounding / line.rate.value + line.time.rounding / line.time.value
