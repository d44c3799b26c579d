"""The result of a study of a setting: a row for each value, a sentence, and its key numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weft.base.interval import Interval
from weft.base.quantity import format_bytes, significant
from weft.base.result import Documented
from weft.base.statistics import median_interval
from weft.understand.studies.varied import Variant, VariedStep

Kind = Literal["buffers", "segments", "affinity", "setting"]


@dataclass(frozen=True)
class SettingValue:
    """The result of one value of the setting.

    `latency_us` is the one-way time of a ping-pong's smallest message. `ratio` is that of rates (of latencies if the
    study is of latency) over the first value, paired by launch. `timings` has a number for each launch: Mb/s, or µs if
    the study is of latency. `granted_bytes` is the buffer, or the payload of a segment, that the kernel granted."""

    value: str
    latency_us: Interval | None
    peak_mbps: Interval
    ratio: Interval
    timings: tuple[float, ...]
    granted_bytes: int | None = None
    note: str = ""

    @property
    def spread_pct(self) -> float:
        """The range of the timings in percent of their median."""
        return 100 * (max(self.timings) - min(self.timings)) / median_interval(self.timings).median


@dataclass(frozen=True)
class SettingStudy(Documented):
    """A step that was repeated for each value of a setting; `numbers` are the results by name, None if the values do
    not determine them."""

    kind: Kind
    name: str
    keys: tuple[str, ...]
    is_of_latency: bool
    values: Sequence[SettingValue]
    text: str
    numbers: dict[str, Interval | None] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The step and its keys, for example "buffer over send_buffer and receive_buffer"."""
        return f"{self.name} over {' and '.join(key.split('.')[-1] for key in self.keys)}"

    @property
    def headers(self) -> list[str]:
        """The headers of all columns that are not empty."""
        return [header for header, cells in self._columns]

    @property
    def rows(self) -> list[list[str]]:
        """A row for each value, as text."""
        return [list(row) for row in zip(*(cells for _, cells in self._columns), strict=True)]

    @property
    def _columns(self) -> list[tuple[str, list[str]]]:
        def cells(of: Callable[[SettingValue], str]) -> list[str]:
            return [of(value) for value in self.values]

        main = "smallest, us" if self.is_of_latency else "fastest, Mb/s"
        latency = "" if self.is_of_latency else "smallest, us"
        spread = "spread, %" if self.kind == "affinity" else ""
        times = ("times",) if self.kind != "setting" else ("times", "from ", "to ")
        columns = [
            ("", cells(lambda one: one.value)),
            ("kernel gave", cells(self._granted)),
            (latency, cells(lambda one: _ends(one.latency_us)[0] if latency else "")),
            *zip(
                (main, "from", "to"), _turned(map(_ends, map(self._main, self.values))), strict=True
            ),
            *zip(
                times, _turned(_ends(one.ratio)[: len(times)] for one in self.values), strict=True
            ),
            (spread, cells(lambda one: significant(one.spread_pct, 3) if spread else "")),
            ("note", cells(lambda one: one.note)),
        ]
        return [(header, found) for header, found in columns if any(found)]

    def _granted(self, one: SettingValue) -> str:
        """The size that the kernel granted; exact for segments, which are slightly below round numbers."""
        if not one.granted_bytes:
            return ""
        is_segment = self.kind == "segments"
        return f"{one.granted_bytes} B" if is_segment else format_bytes(one.granted_bytes)

    def _main(self, one: SettingValue) -> Interval:
        return one.latency_us if self.is_of_latency and one.latency_us else one.peak_mbps


def _ends(interval: Interval | None) -> tuple[str, str, str]:
    """The median and both ends as text."""
    if interval is None:
        return "", "", ""
    median, low, high = (
        significant(value, 3) for value in (interval.median, interval.low, interval.high)
    )
    return median, low, high


def _turned(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=True)]


def value_of(
    one: Variant, among: VariedStep, granted_bytes: int | None = None, note: str = ""
) -> SettingValue:
    """The row of one value."""
    is_pingpong = one.curve.pattern == "pingpong"
    first = among.variants[0]
    return SettingValue(
        value=one.value,
        latency_us=median_interval(one.latency_us, upper=True) if is_pingpong else None,
        peak_mbps=median_interval(one.peak_mbps),
        ratio=median_interval(one.timings / first.timings),
        timings=tuple(map(float, one.timings)),
        granted_bytes=granted_bytes,
        note=note,
    )
