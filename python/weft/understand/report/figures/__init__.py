"""The figures: one file per family; `all_figures` lists them all."""

from __future__ import annotations

from pkgutil import resolve_name

from weft.understand.drawing.figure import Figure
from weft.understand.kinds.every import KINDS
from weft.understand.report.figures.busiest import busiest_figures
from weft.understand.report.figures.counts import aapc_figures, scaling_figures
from weft.understand.report.figures.fabric import fabric_figures
from weft.understand.report.figures.heatmap import heatmap_figures
from weft.understand.report.figures.histogram import histogram_figures
from weft.understand.report.figures.pair.convergence import convergence_figures
from weft.understand.report.figures.pair.evidence import evidence_figures
from weft.understand.report.figures.pair.modes import modes_figures
from weft.understand.report.figures.pair.occupation import inside_figures
from weft.understand.report.figures.pair.signature import signature_figures
from weft.understand.report.figures.studies import study_figures
from weft.understand.report.figures.tree import tree_figures
from weft.understand.report.material import ReportMaterial


def kind_figures(material: ReportMaterial) -> list[Figure]:
    """Those of each kind of results; their files take long to import."""
    found: list[Figure] = []
    for kind in KINDS:
        if kind.figures and (steps := material.of_kind(kind)):
            found += resolve_name(kind.figures)(steps, material.labels)
    return found


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
    study_figures,
    kind_figures,
]
"""Each makes the figures for which there is data; a new family is a new file and a line."""


def all_figures(material: ReportMaterial) -> list[Figure]:
    """Every figure for which there is data, in the report's order."""
    return [figure for family in FAMILIES for figure in family(material)]


__all__ = ["Figure", "all_figures"]
