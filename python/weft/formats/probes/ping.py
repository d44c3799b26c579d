"""`ping -D` of iputils, best with `-O`, which says at once what was lost."""

from __future__ import annotations

import math
import re
from itertools import pairwise

from weft.formats.probes.rows import ICMP_HEADER_BYTES, Rows
from weft.formats.probes.source import Found, Source

SIGN = re.compile(r"PING \S+ \(|\[\d+\.\d+\] (\d+ bytes from|no answer yet)")
_HEADER = re.compile(r"PING (\S+) ")
_REPLY = re.compile(
    r"\[(\d+\.\d+)\] (\d+) bytes from .*?icmp_seq=(\d+) .*?time=([\d.]+) ms(.*DUP!)?"
)
_LOST = re.compile(r"\[(\d+\.\d+)\] no answer yet for icmp_seq=(\d+)")
_WRAP = 1 << 16


def read(source: Source) -> Found:
    """One series. A number that is missing between answers was lost, at a time in between; the end says nothing.

    Times of answers are those of receipt, so that a probe began a round trip earlier.
    """
    dst, sent, answers = "", _Numbers(), {}
    announced: dict[int, float] = {}
    for line in source.lines:
        if found := _REPLY.match(line):
            if not found[5]:
                rtt_s = float(found[4]) / 1e3
                size = int(found[2]) - ICMP_HEADER_BYTES
                answers[sent.number(int(found[3]))] = (float(found[1]) - rtt_s, rtt_s, size)
        elif found := _LOST.match(line):
            announced[sent.number(int(found[2]))] = float(found[1])
        elif found := _HEADER.match(line):
            dst = found[1]
    rows = Rows()
    for one in answers.values():
        rows.add(*one)
    for number, unix_s in announced.items():
        if number not in answers:
            rows.add(unix_s, math.nan, 0)
    _add_missing(rows, {n: one[0] for n, one in answers.items()} | announced)
    options = source.options
    series = rows.series(options.here, options.dst or dst or "there")
    return Found([series] if rows.unix_s else [])


class _Numbers:
    """The kernel's sequence numbers without their wrap at 65536."""

    def __init__(self) -> None:
        self._last = 0

    def number(self, sequence: int) -> int:
        """The count of probes that this one is."""
        apart = (sequence - self._last + _WRAP // 2) % _WRAP - _WRAP // 2
        self._last = max(self._last, self._last + apart)
        return self._last if apart >= 0 else self._last + apart


def _add_missing(rows: Rows, known: dict[int, float]) -> None:
    """Losses that nothing announced, spread evenly between the probes around them."""
    numbers = sorted(known)
    for before, after in pairwise(numbers):
        step_s = (known[after] - known[before]) / (after - before)
        for missing in range(before + 1, after):
            rows.add(known[before] + (missing - before) * step_s, math.nan, 0)
