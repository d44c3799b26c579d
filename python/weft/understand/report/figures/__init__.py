"""The figures: one file per family; `all_figures` lists them all."""

from __future__ import annotations

from weft.understand.report.figures.applications import load_figures
from weft.understand.report.figures.busiest import busiest_figures
from weft.understand.report.figures.counts import aapc_figures, scaling_figures
from weft.understand.report.figures.drawing.figure import Figure
from weft.understand.report.figures.fabric import fabric_figures
from weft.understand.report.figures.file_casts import file_cast_figures
from weft.understand.report.figures.heatmap import heatmap_figures
from weft.understand.report.figures.histogram import histogram_figures
from weft.understand.report.figures.interference import interference_figures
from weft.understand.report.figures.multi_pair import multi_pair_figures
from weft.understand.report.figures.pair.convergence import convergence_figures
from weft.understand.report.figures.pair.evidence import evidence_figures
from weft.understand.report.figures.pair.modes import modes_figures
from weft.understand.report.figures.pair.occupation import inside_figures
from weft.understand.report.figures.pair.signature import signature_figures
from weft.understand.report.figures.studies import study_figures
from weft.understand.report.figures.traffic import traffic_figures
from weft.understand.report.figures.tree import tree_figures
from weft.understand.report.material import ReportMaterial

FAMILIES = [
    signature_figures,
    evidence_figures,
    modes_figures,
    convergence_figures,
    inside_figures,
    tree_figures,
    fabric_figures,
    busiest_figures,
    heatmap_figures,
    aapc_figures,
    histogram_figures,
    scaling_figures,
    load_figures,
    multi_pair_figures,
    study_figures,
    traffic_figures,
    interference_figures,
    file_cast_figures,
]
"""Each makes the figures for which there is data; a new family is a new file and a line."""


def all_figures(material: ReportMaterial) -> list[Figure]:
    """Every figure for which there is data, in the report's order."""
    return [figure for family in FAMILIES for figure in family(material)]


__all__ = ["Figure", "all_figures"]
