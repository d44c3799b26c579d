"""`weft watch report`: what happened on the links of a watch, as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json, print_warning
from weft.faces.cli.watch.messages import message_bytes, message_option, ranks_option
from weft.faces.cli.watch.since import begin_s, since_option


@click.command(epilog="Example: weft watch report links --since 30d")
@click.argument("folder")
@click.option(
    "--out", metavar="FILE", help="HTML file, or a folder for it.  [default: report.html in FOLDER]"
)
@click.option("--figures", metavar="DIR", help="Also write every figure there, as SVG and PNG.")
@since_option
@message_option
@ranks_option
@json_option
def report(
    folder: str,
    out: str | None,
    figures: str | None,
    since: str | None,
    message: str | None,
    ranks: int | None,
    as_json: bool,
) -> None:
    """Write one HTML file about the links in FOLDER.

    It has a strip by day for each link, a map of the week, alpha and beta, outages and changes, and what a message
    (1 MB) and an all-to-all (16 ranks) would take.
    """
    # Drawing is slow to import: no other command should wait for it.
    from weft.faces.api.watch import open_watch
    from weft.understand.report.frame import FILE_NAME

    watched = open_watch(folder, begin_s(since))
    for damage in watched.damage:
        print_warning(damage)
    document = watched.page(message_bytes(message) or 1_000_000, ranks or 16)
    wanted = Path(out or folder)
    path = document.write(wanted / FILE_NAME if wanted.is_dir() else wanted)
    drawn = document.write_figures(Path(figures)) if figures else []
    if as_json:
        print_json({"report": str(path), "figures": [str(one) for one in drawn]})
        return
    for written in (path, *drawn):
        click.echo(written)
