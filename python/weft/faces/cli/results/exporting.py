"""`weft export`: a run in another tool's format."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json, write_file
from weft.runs.folder import RunFolder
from weft.understand.formats.exporters import FORMATS, export_run


@click.command(epilog="Example: weft export runs/pair netpipe")
@click.argument("run")
@click.argument("format", metavar=f"FORMAT ({', '.join(sorted(FORMATS))})")
@click.option("--out", metavar="FILE", help="File to write.  [default: standard output]")
@json_option
def export(run: str, format: str, out: str | None, as_json: bool) -> None:
    """Write RUN in the format of another tool."""
    text = export_run(RunFolder.open(run), format)
    if out is not None:
        write_file(Path(out), text)
    if as_json:
        print_json({"run": run, "format": format, "file": out, "text": None if out else text})
    elif out is None:
        click.echo(text, nl=False)
