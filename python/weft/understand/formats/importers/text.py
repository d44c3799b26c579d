"""The text of a result file: its lines, and refusals that say where in it."""

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
"""No tool that is imported prints more in a usual run; a larger file is something else."""

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NUMBER = re.compile(r"[+-]?(\d++\.?+\d*+|\.\d++)([eE][+-]?\d++)?")
_COMMA_NUMBER = re.compile(r"[+-]?\d[\d.]*,\d+")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file. One that `is_open` lacks its newline, so that it may have been cut inside."""

    path: Path
    number: int
    text: str
    is_open: bool

    @property
    def fields(self) -> list[str]:
        return self.text.split()

    @property
    def shown(self) -> str:
        """The line as a message quotes it."""
        return repr(self.text.strip()[:_SHOWN])

    def wrong(self, reason: str, hint: str = "") -> RequestError:
        """The error that names file, line and reason."""
        return RequestError(f"{self.path}, line {self.number}: {reason}", hint)

    def refuse(self, reason: str, hint: str = "") -> RequestError:
        """The same, with the line behind the reason."""
        return self.wrong(f"{reason}: {self.shown}", hint)

    def refuse_columns(self, header: Sequence[str], expected: str = "") -> RequestError:
        """The refusal of a row that has not as many fields as there are columns."""
        reason = f"{len(self.fields)} columns, the header has {len(header)}"
        return self.refuse(reason, f"expected {expected or ', '.join(header)}")

    def cut(self, reason: str = "the file ends inside this line") -> Cut:
        return Cut(self, reason)

    def value(self, field: str, what: str) -> float:
        """A number of the line; raises RequestError when it is none, naming what it should be."""
        if _NUMBER.fullmatch(field) and math.isfinite(float(field)):
            return float(field)
        if _COMMA_NUMBER.fullmatch(field):
            raise self.wrong(
                f"{what} is {field!r}: a decimal comma, so the tool ran in another locale",
                "run the tool with LC_ALL=C, or write points for the commas",
            )
        raise self.wrong(f"{what} is {field!r}", "expected a number")

    def positive(self, field: str, what: str) -> float:
        """A number above zero."""
        value = self.value(field, what)
        if value <= 0:
            raise self.wrong(f"{what} is {field}", "expected a number above 0")
        return value

    def count(self, field: str, what: str) -> int:
        """A whole number from 0."""
        if not re.fullmatch(r"\d{1,15}", field):
            raise self.wrong(f"{what} is {field!r}", "expected a whole number")
        return int(field)


@dataclass(frozen=True)
class Cut:
    """The line in which a file ends too early, and why; whole results stand before it."""

    line: SourceLine
    reason: str


_LABEL = re.compile(
    r"\s*(?:\[[^\]\s]{1,80}\](?:<std(?:out|err)>)?:?|\d{1,7}:|[\w.-]{1,80}:)[ \t]?", re.ASCII
)
"""What launchers put before each line: [1,0]<stdout>: (mpirun --tag-output), 0: (srun -l), [OUTPUT], [node-a:0]:"""
_MOST_LABELS = 3
"""A launcher in a launcher, in a test framework."""
_JSON = re.compile(r"^[^\S\n]*+\{", re.MULTILINE)
"""Its keys are a tool's sign wherever they stand in a line, so that a label before them does not hide it."""


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
    """A result file without the terminal's colours. `label` is what was taken off the front of its lines; `others` are
    lines without it."""

    path: Path
    text: str
    label: str = ""
    others: tuple[SourceLine, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Text:
        """Read a file; raises RequestError when there is none, it is no text, or it is empty."""
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
        """The lines that have the label of the first one that, without it, shows the `sign` of a tool, or begins JSON,
        where nothing does as it is. Others become empty, so that numbers of lines stay. The text itself where there is
        no label."""
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
        """The last line with something on it."""
        return next(line for line in reversed(self.lines) if line.text.strip())

    def require(self, sign: re.Pattern[str], expected: str) -> None:
        """Refuse a file without anything that is a tool's own."""
        if not sign.search(self.text):
            first = next(line for line in self.lines if line.text.strip())
            raise first.refuse("no output of this tool", expected)


def read_text(path: Path) -> str:
    """The file's text without colours; raises RequestError when it cannot be read as text."""
    try:
        text = text_file.read_text(path, MAX_FILE_BYTES, or_pipe=True)
        text = text_file.with_short_numbers(text, str(path))
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    if "\0" in text:
        raise RequestError(f"{path}: not a text file")
    return _COLOUR.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def same_shape(line: str, other: str) -> bool:
    """Whether two rows have as many fields with as many decimals: a row cut inside has not."""

    def shape(row: str) -> list[int]:
        return [len(field.partition(".")[2]) for field in row.split()]

    return shape(line) == shape(other)
