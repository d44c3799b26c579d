"""The report: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from weft.runs.folder import RunFolder
from weft.understand.race import words
from weft.understand.report import facts, limits, routes, verdict
from weft.understand.report.details import detail_spec, details
from weft.understand.report.figures import Figure, all_figures
from weft.understand.report.figures.drawing.theme import colour_of, dash_of
from weft.understand.report.frame import page_data, render, write_page
from weft.understand.report.material import ReportMaterial

NO_PINGPONG = "no-pingpong"
"""The note of every streamed curve: its verdict gives no latency, so no warning is needed."""


class Report(ReportMaterial):
    """The page about some runs, and their figures."""

    @cached_property
    def figures(self) -> list[Figure]:
        """The figures for which the runs have data."""
        return all_figures(self)

    @property
    def named_runs(self) -> list[tuple[str, RunFolder]]:
        """Each run with its name."""
        return list(zip(self.names, self.runs, strict=True))

    @cached_property
    def empty_runs(self) -> list[RunFolder]:
        """The runs without measurements."""
        parts = (self.series, self.ensembles, self.applications)
        measured = {id(one.run) for part in parts for one in part}
        return [run for run in self.runs if id(run) not in measured]

    @cached_property
    def warnings(self) -> list[dict[str, str]]:
        """The warnings of all runs and their predictions, and the notes of their signatures; each names its run."""
        found = [
            {"run": name, **asdict(warning)}
            for name, run in self.named_runs
            for warning in run.meta.warnings
        ]
        found += [
            {"run": name, **asdict(warning)}
            for name, one in self.predictions
            for warning in one.warnings
        ]
        found += [
            {"run": one.label, **asdict(note)}
            for one in self.series
            for note in one.signature.notes
            if note.code != NO_PINGPONG
        ]
        return [warning for i, warning in enumerate(found) if warning not in found[:i]]

    def html(self) -> str:
        """The complete page with styles, scripts, figures and data."""
        data = page_data(self.figures) | {
            "details": details(self),
            "detail_spec": detail_spec(),
        }
        values = {
            "report": self,
            "facts": facts,
            "verdict": verdict,
            "swatch": _swatch,
            "limits": limits,
            "routes": routes,
            "race": words,
        }
        return render("page.html.j2", data, values)

    def write(self, path: Path) -> Path:
        """Write the page to `path`; replaces an old one atomically. Raises RequestError or WorkError if it cannot."""
        return write_page(self.html(), path)

    def write_figures(self, directory: Path) -> list[Path]:
        """Write every figure as SVG and PNG."""
        return [path for figure in self.figures for path in figure.write(directory)]


def write_report(runs: Sequence[RunFolder], path: Path) -> Path:
    """Report `runs` in one HTML file."""
    return Report(runs).write(path)


def write_figures(runs: Sequence[RunFolder], directory: Path) -> list[Path]:
    """Draw the figures of `runs` as SVG and PNG."""
    return Report(runs).write_figures(directory)


def _swatch(index: int) -> dict[str, str]:
    return {
        "light": colour_of(index, "light"),
        "dark": colour_of(index, "dark"),
        "dash": " ".join(map(str, dash_of(index))),
    }
