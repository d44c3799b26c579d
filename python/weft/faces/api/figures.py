"""The report's figures as Altair charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft.base.catalog import known_names
from weft.base.errors import RequestError

if TYPE_CHECKING:
    import altair

    from weft.runs.folder import RunFolder
    from weft.understand.report.figures.drawing.figure import Figure

BEST_FIRST = ("signature", "laws", "heatmap", "aapc")
"""The figure drawn by default: the first of these that exists, else the report's first."""


def figures_of(runs: Sequence[RunFolder]) -> list[Figure]:
    """Every figure for which there is data, in the report's order."""
    from weft.understand.report.page import Report  # drawing is slow to import

    return Report(runs).figures


def chosen(figures: Sequence[Figure], name: str | None) -> altair.TopLevelMixin:
    """The figure of this name as a chart, or the most informative one; raises RequestError if there is none."""
    names = [figure.name for figure in figures]
    if not names:
        raise RequestError("nothing to plot: nothing was measured that a figure shows")
    wanted = name or next((best for best in BEST_FIRST if best in names), names[0])
    if wanted not in names:
        raise RequestError(f"no figure {wanted!r}", known_names(wanted, names))
    return chart(figures[names.index(wanted)])


def chart(figure: Figure) -> altair.TopLevelMixin:
    """A figure with its data and colours, as a chart that notebooks show and `save` writes."""
    import altair

    spec = figure.paper_spec()
    # Vega accepts this key, but Altair, which validates its input, does not know it.
    del spec["config"]["legend"]["layout"]
    kinds: dict[str, type[altair.TopLevelMixin]] = {
        "layer": altair.LayerChart,
        "hconcat": altair.HConcatChart,
        "vconcat": altair.VConcatChart,
        "facet": altair.FacetChart,
    }
    # Altair finds the kind by trial, which takes a second for large figures.
    kind = next((kinds[key] for key in kinds if key in spec), altair.Chart)
    found: altair.TopLevelMixin = kind.from_dict(  # type: ignore[attr-defined]
        spec, validate=False
    )
    return found
