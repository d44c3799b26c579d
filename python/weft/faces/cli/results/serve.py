"""`weft serve`: runs in a browser, even while they measure."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json
from weft.faces.server.memory import save_memory


@click.command(epilog="Example: weft serve runs")
@click.argument("folder", default="runs")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Where to listen.  [default: a free one]"
)
@json_option
def serve(folder: str, port: int | None, as_json: bool) -> None:
    """Show the runs in FOLDER in a browser, live.

    FOLDER is `runs` by default. Prints an address for a browser on this machine, and serves until Ctrl-C. The address
    contains a secret: anyone who knows it can read runs.
    """
    save_memory()
    # A web server is slow to import: no other command should wait for it.
    from weft.faces.server.serve import open_server

    server = open_server(Path(folder), port)
    if as_json:
        print_json({"address": server.address, "port": server.port, "folder": str(server.folder)})
    else:
        click.echo(server.address)
        click.echo("Ctrl-C ends it.", err=True)
    server.answer()
