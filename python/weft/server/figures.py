"""The report's figures of a run as JSON on standard output: python -m weft.server.figures RUN."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import vl_convert

from weft.errors import WeftError
from weft.report.figures import Figure, all_figures
from weft.report.figures.drawing.figure import VEGA_LITE_VERSION
from weft.report.material import Material
from weft.runs.folder import Run


def main() -> None:
    """A process of its own, since drawing takes hundreds of megabytes for a moment."""
    try:
        figures = all_figures(Material([Run.open(sys.argv[1])]))
        document: dict[str, Any] = {"figures": [_drawn(figure) for figure in figures]}
    except WeftError as error:
        document = {"error": {"message": error.message, "hint": error.hint}}
    sys.stdout.buffer.write(msgspec.json.encode(document))


def _drawn(figure: Figure) -> dict[str, str]:
    svg = vl_convert.vegalite_to_svg(
        figure.paper_spec(), vl_version=VEGA_LITE_VERSION, allowed_base_urls=[]
    )
    return {"name": figure.name, "title": figure.title, "caption": figure.caption, "svg": svg}


if __name__ == "__main__":
    main()
