"""`weft watch replay`: what another tool measured as the folder of a watch."""

from __future__ import annotations

from pathlib import Path

import click

from weft.cli.output import json_option, print_json
from weft.formats.probes.read import read_probes
from weft.watch.importing import write_watch


@click.command(epilog="Example: weft watch replay ping.txt --out links --src lab-a")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--src", default="here", show_default=True, help="The name of the probing site.")
@json_option
def replay(file: Path, out: Path, src: str, as_json: bool) -> None:
    """Turn FILE of another monitor into a watch.

    FILE has the output of `ping -D -O` or `fping -D`, or ping results of RIPE Atlas as JSON.
    """
    name, found = read_probes(file, src)
    write_watch(out, found, name)
    probes = sum(len(one) for one in found)
    if as_json:
        print_json({"watch": str(out), "format": name, "links": len(found), "probes": probes})
        return
    click.echo(f"{out}: {probes} probes of {len(found)} links from {name}", err=True)
