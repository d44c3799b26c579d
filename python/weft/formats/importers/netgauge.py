"""Netgauge: ping-pongs of the pattern one_one, and LogGP's files."""

from __future__ import annotations

import re

from weft.formats.importers.imported import Content, Options, Test, Timing, one_way
from weft.formats.importers.text import Cut, Text, same_shape
from weft.plan.pattern import Pingpong

SIGN = re.compile(r"Netgauge v|^\d+ bytes \s*-> .* us \s*== |^# size n PRTT", re.MULTILINE)

_NUMBER = r"(\S+)"
_SHORT = re.compile(rf"(\d+) bytes \s*-> {_NUMBER} us \s*== {_NUMBER} Mbit/s\s*")
_LONG = re.compile(
    r"(\d+) - (\S+ \S+ \S+ \S+)(?: \(.*?\))? - (\S+) (\S+) (\S+) (\S+)(?: \(.*?\))? - (\S+ ){3}\S+\s*"
)
_LOGGP_HEADER = "# size n PRTT(1,0,s)"
_LOGGP_SCREEN = re.compile(r"\s*L=\S+\s+s=\d+|Testing \d+ bytes")

_CONVENTION = (
    "one_one: half the round trip, the median of the repetitions (what it prints on the screen as"
    " us is their minimum, and the median stands in its Mbit/s of 10^6); loggp: PRTT(1,0,s) is a "
    "round trip in us; the file does not say how many messages: as many as keep its digits"
)


def read(text: Text, options: Options) -> Content:
    """Netgauge's lines; raises RequestError, naming line and reason."""
    tests: list[Test] = []
    rows: list[tuple[int, Timing]] = []
    cut = _last_cut(text)
    for number, line in text.numbered():
        if cut and number == cut.number:
            break
        timing = _timing(text, number, line)
        if timing and rows and timing.size_bytes <= rows[-1][1].size_bytes:
            tests.append(_test(rows, options))
            rows = []
        if timing:
            rows.append((number, timing))
    if rows:
        tests.append(_test(rows, options))
    return Content("netgauge", tests, _CONVENTION, "batch", cut=cut)


def _timing(text: Text, number: int, line: str) -> Timing | None:
    short, long = _SHORT.fullmatch(line), _LONG.fullmatch(line)
    if short:
        size = text.count(number, short[1], "the size")
        rate = text.positive(number, short[3], "Mbit/s")
        return one_way(number, size, 8 * size / rate * 1e3)
    if long:
        median_us = text.positive(number, long[5], "the median of RTT/2")
        return one_way(number, text.count(number, long[1], "the size"), median_us * 1e3)
    if _LOGGP_SCREEN.match(line):
        raise text.refuse(
            number,
            f"LogGP's parameters, no times: {text.shown(number)}",
            "give the file that netgauge's -o names, which has PRTT(1,0,s)",
        )
    if text.text.find(_LOGGP_HEADER) >= 0 and re.match(r"\s*\d", line):
        return _loggp(text, number, line.split())
    if line.strip() and not line.startswith("#"):
        raise text.refuse(
            number,
            f"not a row of Netgauge's one_one or loggp: {text.shown(number)}",
            "expected '4096 bytes -> 2.44 us == ...'",
        )
    return None


def _loggp(text: Text, number: int, fields: list[str]) -> Timing:
    if len(fields) < 3:
        raise text.refuse(
            number,
            f"not a row of loggp: {text.shown(number)}",
            "expected size, n, PRTT(1,0,s), ...",
        )
    trip_us = text.positive(number, fields[2], "PRTT(1,0,s)")
    return one_way(number, text.count(number, fields[0], "the size"), trip_us * 1e3 / 2)


def _last_cut(text: Text) -> Cut | None:
    """A last line without its end, unless it is all there: the screen's end in their unit."""
    last = len(text.lines)
    line = text.lines[-1]
    if text.is_terminated or _SHORT.fullmatch(line):
        return None
    before = text.lines[-2] if last > 1 else ""
    return None if same_shape(line, before) and not line.startswith("#") else text.cut_at(last)


def _test(rows: list[tuple[int, Timing]], options: Options) -> Test:
    timings = [timing for _, timing in rows]
    return Test("one-one", Pingpong(), options.transport, timings, rows[0][0])
