"""The figures of a run's report: python -m weft.faces.server.figures RUN writes each as NAME.svg to its working
directory, and prints a list of them as JSON."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import vl_convert

from weft.base.errors import WeftError
from weft.runs.folder import RunFolder
from weft.understand.report.figures import Figure, all_figures
from weft.understand.report.figures.drawing.figure import VEGA_LITE_VERSION
from weft.understand.report.material import ReportMaterial


def main() -> None:
    """Run in a process of its own, because drawing briefly takes hundreds of megabytes."""
    try:
        figures = all_figures(ReportMaterial([RunFolder.open(sys.argv[1])]))
        print(msgspec.json.encode([_drawn(figure) for figure in figures]).decode())
    except WeftError as error:
        document = {"error": {"message": error.message, "hint": error.hint}}
        print(msgspec.json.encode(document).decode())
        sys.exit(error.exit_code)


def _drawn(figure: Figure) -> dict[str, str]:
    svg = vl_convert.vegalite_to_svg(
        figure.paper_spec(), vl_version=VEGA_LITE_VERSION, allowed_base_urls=[]
    )
    file = Path(f"{figure.name}.svg")
    file.write_text(svg, encoding="utf-8")
    said = {"name": figure.name, "title": figure.title, "caption": figure.caption}
    return {**said, "address": f"figures/{file}"}


if __name__ == "__main__":
    main()
