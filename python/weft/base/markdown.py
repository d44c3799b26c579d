"""Markdown tables for reference pages that are generated from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table: the head and one line a row; "|" in a cell is escaped."""
    yield _line(head)
    yield _line(["---"] * len(head))
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return "|".join(["", *(cell.replace("|", r"\|") for cell in cells), ""])
