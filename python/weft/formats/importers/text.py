"""The text of a result file, and refusals that say where in it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from weft.errors import RequestError
from weft.regular_file import open_file

MAX_FILE_BYTES = 64 * 2**20
"""No tool that is imported prints more in a usual run; a larger file is something else."""

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?\d[\d.]*,\d+")
_SHOWN = 80


@dataclass(frozen=True)
class Cut:
    """The line in which a file ends too early; whole results stand before it."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True)
class Text:
    """A result file without the terminal's colours; `lines[0]` is line 1."""

    path: Path
    text: str
    lines: list[str]

    @classmethod
    def read(cls, path: Path) -> Text:
        """Read a file; raises RequestError when there is none, it is no text, or it is empty."""
        text = read_text(path)
        if not text.strip():
            raise RequestError(f"{path}: empty", "give the file that the tool's output went to")
        return cls(path, text, text.split("\n"))

    def numbered(self, first: int = 1) -> Iterator[tuple[int, str]]:
        """The lines from line `first` on, each with its number."""
        yield from enumerate(self.lines[first - 1 :], start=first)

    @property
    def last(self) -> int:
        """The number of the last line with something on it."""
        return max(number for number, line in self.numbered() if line.strip())

    @property
    def is_terminated(self) -> bool:
        """Whether the last line has its newline, so that it cannot have been cut inside."""
        return self.text.endswith("\n")

    def refuse(self, number: int, reason: str, hint: str = "") -> RequestError:
        """The error that names file, line and reason."""
        return RequestError(f"{self.path}, line {number}: {reason}", hint)

    def require(self, sign: re.Pattern[str], expected: str) -> None:
        """Refuse a file without anything that is a tool's own."""
        if not sign.search(self.text):
            first = next(number for number, line in self.numbered() if line.strip())
            raise self.refuse(first, f"no output of this tool: {self.shown(first)}", expected)

    def cut_at(self, number: int, reason: str = "the file ends inside this line") -> Cut:
        return Cut(number, self.lines[number - 1], reason)

    def shown(self, number: int) -> str:
        """A line as a message quotes it."""
        return repr(self.lines[number - 1].strip()[:_SHOWN])

    def value(self, number: int, field: str, what: str) -> float:
        """A number of a line; raises RequestError when it is none, naming what it should be."""
        if _NUMBER.fullmatch(field) and math.isfinite(float(field)):
            return float(field)
        if _COMMA_NUMBER.fullmatch(field):
            raise self.refuse(
                number,
                f"{what} is {field!r}: a decimal comma, so the tool ran in another locale",
                "run the tool with LC_ALL=C, or write points for the commas",
            )
        raise self.refuse(number, f"{what} is {field!r}", "expected a number")

    def positive(self, number: int, field: str, what: str) -> float:
        """A number above zero."""
        value = self.value(number, field, what)
        if value <= 0:
            raise self.refuse(number, f"{what} is {field}", "expected a number above 0")
        return value

    def count(self, number: int, field: str, what: str) -> int:
        """A whole number from 0."""
        if not re.fullmatch(r"\d{1,15}", field):
            raise self.refuse(number, f"{what} is {field!r}", "expected a whole number")
        return int(field)


def read_text(path: Path) -> str:
    """The file's text without colours; raises RequestError when it cannot be read as text."""
    try:
        with TextIOWrapper(open_file(path, or_pipe=True), encoding="utf-8-sig") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file") from None
    if len(text) > MAX_FILE_BYTES:
        raise RequestError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB, not a result file")
    if "\0" in text:
        raise RequestError(f"{path}: not a text file")
    return _COLOUR.sub("", text)


def same_shape(line: str, other: str) -> bool:
    """Whether two rows have as many fields with as many decimals: a row cut inside has not."""

    def shape(row: str) -> list[int]:
        return [len(field.partition(".")[2]) for field in row.split()]

    return shape(line) == shape(other)
