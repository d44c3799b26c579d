"""A table of text, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Headers and rows of text; the first column names the row.

    `notes` are sentences, one under each row, that would be too long for a column.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
