"""`weft sweep-task`: a part of a sweep, for schedulers."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json
from weft.simulation.sweep.folder import SweepFolder


@click.command(hidden=True, epilog="Example: weft sweep-task decisions/next 0 1 2")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("chunks", nargs=-1, required=True, type=int)
@json_option
def sweep_task(folder: Path, chunks: tuple[int, ...], as_json: bool) -> None:
    """Compute CHUNKS of the sweep in FOLDER, as `weft decide --list` and Slurm name them."""
    here = SweepFolder(folder)
    for chunk in chunks:
        here.compute(chunk)
    if as_json:
        print_json({"files": [str(here.chunk_file(chunk)) for chunk in chunks]})
