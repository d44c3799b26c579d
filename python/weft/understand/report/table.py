"""A table of text for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.table import ResultTable


@dataclass(frozen=True)
class PageTable:
    """Headers and rows of text; the first column names the row.

    `notes` has a sentence for each row, which is shown below it.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, results: ResultTable) -> PageTable:
        """The table of results; intervals are shown as the median with the ends in brackets."""
        shown = results.without("data")
        rows = [
            [column.cell(value) for column, value in zip(shown.columns, row, strict=True)]
            for row in shown.rows
        ]
        return cls([capital(column.heading) for column in shown.columns], rows, shown.notes)


def capital(heading: str) -> str:
    """A heading with a capital letter."""
    return heading[:1].upper() + heading[1:]
