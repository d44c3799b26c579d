"""`weft watch start`: agents at each site, whose measurements are collected in a folder here."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.duration import Duration
from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft watch start sites.toml --out runs/campus")
@click.argument("sites", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder; one that has a watch goes on.  [default: runs/ and the file's name]",
)
@click.option("--for", "for_s", type=Duration(), help="End all agents then, such as 10min or 30d.")
@json_option
def start(sites: Path, out: Path | None, for_s: float | None, as_json: bool) -> None:
    """Watch the links between the sites of a TOML file.

    Ctrl-C ends only this command: the agents continue, and keep their measurements until it is started again with the
    same folder. `weft watch stop` ends them.
    """
    # Code that starts agents is slow to import.
    from weft.links.watch.service import watch_sites
    from weft.links.watch.tell import tell_stderr

    folder = out or Path("runs") / sites.stem
    left = watch_sites(sites, folder, for_s, tell_stderr)
    if as_json:
        print_json({"run": str(folder), "is_stopped": for_s is not None and not left, "left": left})
