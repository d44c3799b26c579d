"""What the pages of all reports share: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import vl_convert

from weft import __version__
from weft.base.errors import RequestError, WorkError
from weft.base.files.fresh_file import fresh_file
from weft.base.printable import printable
from weft.understand.drawing.figure import VEGA_LITE_VERSION, Figure, Row
from weft.understand.drawing.theme import config_for

FILE_NAME = "report.html"

MANY_ROWS = 24
"""Longer tables are folded, and open on a click."""

LONG_CELL = 30
"""Longer texts in tables are broken into lines."""

_SNIPPET = "window.vegaEmbed = vegaEmbed;"

_TEMPLATES = Path(__file__).parent / "templates"

_NO_DETAILS = {"details": [], "detail_spec": {"layer": []}}


def render(template: str, data: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """A page, complete: styles, scripts, figures and data are inside. `data` is what its script reads."""
    return (
        environment()
        .get_template(template)
        .render(
            **values,
            version=__version__,
            many_rows=MANY_ROWS,
            long_cell=LONG_CELL,
            data=script_json(_NO_DETAILS | dict(data)),
            bundle=_bundle(),
        )
    )


def write_page(html: str, path: Path) -> Path:
    """Write a page to `path`; an old one is replaced only by a whole new one."""
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


def environment(*folders: Path) -> jinja2.Environment:
    """Templates of these folders, before those of the report."""
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
