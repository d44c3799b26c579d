"""A table of text, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.table import ResultTable


@dataclass(frozen=True)
class PageTable:
    """Headers and rows of text; the first column names the row.

    `notes` are sentences, one under each row, that would be too long for a column.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, results: ResultTable) -> PageTable:
        """A column for each value, with the ends of intervals in brackets behind the median."""
        shown = results.without("data")
        rows = [
            [column.cell(value) for column, value in zip(shown.columns, row, strict=True)]
            for row in shown.rows
        ]
        return cls([capital(column.heading) for column in shown.columns], rows, shown.notes)


def capital(heading: str) -> str:
    """With a capital letter."""
    return heading[:1].upper() + heading[1:]
