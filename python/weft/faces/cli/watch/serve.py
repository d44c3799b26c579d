"""`weft watch serve`: a watch as metrics for Prometheus."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft watch serve runs/campus --prometheus :9777")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--prometheus",
    default=":9777",
    show_default=True,
    metavar="[ADDRESS]:PORT",
    help="Where to listen; without an address only this machine reaches it.",
)
@json_option
def serve(folder: Path, prometheus: str, as_json: bool) -> None:
    """Serve what `weft watch start` collects in FOLDER as metrics, until Ctrl-C."""
    # A web server is slow to import: no other command should wait for it.
    from weft.links.watch.exporter.serve import open_exporter

    server = open_exporter(folder, prometheus)
    if as_json:
        print_json({"address": server.address, "folder": str(folder)})
    else:
        click.echo(server.address)
    if not server.is_private:
        click.echo("warning: whoever reaches this address can read the metrics", err=True)
    server.answer()
