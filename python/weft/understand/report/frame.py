"""The common frame of all reports: one self-contained HTML file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import msgspec

from weft import __version__
from weft.base.errors import RequestError, WorkError
from weft.base.files.fresh_file import fresh_file
from weft.base.printable import printable
from weft.understand.drawing.figure import Figure, Row
from weft.understand.drawing.theme import config_for
from weft.understand.report.vega_bundle import vega_bundle

FILE_NAME = "report.html"

MANY_ROWS = 24
"""Longer tables are collapsed, and expand on a click."""

LONG_CELL = 30
"""Longer texts in tables are broken into lines."""

_TEMPLATES = Path(__file__).parent / "templates"

_NO_DETAILS = {"details": [], "detail_spec": {"layer": []}}


def render(template: str, data: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """A complete page with styles, scripts, figures and data. `data` is read by its script."""
    return (
        environment()
        .get_template(template)
        .render(
            **values,
            version=__version__,
            many_rows=MANY_ROWS,
            long_cell=LONG_CELL,
            data=script_json(_NO_DETAILS | dict(data)),
            bundle=vega_bundle(),
        )
    )


def page_path(out: Path) -> Path:
    """Where a page goes that the user wants at `out`: a name without a suffix is a folder, as of figures and tables."""
    return out / FILE_NAME if out.is_dir() or not out.suffix else out


def write_page(html: str, path: Path) -> Path:
    """Write a page to `path`; replaces an old one atomically. Raises RequestError if `path` is a folder, and WorkError
    if it cannot be written."""
    if path.is_dir():
        raise RequestError(f"{path}: is a folder", f"name a file, such as {path / FILE_NAME}")
    temporary = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh_file(temporary) as file:
            file.write(printable(html).encode())
        temporary.replace(path)
    except OSError as error:
        raise WorkError(
            f"{path}: cannot write the report: {error.strerror or error}",
            "choose another --out or free some space",
        ) from error
    return path


def page_data(figures: Iterable[Figure]) -> dict[str, object]:
    """The data for the page's script; a table that several figures share is included once."""
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
    """Rows as columns, which contain every name only once."""
    names = rows[0].keys() if rows else []
    return {name: [row[name] for row in rows] for name in names}


def script_json(document: Any) -> str:
    """JSON escaped so that no text in it can end a script element or a comment."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def environment(*folders: Path) -> jinja2.Environment:
    """An environment with the templates of these folders, which take precedence over those of the report."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["pretty_json"] = lambda value: json.dumps(
        value, indent=2, default=msgspec.to_builtins
    )
    return found
