"""The layout of tables on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from weft.base.printable import indented, one_line, printable
from weft.base.table import ResultColumn, ResultTable, ends
from weft.faces.cli.streams import unguarded

_WIDE = 150

NARROWEST = 6
"""Least width of a line in a broken heading, as in "out of" and "order"."""


class Terminal(Console):
    """A console that prints no control characters but its own, and no line of foreign text that looks like one of
    weft's own."""

    @property
    def file(self) -> IO[str]:
        """The stream that it writes to."""
        file: IO[str] = unguarded(super().file)
        return file

    @file.setter
    def file(self, file: IO[str]) -> None:
        self._file = file

    def print(self, *objects: Any, **how: Any) -> None:
        """Newlines before and after are the caller's; others may have come with a name."""
        super().print(*map(_standing_back, objects), **how)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The rendered output; its control codes are rich's own."""
        for one in super().render(renderable, options):
            yield one if one.control else Segment(printable(one.text), one.style)


def _standing_back(part: Any) -> Any:
    if not isinstance(part, str):
        return part
    text = part.strip("\n")
    return part.replace(text, indented(text), 1) if text else part


class _Cells(Table):
    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        super().add_row(*(one_line(one) if isinstance(one, str) else one for one in cells), **how)


def terminal(soft_wrap: bool = False, is_stderr: bool = False) -> Console:
    """Standard output or error, without interpretation of markup."""
    return Terminal(stderr=is_stderr, highlight=False, markup=False, soft_wrap=soft_wrap)


def wide_terminal(soft_wrap: bool = False) -> Console:
    """Standard output for tables whose rows must not be broken, however narrow the terminal is."""
    console = terminal(soft_wrap)
    console.width = max(console.width, _WIDE)
    return console


def print_disturbed(console: Console, reason: str | None) -> None:
    """Print why the following results are inconclusive, if they are."""
    if reason:
        console.print(f"disturbed: {reason}", style="bold", soft_wrap=True)


def titled(console: Console, title: str, *parts: Table | str) -> None:
    """Print parts below a title and an empty line."""
    console.print(f"\n{title}", style="bold")
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def print_table(console: Console, results: ResultTable) -> None:
    """Print a table of results below its title, and the remarks about it; nothing if it has no rows."""
    if results.rows:
        titled(console, results.title, drawn(results, console.width), *results.remarks)


def drawn(results: ResultTable, width: int) -> Table:
    """A column for each value; for an interval one for its median and, if any are known, two for its ends.

    If a row is wider than `width`, headings are broken.
    """
    shown = results.without("page", "data")
    columns: list[tuple[ResultColumn, str, list[str]]] = []
    for at, column in enumerate(shown.columns):
        parts = 3 if column.shown == "everywhere" and shown.has_ends(column) else 1
        for part, heading in enumerate((column.heading, "from", "to")[:parts]):
            cells = [column.text(ends(row[at])[part]) for row in shown.rows]
            columns.append((column, heading, cells))
    is_wide = sum(2 + max(map(len, (head, *cells))) for _, head, cells in columns) > width
    table = _Cells(box=None, padding=(0, 1))
    for column, heading, cells in columns:
        broken = _broken(heading, max(NARROWEST, *map(len, cells))) if is_wide else heading
        table.add_column(broken, justify="left" if column.type in (str, bool) else "right")
    for row in zip(*(cells for _, _, cells in columns), strict=True):
        table.add_row(*row)
    return table


def _broken(heading: str, width: int) -> str:
    return textwrap.fill(heading, width, break_long_words=False)


def record(results: ResultTable) -> Table:
    """The single row of a table, transposed: a line for each value, with the ends of its interval beside it."""
    shown = results.without("page", "data")
    lines = [
        (one.heading or one.label, *map(one.text, ends(value)))
        for one, value in zip(shown.columns, shown.rows[0], strict=True)
    ]
    has_ends = any(low != high for _, _, low, high in lines)
    table = plain_table("", *(("median", "from", "to") if has_ends else ("median",)))
    table.show_header = has_ends
    for line in lines:
        table.add_row(*line[: 4 if has_ends else 2])
    return table


def plain_table(*headings: str, rows: Iterable[Sequence[str]] = ()) -> Table:
    """A table without lines, readable for people and grep; columns with a heading are right-aligned."""
    table = _Cells(box=None, padding=(0, 1))
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        table.add_row(*row)
    return table
