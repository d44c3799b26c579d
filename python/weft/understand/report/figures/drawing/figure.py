"""A figure: one Vega-Lite specification from which page, SVG and PNG are made."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from weft.base.errors import WorkError
from weft.understand.report.figures.drawing.theme import config_for

Row = dict[str, Any]
Spec = dict[str, Any]

VEGA_LITE_VERSION = alt.SCHEMA_VERSION.removeprefix("v").rpartition(".")[0]
"""The version of Vega-Lite that Altair targets, as vl_convert names it: "6.4"."""

PAPER_PPI = 200
LINE = 120
"""Characters in a line of a caption on paper."""


@dataclass(frozen=True)
class Figure:
    """A chart and the named tables that it draws; several figures may share a table.

    A `square` figure is as high as wide and zooms in both directions.
    """

    name: str
    title: str
    caption: str
    chart: Spec
    tables: Mapping[str, Sequence[Row]]
    square: bool = False

    @property
    def zooms(self) -> bool:
        """Whether the figure can be zoomed; several panels have no common view."""
        return not {"hconcat", "vconcat"} & self.chart.keys()

    def spec(self) -> Spec:
        """The specification with its title, without the tables' rows and without colours."""
        title = {"text": self.title, "subtitle": textwrap.wrap(self.caption, LINE)}
        return {**self.chart, "title": title, "description": f"{self.title}. {self.caption}"}

    def paper_spec(self) -> Spec:
        """The whole specification in light colours: for SVG and PNG."""
        datasets = {name: list(rows) for name, rows in self.tables.items()}
        return {**self.spec(), "datasets": datasets, "config": config_for("light")}

    def untitled_svg(self) -> str:
        """The figure as SVG without title and caption, for pages that show these themselves."""
        spec = {key: value for key, value in self.paper_spec().items() if key != "title"}
        svg: str = vl_convert.vegalite_to_svg(
            spec, vl_version=VEGA_LITE_VERSION, allowed_base_urls=[]
        )
        return svg

    def write(self, directory: Path) -> list[Path]:
        """Write NAME.svg and NAME.png; raises WorkError if they cannot be written."""
        spec = self.paper_spec()
        svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE_VERSION, allowed_base_urls=[])
        png = vl_convert.svg_to_png(svg, ppi=PAPER_PPI)
        return [
            _write(directory / f"{self.name}.svg", svg.encode()),
            _write(directory / f"{self.name}.png", png),
        ]


def _write(path: Path, content: bytes) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise WorkError(
            f"{path}: cannot write the figure: {error.strerror or error}",
            "choose another --figures folder or free some space",
        ) from error
    return path


def chart_spec(chart: alt.TopLevelMixin) -> Spec:
    """The chart as plain Vega-Lite, without the theme that Altair would add."""
    spec: Spec = chart.to_dict(validate=False)
    spec.pop("config", None)
    return spec


def short(value: float, digits: int = 6) -> float:
    """A value rounded to significant digits to keep the page small; six are finer than a pixel at any useful zoom."""
    return float(f"{value:.{digits}g}")
