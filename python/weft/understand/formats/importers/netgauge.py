"""Netgauge: ping-pongs of the pattern one_one, and files of loggp."""

from __future__ import annotations

import re

from weft.plan.pattern import Pingpong
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    one_way,
)
from weft.understand.formats.importers.text import Cut, SourceLine, Text, same_shape

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


def read(text: Text, options: ImportOptions) -> Content:
    """Netgauge's lines; raises RequestError, naming line and reason."""
    launches: list[list[ImportedTiming]] = []
    cut = _last_cut(text)
    is_loggp = _LOGGP_HEADER in text.text
    for line in text.lines[:-1] if cut else text.lines:
        if timing := _timing(line, is_loggp):
            if not launches or timing.size_bytes <= launches[-1][-1].size_bytes:
                launches.append([])
            launches[-1].append(timing)
    tests = [Test("one-one", Pingpong(), "unknown", one, one[0].line) for one in launches]
    return Content("netgauge", tests, _CONVENTION, "batch", cut=cut)


def _timing(line: SourceLine, is_loggp: bool) -> ImportedTiming | None:
    if short := _SHORT.fullmatch(line.text):
        size = line.count(short[1], "the size")
        return one_way(line, size, 8 * size / line.positive(short[3], "Mbit/s") * 1e3)
    if long := _LONG.fullmatch(line.text):
        median_us = line.positive(long[5], "the median of RTT/2")
        return one_way(line, line.count(long[1], "the size"), median_us * 1e3)
    if _LOGGP_SCREEN.match(line.text):
        raise line.refuse(
            "LogGP's parameters, no times",
            "give the file that netgauge's -o names, which has PRTT(1,0,s)",
        )
    if is_loggp and re.match(r"\s*\d", line.text):
        return _loggp(line)
    if line.text.strip() and not line.text.startswith("#"):
        hint = "expected '4096 bytes -> 2.44 us == ...'"
        raise line.refuse("not a row of Netgauge's one_one or loggp", hint)
    return None


def _loggp(line: SourceLine) -> ImportedTiming:
    fields = line.fields
    if len(fields) < 3:
        raise line.refuse("not a row of loggp", "expected size, n, PRTT(1,0,s), ...")
    trip_us = line.positive(fields[2], "PRTT(1,0,s)")
    return one_way(line, line.count(fields[0], "the size"), trip_us * 1e3 / 2)


def _last_cut(text: Text) -> Cut | None:
    """The cut in the last line; None if the line is complete. Lines of the screen output end with their unit."""
    line = text.lines[-1]
    if not line.is_open or _SHORT.fullmatch(line.text):
        return None
    before = text.lines[-2].text if len(text.lines) > 1 else ""
    is_whole = same_shape(line.text, before) and not line.text.startswith("#")
    return None if is_whole else line.cut()
