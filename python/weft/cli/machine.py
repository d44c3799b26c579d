"""`weft machine`: what nodes can be simulated."""

from __future__ import annotations

import click

from weft.cli.output import json_option, print_json
from weft.cli.tables.layout import plain_table, terminal
from weft.testbed.computed.node import names, open_nodes


@click.group()
def machine() -> None:
    """List and show nodes that can be simulated."""


@machine.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the catalogue's machines and their placements."""
    if as_json:
        print_json({"machines": names()})
    else:
        click.echo("\n".join(names()))


@machine.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show which processor runs which task in NAME."""
    found = open_nodes(name).model
    placement = dict(found.placement())
    if as_json:
        print_json({"name": found.name, "title": found.title, "placement": placement})
        return
    click.echo(f"{found.name}: {found.title}")
    terminal().print(plain_table("task", "processor", rows=placement.items()))
