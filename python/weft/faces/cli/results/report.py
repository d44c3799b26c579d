"""`weft report`: runs, or twins, what-ifs and decisions, as one HTML file, and as figures for papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft.faces.cli.output import json_option, print_json

if TYPE_CHECKING:
    from weft.decisions.decision_report.page import DecisionReport
    from weft.understand.report.page import Report


@click.command(epilog="Example: weft report runs/base runs/offload --out both.html")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--out",
    metavar="FILE",
    help="HTML file to write, or a folder for it.  [default: report.html in RUN]",
)
@click.option("--figures", metavar="DIR", help="Also write every figure there, as SVG and PNG.")
@json_option
def report(runs: tuple[str, ...], out: str | None, figures: str | None, as_json: bool) -> None:
    """Write one HTML file about RUN, or runs side by side.

    RUN may also be a folder of `weft twin`, `weft what-if`, `weft decide` or `weft recommend`.
    """
    # Drawing is slow to import: no other command should wait for it.
    from weft.understand.report.frame import FILE_NAME, page_path

    document = _document([Path(run) for run in runs])
    path = document.write(page_path(Path(out)) if out else Path(runs[0]) / FILE_NAME)
    drawn = document.write_figures(Path(figures)) if figures else []
    if as_json:
        print_json(
            {
                "report": str(path),
                "figures": [str(figure) for figure in drawn],
                "warnings": document.warnings,
            }
        )
    else:
        for written in (path, *drawn):
            click.echo(written)


def _document(folders: list[Path]) -> Report | DecisionReport:
    from weft.decisions.decision_report.page import DecisionReport, has_part
    from weft.runs.folder import RunFolder
    from weft.understand.report.page import Report

    if any(map(has_part, folders)):
        return DecisionReport(folders)
    return Report([RunFolder.open(folder) for folder in folders])
