"""`weft machine`: the nodes that can be simulated."""

from __future__ import annotations

from pathlib import Path

import click

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.statistics import LEVEL
from weft.faces.api.models.machine import machine as load
from weft.faces.cli.output import json_option, print_json, write_file
from weft.faces.cli.tables.layout import plain_table, terminal, titled
from weft.simulation.calibrate.fit import MachineFit, fit_machine, interval_text, read_free
from weft.simulation.calibrate.simulated import MachineFile
from weft.simulation.calibrate.values import read_values


@click.group()
def machine() -> None:
    """List and show nodes that can be simulated."""


@machine.command("list", epilog="Example: weft machine list")
@json_option
def list_(as_json: bool) -> None:
    """List the catalogue's machines and their placements."""
    if as_json:
        print_json({"machines": list(catalog.placements())})
    else:
        click.echo("\n".join(catalog.placements()))


@machine.command(epilog="Example: weft machine show p4-400-offload")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show which processor runs which task in NAME."""
    found = load(name)
    placement = found.placement
    if as_json:
        print_json({"name": found.name, "title": found.title, "placement": placement})
        return
    click.echo(f"{found.name}: {found.title}")
    terminal().print(plain_table("task", "processor", rows=placement.items()))


@machine.command(epilog="Example: weft machine fit p4-400 values.toml")
@click.argument("name", metavar="MACHINE")
@click.argument("values")
@click.option("--out", metavar="FILE", help="The fitted machine. [default: MACHINE-fitted.toml]")
@json_option
def fit(name: str, values: str, out: str | None, as_json: bool) -> None:
    """Fit keys of MACHINE to measured VALUES (a TOML file).

    Writes a machine's file with the fitted keys, each with its interval, and says which the values do not determine.
    """
    path = catalog.find("machine", name)
    file = MachineFile(catalog.read(path), catalog.shown(path))
    target = _new_file(out or f"{path.stem}-fitted.toml")
    given = read_values(values)
    found = fit_machine(file, read_free(file, given), given.values)
    write_file(target, found.text)
    if as_json:
        print_json({**found.to_json(), "file": str(target)})
    else:
        _print_fit(found)
        click.echo(f"{target}: written", err=True)


def _new_file(name: str) -> Path:
    """The file for the fitted machine; checked before the fit, which takes long."""
    path = Path(name)
    if path.exists():
        raise RequestError(f"{path}: exists already", "choose another with --out")
    if not path.parent.is_dir():
        raise RequestError(
            f"{path.parent}: no such folder", "make it, or choose another with --out"
        )
    return path


def _print_fit(found: MachineFit) -> None:
    console = terminal()
    console.print(f"{found.file.origin}, intervals hold with {LEVEL:.0%}", style="bold")
    rows = [
        (each.key, found.keys[each.key], interval_text(each, one))
        for each, one in zip(found.free, found.estimates, strict=True)
    ]
    console.print(plain_table("", "value", "interval", rows=rows))
    for one, other, r in found.trade_offs:
        console.print(f"{one} and {other}: the values tell only both together ({r:+.3f})")
    beside = plain_table("", "measured", "fitted", "off")
    for row in found.values:
        measured, predicted = (row.shown(worth) for worth in (row.measured, row.predicted))
        beside.add_row(row.name, measured, predicted, f"{row.error_pct:+.1f} %")
    titled(console, "measured values", beside)
