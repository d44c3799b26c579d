"""The lines of NetPIPE's outputs: which ones are results, and where a file was cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from weft.errors import RequestError

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


@dataclass(frozen=True)
class Cut:
    """The line in which a file ends too early."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True)
class Content:
    """The whole results of a file; `cut` is the incomplete line after them, if there is one."""

    lines: list[Line]
    cut: Cut | None


def parse(path: Path, text: str) -> Content:
    """Find the results; raises RequestError, with line and reason, where there are none."""
    lines = text.split("\n")
    if any(_TALK_START.match(line) for line in lines):
        return _parse_talk(path, lines)
    if not text.strip():
        raise RequestError(f"{path}: empty", _NP_OUT)
    if any(line.startswith(_LOG_STARTS) for line in lines):
        _refuse_log(path, lines)
    return _parse_columns(path, lines)


def _parse_columns(path: Path, lines: Sequence[str]) -> Content:
    """np.out: nothing but rows of numbers, all of one shape."""
    found: list[Line] = []
    for number, text in enumerate(lines, start=1):
        unterminated = number == len(lines) and text != ""
        if not text.strip() and not unterminated:
            continue
        line = _columns_line(number, text)
        if unterminated and (line is None or not _is_whole(line, found)):
            return Content(found, Cut(number, text, "the file ends inside this line"))
        if line is None or (found and line.columns != found[0].columns):
            _refuse_columns(path, number, text, found)
        found.append(line)
    return Content(found, None)


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


def _refuse_log(path: Path, lines: Sequence[str]) -> NoReturn:
    number, text = [each for each in enumerate(lines, start=1) if each[1].strip()][-1]
    raise RequestError(
        f"{path}, line {number}: a NetPIPE log without results, of the receiver or of a run that "
        f"ended here: {text!r}",
        _NP_OUT,
    )


def _refuse_columns(path: Path, number: int, text: str, found: Sequence[Line]) -> NoReturn:
    where = f"{path}, line {number}"
    if not found and _INTEGRITY_COLUMNS.fullmatch(text):
        raise RequestError(
            f"{where}: an integrity check (bytes and repeats): it has no times",
            "measure without NetPIPE's -i (--integrity)",
        )
    expected = (
        f"{found[0].columns} columns as on line {found[0].number}"
        if found
        else "bytes, rate and seconds (NetPIPE 3), or bytes and four more numbers (4 and 5)"
    )
    raise RequestError(
        f"{where}: not a row of NetPIPE's np.out: {text[:80]!r}", f"expected {expected}"
    )


def _parse_talk(path: Path, lines: Sequence[str]) -> Content:
    """What NetPIPE 3 prints while it runs: some sentences, then a line for each size."""
    ways = 1
    found: list[Line] = []
    for number, text in enumerate(lines, start=1):
        if text.startswith("Passing data in both directions"):
            ways = 2
        if text.startswith("Streaming in one direction"):
            raise RequestError(
                f"{path}, line {number}: a streaming run: it has no ping-pong times",
                "measure without NetPIPE's -s",
            )
        row = _TALK_ROW.fullmatch(text)
        if row:
            size, repeats, rate, time = row.groups()
            found.append(
                Line(number, text, 0, int(size), int(repeats), Number(rate), Number(time), ways)
            )
        elif _TALK_START.match(text):
            _refuse_integrity_talk(path, number, text)
            return Content(found, Cut(number, text, _why_cut(text)))
        elif found and number == len(lines) and text:
            return Content(found, Cut(number, text, "the file ends inside this line"))
    return Content(found, None)


def _why_cut(text: str) -> str:
    if "NetPIPE:" in text:
        return "NetPIPE failed inside this line"
    return "the file ends inside this line, or it is not NetPIPE 3's"


def _refuse_integrity_talk(path: Path, number: int, text: str) -> None:
    if "Integrity check" in text:
        raise RequestError(
            f"{path}, line {number}: an integrity check: it has no times",
            "measure without NetPIPE's -i",
        )
