"""Twins, what-ifs, decisions and recommendations as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from weft.base.errors import RequestError
from weft.decisions.decision.folder import DECISION
from weft.decisions.decision_report.decision import decision_part
from weft.decisions.decision_report.part import ReportPart
from weft.decisions.decision_report.recommendations import recommendations_part
from weft.decisions.decision_report.twin import twin_part
from weft.decisions.decision_report.what_if import what_if_part
from weft.decisions.recommendations.folder import RECOMMENDATIONS
from weft.decisions.twin.twin import TWIN
from weft.decisions.what_if.result import WHAT_IF
from weft.understand.report.figures.drawing.figure import Figure
from weft.understand.report.frame import page_data, render, write_page
from weft.understand.report.table import PageTable

Maker = Callable[[Path, int], ReportPart]

KINDS: dict[str, Maker] = {
    TWIN.name: twin_part,
    WHAT_IF.name: what_if_part,
    DECISION.name: decision_part,
    RECOMMENDATIONS.name: recommendations_part,
}
"""For each kind of folder, by its file: the function that makes its part of the page."""


def has_part(folder: Path) -> bool:
    """Whether a folder is a twin, a what-if or a decision, or has recommendations."""
    return _maker(folder) is not None


class DecisionReport:
    """The page about some folders; raises RequestError for a folder of another kind."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders

    @cached_property
    def parts(self) -> list[ReportPart]:
        """The part of each folder, in the order given."""
        return [_part(folder, number) for number, folder in enumerate(self.folders, 1)]

    @property
    def figures(self) -> list[Figure]:
        """The figures of all parts."""
        return [figure for part in self.parts for figure in part.figures]

    @property
    def warnings(self) -> list[str]:
        """The warnings of all folders."""
        return [warning for part in self.parts for warning in part.warnings]

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.parts[0].title if len(self.parts) == 1 else "Twins, what-ifs and decisions"

    def html(self) -> str:
        """The page with embedded styles, scripts, figures and data."""
        names = {"report": self, "page_table": PageTable.of}
        return render("decisions.html.j2", page_data(self.figures), names)

    def write(self, path: Path) -> Path:
        """Write the page to `path`; an existing file is replaced only once the new one is complete."""
        return write_page(self.html(), path)

    def write_figures(self, directory: Path) -> list[Path]:
        """Write every figure as SVG and PNG."""
        return [path for figure in self.figures for path in figure.write(directory)]


def _maker(folder: Path) -> Maker | None:
    return next((make for name, make in KINDS.items() if (folder / name).is_file()), None)


def _part(folder: Path, number: int) -> ReportPart:
    make = _maker(folder)
    if make is None:
        raise RequestError(
            f"{folder}: neither a twin, a what-if, a decision nor recommendations",
            "runs have a report of their own: give them to another `weft report`",
        )
    return make(folder, number)
