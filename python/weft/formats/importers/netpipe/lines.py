"""The lines of NetPIPE's outputs: which ones are results, and where a file was cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from weft.formats.importers.text import Cut, Text

_NUMBER = r"\d+(?:\.\d+)?"
_COLUMNS = re.compile(rf"\s*{_NUMBER}(?:\s+{_NUMBER})*(?:\s+(?:GFlops|GB/sec))?\s*")
_INTEGRITY_COLUMNS = re.compile(r"\s*\d+\s+\d+\s*|\s*\d+ bytes\s+\d+ times\s+-?\d+ failures\s*")
_TALK_START = re.compile(r"\s*\d+:\s+\d+ bytes\s+\d+ times\s+-->")
_TALK_ROW = re.compile(
    rf"\s*\d+:\s+(\d+) bytes\s+(\d+) times\s+-->\s+({_NUMBER}) Mbps in\s+({_NUMBER}) usec\s*"
)

_LOG_STARTS = ("NetPIPE:", "Send and receive buffers", "Sending output to", "Now starting")
_NP_OUT = "give the np.out that NetPIPE's transmitter wrote"

_SHAPES = {3: "3", 5: "4 or 5", 6: "5 with a workload", 7: "4 with a workload"}
"""How many columns the versions have, a unit at the end not counted."""


@dataclass(frozen=True)
class Number:
    """A printed number and how far rounding may have moved it."""

    text: str

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def decimals(self) -> int:
        return len(self.text.partition(".")[2])

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit."""
        return 0.5 * 10.0**-self.decimals


@dataclass(frozen=True)
class Line:
    """One result. `columns` is 0 for a line that NetPIPE 3 printed while it ran.

    `ways` is 2 where the rate counts both directions and the size only one.
    """

    number: int
    text: str
    columns: int
    size_bytes: int
    repeats: int
    rate: Number
    time: Number
    ways: int = 1


Content = tuple[list[Line], Cut | None]
"""The whole results of a file, and the incomplete line after them, if there is one."""


def parse(text: Text) -> Content:
    """Find the results; raises RequestError, with line and reason, where there are none."""
    if any(_TALK_START.match(line) for line in text.lines):
        return _parse_talk(text)
    if any(line.startswith(_LOG_STARTS) for line in text.lines):
        _refuse_log(text)
    return _parse_columns(text)


def _parse_columns(text: Text) -> Content:
    """np.out: nothing but rows of numbers, all of one shape."""
    found: list[Line] = []
    for number, row in text.numbered():
        unterminated = number == len(text.lines) and row != ""
        if not row.strip() and not unterminated:
            continue
        line = _columns_line(number, row)
        if unterminated and (line is None or not _is_whole(line, found)):
            return found, text.cut_at(number)
        if line is None or (found and line.columns != found[0].columns):
            _refuse_columns(text, number, row, found)
        found.append(line)
    return found, None


def _columns_line(number: int, text: str) -> Line | None:
    fields = text.split()
    columns = len(fields) - (fields[-1:] in (["GFlops"], ["GB/sec"]))
    if not _COLUMNS.fullmatch(text) or columns not in _SHAPES or not fields[0].isdigit():
        return None
    time = fields[2] if columns == 3 else fields[4]
    return Line(number, text, columns, int(fields[0]), 1, Number(fields[1]), Number(time))


def _is_whole(line: Line, before: Sequence[Line]) -> bool:
    """Whether a line without its newline has all its digits: each version prints a fixed number."""
    if line.columns in (6, 7):
        return line.text.rstrip().endswith(("GFlops", "GB/sec"))
    usual = {before[0].time.decimals} if before else {8} if line.columns == 3 else {2, 8}
    return line.time.decimals in usual and (not before or before[0].columns == line.columns)


def _refuse_log(text: Text) -> NoReturn:
    raise text.refuse(
        text.last,
        "a NetPIPE log without results, of the receiver or of a run that ended here: "
        f"{text.lines[text.last - 1]!r}",
        _NP_OUT,
    )


def _refuse_columns(text: Text, number: int, row: str, found: Sequence[Line]) -> NoReturn:
    if not found and _INTEGRITY_COLUMNS.fullmatch(row):
        raise text.refuse(
            number,
            "an integrity check (bytes and repeats): it has no times",
            "measure without NetPIPE's -i (--integrity)",
        )
    for field in row.split():
        if "," in field:
            text.value(number, field, "a column")
    expected = (
        f"{found[0].columns} columns as on line {found[0].number}"
        if found
        else "bytes, rate and seconds (NetPIPE 3), or bytes and four more numbers (4 and 5)"
    )
    raise text.refuse(
        number, f"not a row of NetPIPE's np.out: {row[:80]!r}", f"expected {expected}"
    )


def _parse_talk(text: Text) -> Content:
    """What NetPIPE 3 prints while it runs: some sentences, then a line for each size."""
    ways = 1
    found: list[Line] = []
    for number, line in text.numbered():
        if line.startswith("Passing data in both directions"):
            ways = 2
        if line.startswith("Streaming in one direction"):
            raise text.refuse(
                number,
                "a streaming run: it has no ping-pong times",
                "measure without NetPIPE's -s",
            )
        row = _TALK_ROW.fullmatch(line)
        if row:
            size, repeats, rate, time = row.groups()
            found.append(
                Line(number, line, 0, int(size), int(repeats), Number(rate), Number(time), ways)
            )
        elif _TALK_START.match(line):
            _refuse_integrity_talk(text, number, line)
            return found, text.cut_at(number, _why_cut(line))
        elif found and number == len(text.lines) and line:
            return found, text.cut_at(number)
    return found, None


def _why_cut(line: str) -> str:
    if "NetPIPE:" in line:
        return "NetPIPE failed inside this line"
    return "the file ends inside this line, or it is not NetPIPE 3's"


def _refuse_integrity_talk(text: Text, number: int, line: str) -> None:
    if "Integrity check" in line:
        raise text.refuse(
            number,
            "an integrity check: it has no times",
            "measure without NetPIPE's -i",
        )
