"""Output of `ping` (iputils, BusyBox, BSD, macOS): with -D (iputils only) or a given start, and preferably with -O."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from weft.base.errors import RequestError
from weft.links.formats.passed_over import SkippedProbes
from weft.links.formats.rows import ICMP_HEADER_BYTES, Rows
from weft.links.formats.source import ProbeFile, ReadSeries

SIGN = re.compile(
    r"PING \S+ \(|^(\[\d+\.\d+\] )?(\d+ bytes from .*seq=|no answer yet|Request timeout for)",
    re.MULTILINE,
)
_STAMP = r"(?:\[(\d+\.\d+)\] )?"
_HEADER = re.compile(r"PING (\S++) ")
_OF_IPUTILS = "bytes of data"
_REPLY = re.compile(
    _STAMP
    + r"(\d+) bytes from [^=]*?(?:icmp_)?seq=(\d+) [^=]*(?:ttl=\d+ )?time=([\d.]+) ms(.*DUP!)?"
)
_LOST = re.compile(
    _STAMP + r"(?:no answer yet for icmp_seq=|From \S+ (?:\(\S+\):? )?icmp_seq=|"
    r"Request timeout for icmp_seq )(\d+)"
)
_SENT = re.compile(r"(\d+) packets transmitted, ")
_WORDLESS = re.compile(r"\s*$|--- |round-trip |rtt ")
_WRAP = 1 << 16


@dataclass
class _Log:
    """The output of one run of ping; times are 0 if it prints none."""

    dst: str = ""
    counts_from: int | None = None
    is_timed: bool = False
    sent: int = 0
    twice: int = 0
    answers: dict[int, tuple[float, float, int]] = field(default_factory=dict)
    announced: dict[int, float] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """The number of the first probe; without a header, of the first one in the output."""
        if self.counts_from is not None:
            return self.counts_from
        return min([*self.answers, *self.announced])


def read(source: ProbeFile) -> ReadSeries:
    """Read one series.

    Sequence numbers missing between answers were lost, at a time in between. The summary's count tells what was lost
    after the last answer; its last probe is ignored, as it may not have been waited for. Answers are stamped when
    received, so the probe started one round trip earlier.
    """
    passed_over = SkippedProbes()
    log = _log(source, passed_over)
    if not (log.answers or log.announced):
        return ReadSeries([], passed_over.notes())
    if not log.is_timed:
        _give_times(source, log)
    rows = _rows(log)
    options = source.options
    series = rows.series(options.here, options.dst or log.dst or "there")
    return ReadSeries([series], _notes(log) + passed_over.notes())


def _log(source: ProbeFile, passed_over: SkippedProbes) -> _Log:
    log, sent = _Log(), _Numbers()
    for number, line in source.numbered():
        if found := _REPLY.match(line):
            _add_answer(log, sent.number(int(found[3])), found)
        elif found := _LOST.match(line):
            log.is_timed |= found[1] is not None
            log.announced[sent.number(int(found[2]))] = float(found[1] or 0)
        elif found := _HEADER.match(line):
            # Only iputils counts from 1.
            log.dst = found[1]
            log.counts_from = int(line.rstrip().rstrip(".").endswith(_OF_IPUTILS))
        elif found := _SENT.match(line):
            log.sent = int(found[1])
        elif not _WORDLESS.match(line):
            passed_over.add(number, line)
    return log


def _add_answer(log: _Log, number: int, found: re.Match[str]) -> None:
    rtt_s, size = float(found[4]) / 1e3, int(found[2]) - ICMP_HEADER_BYTES
    log.is_timed |= found[1] is not None
    log.twice += found[5] is not None
    answer = (float(found[1]) - rtt_s if found[1] else 0.0, rtt_s, size)
    log.answers.setdefault(number, answer)


def _give_times(source: ProbeFile, log: _Log) -> None:
    """Compute start times from sequence numbers and interval; raises RequestError without a start time."""
    start_s, interval_s, first = source.options.start_s, source.options.interval_s, log.first
    if start_s is None:
        raise RequestError(
            f"{source.path}: ping without -D writes no times",
            "say with --start when it began (and with --interval what -i was)",
        )

    def at_s(number: int) -> float:
        return start_s + (number - first) * interval_s

    log.answers = {n: (at_s(n), rtt_s, size) for n, (_, rtt_s, size) in log.answers.items()}
    before = range(first, min([*log.answers, *log.announced]))
    log.announced = {n: at_s(n) for n in (*before, *log.announced)}


def _rows(log: _Log) -> Rows:
    rows = Rows()
    for one in log.answers.values():
        rows.add(*one)
    for number, unix_s in log.announced.items():
        if number not in log.answers:
            rows.add(unix_s, math.nan, 0)
    known = log.announced | {n: one[0] for n, one in log.answers.items()}
    _add_missing(rows, known)
    _add_end(rows, known, log.first + log.sent - 1)
    return rows


class _Numbers:
    """Unwraps the kernel's sequence numbers, which wrap at 65536."""

    def __init__(self) -> None:
        self._last = 0

    def number(self, sequence: int) -> int:
        """The unwrapped number of this probe."""
        apart = (sequence - self._last + _WRAP // 2) % _WRAP - _WRAP // 2
        self._last = max(self._last, self._last + apart)
        return self._last if apart >= 0 else self._last + apart


def _steps_s(known: Mapping[int, float]) -> list[tuple[int, int, float]]:
    """Pairs of successive known numbers, with the time from one probe to the next between them."""
    return [
        (before, after, (known[after] - known[before]) / (after - before))
        for before, after in pairwise(sorted(known))
    ]


def _add_missing(rows: Rows, known: Mapping[int, float]) -> None:
    """Add losses that ping did not report, spread evenly between the known probes."""
    for before, after, step_s in _steps_s(known):
        for missing in range(before + 1, after):
            rows.add(known[before] + (missing - before) * step_s, math.nan, 0)


def _add_end(rows: Rows, known: Mapping[int, float], last_sent: int) -> None:
    """Add losses after the last known probe."""
    steps_s = [step_s for _, _, step_s in _steps_s(known)]
    last = max(known)
    for missing in range(last + 1, last_sent) if steps_s else ():
        rows.add(known[last] + (missing - last) * median(steps_s), math.nan, 0)


def _notes(log: _Log) -> list[str]:
    if not log.twice:
        return []
    return [f"{log.twice} answer{'s' * (log.twice > 1)} came twice (DUP!), and counts once"]
