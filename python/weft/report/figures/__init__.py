"""The figures: one file per family; `all_figures` knows them all."""

from __future__ import annotations

from collections.abc import Sequence

from weft.report.figures.figure import Figure
from weft.report.figures.signature import signature_figures
from weft.report.series import Series

FAMILIES = [signature_figures]
"""Each makes the figures that the series have data for; a new family is a new file and a line."""


def all_figures(series: Sequence[Series]) -> list[Figure]:
    """Every figure the series have data for, in the report's order."""
    return [figure for family in FAMILIES for figure in family(series)]


__all__ = ["Figure", "all_figures"]
