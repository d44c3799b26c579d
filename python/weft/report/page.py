"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import vl_convert

from weft import __version__, quantity
from weft.diagnosis.race import words
from weft.errors import RequestError, WorkError
from weft.report import facts, limits, routes, verdict
from weft.report.details import detail_spec, details
from weft.report.figures import Figure, all_figures
from weft.report.figures.drawing.figure import VEGA_LITE_VERSION, Row
from weft.report.figures.drawing.theme import colour_of, config_for, dash_of
from weft.report.material import Material
from weft.runs.folder import Run

FILE_NAME = "report.html"

MANY_ROWS = 24
"""Longer tables are folded, and open on a click."""

LONG_CELL = 30
"""Longer texts in tables are broken into lines."""

NO_PINGPONG = "no-pingpong"
"""The note of every streamed curve: its verdict gives no latency, so no warning is needed."""

_SNIPPET = "window.vegaEmbed = vegaEmbed;"

_HERE = Path(__file__).parent


class Report(Material):
    """The page about some runs, and their figures."""

    @cached_property
    def figures(self) -> list[Figure]:
        """The figures that the runs have data for."""
        return all_figures(self)

    @cached_property
    def empty_runs(self) -> list[Run]:
        """The runs that measured nothing."""
        parts = (self.series, self.ensembles, self.loads, self.pairs)
        measured = {id(one.run) for part in parts for one in part}
        return [run for run in self.runs if id(run) not in measured]

    @cached_property
    def warnings(self) -> list[dict[str, str]]:
        """The warnings of all runs, then what their signatures lack; each names its run."""
        found = [
            {"run": name, **asdict(warning)}
            for name, run in zip(self.names, self.runs, strict=True)
            for warning in run.meta.warnings
        ]
        found += [
            {"run": one.label, **asdict(note)}
            for one in self.series
            for note in one.signature.notes
            if note.code != NO_PINGPONG
        ]
        return [warning for i, warning in enumerate(found) if warning not in found[:i]]

    def html(self) -> str:
        """The page, complete: styles, scripts, figures and data are inside."""
        return _template().render(
            report=self,
            facts=facts,
            version=__version__,
            quantity=quantity,
            verdict=verdict,
            swatch=_swatch,
            limits=limits,
            routes=routes,
            race=words,
            many_rows=MANY_ROWS,
            long_cell=LONG_CELL,
            data=script_json(
                page_data(self.figures) | {"details": details(self), "detail_spec": detail_spec()}
            ),
            bundle=_bundle(),
        )

    def write(self, path: Path) -> Path:
        """Write the page to `path`; an old one is replaced only by a whole new one."""
        if path.is_dir():
            raise RequestError(f"{path}: is a folder", f"name a file, such as {path / FILE_NAME}")
        html = self.html()
        temporary = path.with_name(path.name + ".new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(html, encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            raise WorkError(
                f"{path}: cannot write the report: {error.strerror or error}",
                "choose another --out or free some space",
            ) from error
        return path

    def write_figures(self, directory: Path) -> list[Path]:
        """Write every figure as SVG and PNG."""
        return [path for figure in self.figures for path in figure.write(directory)]


def write_report(runs: Sequence[Run], path: Path) -> Path:
    """Report `runs` in one HTML file."""
    return Report(runs).write(path)


def write_figures(runs: Sequence[Run], directory: Path) -> list[Path]:
    """Draw the figures of `runs` as SVG and PNG."""
    return Report(runs).write_figures(directory)


def page_data(figures: Iterable[Figure]) -> dict[str, Any]:
    """What the page's script draws from; a table that figures share is there once."""
    tables: dict[str, Sequence[Row]] = {}
    drawn = []
    for figure in figures:
        for name, rows in figure.tables.items():
            assert tables.setdefault(name, rows) is rows, f"two tables are called {name!r}"
        own = {"name": figure.name, "square": figure.square, "tables": list(figure.tables)}
        drawn.append({**own, "spec": figure.spec()})
    return {
        "figures": drawn,
        "tables": {name: columns_of(rows) for name, rows in tables.items()},
        "configs": {mode: config_for(mode) for mode in ("light", "dark")},
    }


def columns_of(rows: Sequence[Row]) -> Mapping[str, Sequence[Any]]:
    """Rows as columns, which say every name once."""
    names = rows[0].keys() if rows else []
    return {name: [row[name] for row in rows] for name in names}


def script_json(document: Any) -> str:
    """JSON that no text in it can break out of a script element with, nor a comment in it."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@functools.cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, which takes a second to put together."""
    source = vl_convert.javascript_bundle(_SNIPPET, VEGA_LITE_VERSION)
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["pretty_json"] = lambda value: json.dumps(
        value, indent=2, default=msgspec.to_builtins
    )
    return environment.get_template("page.html.j2")


def _swatch(index: int) -> dict[str, str]:
    return {
        "light": colour_of(index, "light"),
        "dark": colour_of(index, "dark"),
        "dash": " ".join(map(str, dash_of(index))),
    }
