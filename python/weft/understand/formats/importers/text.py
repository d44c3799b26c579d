"""The text of a result file: its lines, and errors that name the line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.files import text_file

MAX_FILE_BYTES = 64 * 2**20
"""No imported tool prints more in a usual run; a larger file is something else."""

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NUMBER = re.compile(r"[+-]?(\d++\.?+\d*+|\.\d++)([eE][+-]?\d++)?")
_COMMA_NUMBER = re.compile(r"[+-]?\d[\d.]*,\d+")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file. A line that `is_open` lacks its newline, so it may be incomplete."""

    path: Path
    number: int
    text: str
    is_open: bool

    @property
    def fields(self) -> list[str]:
        return self.text.split()

    @property
    def shown(self) -> str:
        """The line as quoted in messages."""
        return repr(self.text.strip()[:_SHOWN])

    def wrong(self, reason: str, hint: str = "") -> RequestError:
        """The error that names file, line and reason."""
        return RequestError(f"{self.path}, line {self.number}: {reason}", hint)

    def refuse(self, reason: str, hint: str = "") -> RequestError:
        """The error that names file, line and reason, and quotes the line."""
        return self.wrong(f"{reason}: {self.shown}", hint)

    def refuse_columns(self, header: Sequence[str], expected: str = "") -> RequestError:
        """The error for a row whose number of fields differs from that of the columns."""
        reason = f"{len(self.fields)} columns, the header has {len(header)}"
        return self.refuse(reason, f"expected {expected or ', '.join(header)}")

    def cut(self, reason: str = "the file ends inside this line") -> Cut:
        return Cut(self, reason)

    def value(self, field: str, what: str) -> float:
        """A number of the line; raises RequestError, naming `what` it should be, if it is none."""
        if _NUMBER.fullmatch(field) and math.isfinite(float(field)):
            return float(field)
        if _COMMA_NUMBER.fullmatch(field):
            raise self.wrong(
                f"{what} is {field!r}: a decimal comma, so the tool ran in another locale",
                "run the tool with LC_ALL=C, or write points for the commas",
            )
        raise self.wrong(f"{what} is {field!r}", "expected a number")

    def positive(self, field: str, what: str) -> float:
        """A number above zero; raises RequestError otherwise."""
        value = self.value(field, what)
        if value <= 0:
            raise self.wrong(f"{what} is {field}", "expected a number above 0")
        return value

    def count(self, field: str, what: str) -> int:
        """A whole number from 0; raises RequestError otherwise."""
        if not re.fullmatch(r"\d{1,15}", field):
            raise self.wrong(f"{what} is {field!r}", "expected a whole number")
        return int(field)


@dataclass(frozen=True)
class Cut:
    """The line in which a file ends too early, and the reason. The results before that line are complete."""

    line: SourceLine
    reason: str


_LABEL = re.compile(
    r"\s*(?:\[[^\]\s]{1,80}\](?:<std(?:out|err)>)?:?|\d{1,7}:|[\w.-]{1,80}:)[ \t]?", re.ASCII
)
"""Labels of launchers before each line: [1,0]<stdout>: (mpirun --tag-output), 0: (srun -l), [OUTPUT], [node-a:0]:"""
_MOST_LABELS = 3
"""Enough for a launcher in a launcher in a test framework."""
_JSON = re.compile(r"^[^\S\n]*+\{", re.MULTILINE)
"""The start of JSON, whose keys match a tool's sign anywhere in a line, even after a label."""


def _labels(line: str) -> Iterator[str]:
    """The labels before a line: the first, the first two, and so on."""
    at = 0
    for _ in range(_MOST_LABELS):
        found = _LABEL.match(line, at)
        if not found:
            return
        at = found.end()
        yield line[:at]


@dataclass(frozen=True)
class Text:
    """A result file without terminal colours. `label` was removed from the start of its lines; `others` are the lines
    without it."""

    path: Path
    text: str
    label: str = ""
    others: tuple[SourceLine, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Text:
        """Reads a file; raises RequestError if it does not exist, is no text, or is empty."""
        text = read_text(path)
        if not text.strip():
            raise RequestError(f"{path}: empty", "give the file that the tool's output went to")
        return cls(path, text)

    @cached_property
    def lines(self) -> list[SourceLine]:
        """All lines; `lines[0]` is line 1."""
        *whole, rest = self.text.split("\n")
        lines = [
            SourceLine(self.path, number, line, False) for number, line in enumerate(whole, start=1)
        ]
        return [*lines, SourceLine(self.path, len(lines) + 1, rest, bool(rest))]

    def without_label(self, sign: re.Pattern[str]) -> Text:
        """The text without the label of its launcher, or unchanged if there is no label.

        The label is that of the first line that shows the `sign` of a tool, or the start of JSON, only without it.
        Lines without the label become empty, so that line numbers stay the same.
        """
        is_shown = sign.search(self.text)
        if is_shown and _JSON.search(self.text):
            return self
        wanted = _JSON if is_shown else sign
        for line in self.lines:
            for label in _labels(line.text):
                if wanted.search(line.text.removeprefix(label)):
                    return self._of(label)
        return self

    def _of(self, label: str) -> Text:
        bare = label.rstrip()
        mine = [line.text.startswith(bare) for line in self.lines]
        kept = [
            line.text.removeprefix(label).removeprefix(bare) if is_mine else ""
            for line, is_mine in zip(self.lines, mine, strict=True)
        ]
        others = [
            line
            for line, is_mine in zip(self.lines, mine, strict=True)
            if not is_mine and line.text.strip()
        ]
        return Text(self.path, "\n".join(kept), bare.strip(), tuple(others))

    @property
    def last(self) -> SourceLine:
        """The last line that is not blank."""
        return next(line for line in reversed(self.lines) if line.text.strip())

    def require(self, sign: re.Pattern[str], expected: str) -> None:
        """Raises RequestError if the file does not contain the sign of a tool."""
        if not sign.search(self.text):
            first = next(line for line in self.lines if line.text.strip())
            raise first.refuse("no output of this tool", expected)


def read_text(path: Path) -> str:
    """The file's text without terminal colours; raises RequestError if it cannot be read as text."""
    try:
        text = text_file.read_text(path, MAX_FILE_BYTES, or_pipe=True)
        text = text_file.with_short_numbers(text, str(path))
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    if "\0" in text:
        raise RequestError(f"{path}: not a text file")
    return _COLOUR.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def same_shape(line: str, other: str) -> bool:
    """Whether two rows have equally many fields with equally many decimals, unlike a row that was cut."""

    def shape(row: str) -> list[int]:
        return [len(field.partition(".")[2]) for field in row.split()]

    return shape(line) == shape(other)
