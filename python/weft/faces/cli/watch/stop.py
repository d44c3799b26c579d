"""`weft watch stop`: ends the agents, and the command that collects from them."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.approval import is_agreed, yes_option
from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft watch stop runs/campus")
@click.argument("folder", type=click.Path(path_type=Path))
@yes_option
@json_option
def stop(folder: Path, yes: bool, as_json: bool) -> None:
    """End the agents of a watch, after fetching all that they have stored.

    Exit code 1 if a site could not be reached: its agent continues.
    """
    from weft.links.watch.service import side_effects_of_watch, stop_watch
    from weft.links.watch.tell import tell_stderr

    named = side_effects_of_watch(folder)
    left = stop_watch(folder, tell_stderr, named if is_agreed(folder, named, yes) else [])
    if as_json:
        print_json({"run": str(folder), "left": left})
    elif not left:
        click.echo(f"{folder}: all agents have ended")
    raise click.exceptions.Exit(1 if left else 0)
