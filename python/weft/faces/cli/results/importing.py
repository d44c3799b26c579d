"""`weft import`: another tool's result as a run."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_run
from weft.understand.formats.importers import FORMATS, import_file
from weft.understand.formats.importers.imported import MOST_BYTES, ImportOptions


@click.command("import", epilog="Example: weft import netpipe np.out --out runs/np")
@click.argument("format", metavar=f"FORMAT ({', '.join(sorted(FORMATS))})")
@click.argument("file")
@click.option("--out", metavar="DIR", help="Run folder to write.  [default: runs/FILE's stem]")
@click.option("--partial", is_flag=True, help="Import the complete lines of a truncated file.")
@click.option("--bidir", is_flag=True, help="The file counts both directions; halve its sizes.")
@click.option(
    "--size",
    "size_bytes",
    metavar="BYTES",
    type=click.IntRange(1, MOST_BYTES),
    help="Message size, where the file does not state it.",
)
@click.option("--transport", default="unknown", help="Transport of the messages, such as tcp.")
@json_option
def import_(
    format: str,
    file: str,
    out: str | None,
    partial: bool,
    bidir: bool,
    transport: str,
    size_bytes: int | None,
    as_json: bool,
) -> None:
    """Import FILE, a result of another tool, as a run."""
    directory = out or str(Path("runs") / Path(file).stem)
    run = import_file(format, file, directory, ImportOptions(partial, bidir, transport, size_bytes))
    print_run(run, as_json)
