"""`weft watch uninstall`: ends the service of a watch."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft watch uninstall runs/campus")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--system/--user",
    "is_system",
    default=None,
    help="Of the machine, or of this user.  [default: the machine for root, else the user]",
)
@json_option
def uninstall(folder: Path, is_system: bool | None, as_json: bool) -> None:
    """End the service of a watch and remove its unit.

    The folder stays, and the agents continue: `weft watch stop` ends them.
    """
    from weft.links.watch import install as services

    path = services.uninstall(folder, services.find_service(is_system))
    if as_json:
        print_json({"unit": str(path)})
    else:
        click.echo(f"{path}: removed; `weft watch stop {folder}` ends the agents, too")
