"""The script that draws the figures of a page: Vega, Vega-Lite and Vega-Embed."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import vl_convert

from weft.base.errors import RequestError
from weft.base.files.fresh_file import fresh_file
from weft.base.files.private_folder import cache_folder
from weft.understand.report.figures.drawing.figure import VEGA_LITE_VERSION

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


@functools.cache
def vega_bundle() -> str:
    """The script, escaped for a script element. Bundling takes seconds, so it is kept in the user's cache if
    possible."""
    name = f"vega-{VEGA_LITE_VERSION}-{version('vl-convert-python')}.js"
    try:
        path = cache_folder("pages") / name
    except (OSError, RequestError):
        return _made()
    if not path.exists():
        made = _made()
        with suppress(OSError):
            _keep(made, path)
        return made
    return path.read_text(encoding="utf-8")


def _keep(text: str, path: Path) -> None:
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        with fresh_file(temporary) as file:
            file.write(text.encode())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _made() -> str:
    source = vl_convert.javascript_bundle(_SNIPPET, VEGA_LITE_VERSION)
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")
