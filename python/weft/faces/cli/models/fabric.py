"""`weft fabric`: networks and their conversion."""

from __future__ import annotations

from pathlib import Path

import click

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.faces.api.fabric import declared_dot
from weft.faces.api.fabric import fabric as load
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.cost import print_parts
from weft.faces.cli.tables.layout import drawn, terminal
from weft.network.cost.cable_kinds import parts_list
from weft.network.cost.prices import read_prices
from weft.network.fabrics.describe import NAMED
from weft.network.fabrics.simgrid.importer import simgrid_to_toml
from weft.network.fabrics.tables import limits_table, rates_table


@click.group()
def fabric() -> None:
    """List, show and convert networks."""


@fabric.command("list", epilog="Example: weft fabric list")
@json_option
def list_(as_json: bool) -> None:
    """List the catalogue's fabrics and the generators."""
    fabrics, generators = catalog.names("fabric"), _core.Network.generators()
    if as_json:
        found = [{"name": name, "example": example} for name, example in generators]
        print_json({"fabrics": fabrics, "generators": found})
        return
    click.echo("\n".join([*fabrics, *(example for _, example in generators)]))


@fabric.command(epilog="Example: weft fabric show two-racks --way n1 n32")
@click.argument("name")
@click.option("--scale", default=1.0, show_default=True, help="Multiply every rate.")
@click.option("--way", nargs=2, metavar="FROM TO", help="Show the limits between two hosts.")
@click.option("--parts", "with_parts", is_flag=True, help="List switches, interfaces and cables.")
@click.option(
    "--prices", metavar="FILE", help="With --parts: racks and kinds of cables from there."
)
@json_option
def show(
    name: str,
    scale: float,
    way: tuple[str, str] | None,
    with_parts: bool,
    prices: str | None,
    as_json: bool,
) -> None:
    """Show the hosts and limits of NAME.

    NAME is a fabric, a generator such as "torus(dims=4x4)", or a SimGrid file.
    """
    if prices and not with_parts:
        raise RequestError("--prices is for a list of parts", "add --parts")
    if scale != 1.0 and with_parts:
        raise RequestError("--scale is for rates, and --parts has none", "leave one out")
    if way and with_parts:
        raise RequestError("--parts lists all, --way what is between two hosts", "leave one out")
    if with_parts:
        _show_parts(name, prices, as_json)
        return
    description = load(name, scale=scale).description
    hops = description.way(*way) if way else None
    if as_json:
        print_json(description.to_json() | {"way": hops})
        return
    console = terminal()
    hosts = description.hosts
    console.print(f"{description.network.name}: {len(hosts)} hosts, {fold(hosts)}", soft_wrap=True)
    if hops is not None:
        console.print(f"from {way[0]} to {way[1]}" if way else "")
        console.print(drawn(limits_table(hops), console.width))
    elif len(description.constraints) <= NAMED:
        console.print(drawn(limits_table(description.hops()), console.width))
    else:
        console.print(drawn(rates_table(description), console.width))
    for loss in description.losses:
        console.print(loss.text, soft_wrap=True)


def _show_parts(name: str, prices: str | None, as_json: bool) -> None:
    found = parts_list(name, read_prices(prices) if prices else None)
    if as_json:
        print_json({**vars(found.parts), "cable_kinds": found.cable_kinds})
    else:
        print_parts(found)


@fabric.command(epilog="Example: weft fabric export two-racks dot")
@click.argument("name")
@click.argument("form", metavar="FORMAT", type=click.Choice(["simgrid", "dot"]))
@click.option("--scale", default=1.0, show_default=True, help="Multiply every rate.")
@click.option("--run", "run_folder", metavar="RUN", help="Colour links by their load in RUN (dot).")
def export(name: str, form: str, scale: float, run_folder: str | None) -> None:
    """Print NAME as a SimGrid platform or a Graphviz graph."""
    if form == "simgrid":
        click.echo(load(name, scale=scale).to_simgrid(), nl=False)
    else:
        click.echo(declared_dot(name, scale, run_folder), nl=False)


@fabric.command("import", epilog="Example: weft fabric import simgrid platform.xml")
@click.argument("form", metavar="FORMAT", type=click.Choice(["simgrid"]))
@click.argument("file", type=click.Path(path_type=Path))
def import_(form: str, file: Path) -> None:
    """Print FILE, a SimGrid platform that is a tree, as a fabric file."""
    del form  # There is only one format so far.
    click.echo(simgrid_to_toml(file), nl=False)
