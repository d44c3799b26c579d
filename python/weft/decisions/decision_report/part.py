"""One folder's part of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.table import ResultTable
from weft.understand.report.figures.drawing.figure import Figure


@dataclass(frozen=True)
class ReportPart:
    """The text, figures and tables of one folder. `verdict` are sentences."""

    title: str
    verdict: Sequence[str]
    figures: Sequence[Figure] = ()
    tables: Sequence[ResultTable] = ()
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
