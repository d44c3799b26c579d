"""The lines of NetPIPE's outputs: which are results, and where a file was cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from weft.understand.formats.importers.text import Cut, SourceLine, Text

_NUMBER = r"\d+(?:\.\d+)?"
_COLUMNS = re.compile(rf"\s*{_NUMBER}(?:\s+{_NUMBER})*(?:\s+(?:GFlops|GB/sec))?\s*")
_INTEGRITY_COLUMNS = re.compile(r"\s*\d+\s+\d+\s*|\s*\d+ bytes\s+\d+ times\s+-?\d+ failures\s*")
_TALK_START = re.compile(r"\s*\d+:\s+\d+ bytes\s+\d+ times\s+-->")
_TALK_ROW = re.compile(
    rf"\s*\d+:\s+(\d+) bytes\s+(\d+) times\s+-->\s+({_NUMBER}) Mbps in\s+({_NUMBER}) usec\s*"
)

_LOG_STARTS = ("NetPIPE:", "Send and receive buffers", "Sending output to", "Now starting")

_SHAPES = {3: "3", 5: "4 or 5", 6: "5 with a workload", 7: "4 with a workload"}
"""Versions by their number of columns, without a unit at the end."""


@dataclass(frozen=True)
class Number:
    """A printed number with its rounding error."""

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
class Result:
    """The result of one line. `columns` is 0 for NetPIPE 3's screen output.

    `ways` is 2 if the rate counts both directions and the size only one.
    """

    line: SourceLine
    columns: int
    size_bytes: int
    repeats: int
    rate: Number
    time: Number
    ways: int = 1


Content = tuple[list[Result], Cut | None]
"""The complete results of a file, and the incomplete line after them, if any."""


def parse(text: Text) -> Content:
    """Finds the results; raises RequestError, with line and reason, if there are none."""
    if any(_TALK_START.match(line.text) for line in text.lines):
        return _parse_talk(text)
    if any(line.text.startswith(_LOG_STARTS) for line in text.lines):
        raise text.last.wrong(
            "a NetPIPE log without results, of the receiver or of a run that ended here: "
            f"{text.last.text!r}",
            "give the np.out that NetPIPE's transmitter wrote",
        )
    return _parse_columns(text)


def _parse_columns(text: Text) -> Content:
    """Parses np.out: only rows of numbers, all of one shape."""
    found: list[Result] = []
    for line in text.lines:
        if not line.text.strip() and not line.is_open:
            continue
        result = _columns_result(line)
        if line.is_open and (result is None or not _is_whole(result, found)):
            return found, line.cut()
        if result is None or (found and result.columns != found[0].columns):
            _refuse_columns(line, found)
        found.append(result)
    return found, None


def _columns_result(line: SourceLine) -> Result | None:
    fields = line.fields
    columns = len(fields) - (fields[-1:] in (["GFlops"], ["GB/sec"]))
    if not _COLUMNS.fullmatch(line.text) or columns not in _SHAPES or not fields[0].isdigit():
        return None
    time = fields[2] if columns == 3 else fields[4]
    return Result(line, columns, int(fields[0]), 1, Number(fields[1]), Number(time))


def _is_whole(result: Result, before: Sequence[Result]) -> bool:
    """Whether a line without its newline has all its digits, whose number is fixed in each version."""
    if result.columns in (6, 7):
        return result.line.text.rstrip().endswith(("GFlops", "GB/sec"))
    usual = {before[0].time.decimals} if before else {8} if result.columns == 3 else {2, 8}
    same_columns = not before or before[0].columns == result.columns
    return result.time.decimals in usual and same_columns


def _refuse_columns(line: SourceLine, found: Sequence[Result]) -> NoReturn:
    if not found and _INTEGRITY_COLUMNS.fullmatch(line.text):
        raise line.wrong(
            "an integrity check (bytes and repeats): it has no times",
            "measure without NetPIPE's -i (--integrity)",
        )
    for field in line.fields:
        if "," in field:
            line.value(field, "a column")
    expected = (
        f"{found[0].columns} columns as on line {found[0].line.number}"
        if found
        else "bytes, rate and seconds (NetPIPE 3), or bytes and four more numbers (4 and 5)"
    )
    raise line.wrong(f"not a row of NetPIPE's np.out: {line.text[:80]!r}", f"expected {expected}")


def _parse_talk(text: Text) -> Content:
    """Parses NetPIPE 3's screen output: some sentences, then a line for each size."""
    ways = 1
    found: list[Result] = []
    for line in text.lines:
        if line.text.startswith("Passing data in both directions"):
            ways = 2
        if line.text.startswith("Streaming in one direction"):
            reason = "a streaming run: it has no ping-pong times"
            raise line.wrong(reason, "measure without NetPIPE's -s")
        if row := _TALK_ROW.fullmatch(line.text):
            size, repeats, rate, time = row.groups()
            numbers = Number(rate), Number(time)
            found.append(Result(line, 0, int(size), int(repeats), *numbers, ways))
        elif _TALK_START.match(line.text):
            return found, line.cut(_why_cut(line))
        elif found and line.is_open:
            return found, line.cut()
    return found, None


def _why_cut(line: SourceLine) -> str:
    if "Integrity check" in line.text:
        raise line.wrong("an integrity check: it has no times", "measure without NetPIPE's -i")
    if "NetPIPE:" in line.text:
        return "NetPIPE failed inside this line"
    return "the file ends inside this line, or it is not NetPIPE 3's"
