"""`weft lab`: virtual clusters of network namespaces."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

import click

from weft.base.catalog import find
from weft.base.errors import RequestError
from weft.faces.cli.output import json_option, plain, print_json, print_warnings
from weft.faces.cli.tables.layout import plain_table, terminal
from weft.faces.cli.tables.weather import print_log, print_weather
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.lab_scale.settle import settle_scale
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import bring_up, make_room
from weft.measure.testbed.lab.weather import (
    COMMAND_LINE,
    Weather,
    add_weather,
    add_weather_file,
    clear_weather,
    event_text,
    weather_log,
    weather_of,
)

speed_option = click.option(
    "--speed",
    type=click.FloatRange(0.001, 1e6),
    help="Speed of the weather's clock; 1440: a day in a minute.",
)


@click.group()
def lab() -> None:
    """Build virtual clusters on this machine."""


@lab.command(epilog="Example: weft lab up two-racks --scale 0.1")
@click.argument("fabric")
@click.option(
    "--scale",
    type=float,
    help="Multiply every rate.  [default: 1, or what this machine carries]",
)
@click.option("--name", help="Name of the lab.  [default: the fabric's name]")
@speed_option
@json_option
def up(
    fabric: str, scale: float | None, name: str | None, speed: float | None, as_json: bool
) -> None:
    """Create a lab of FABRIC (a catalogue name or a TOML file)."""
    make_room(name or find("fabric", fabric).stem)
    found = settle_scale(fabric, scale, [OfferedLoad.of_all(fabric)])
    entry = bring_up(fabric, found.scale, name, speed, found.notes)
    if as_json:
        print_json(entry.summary() | {"warnings": [vars(one) for one in entry.warnings]})
        return
    print_warnings(entry.warnings)
    hosts = ", ".join(f"{node.name} {node.address}" for node in entry.keeper.nodes)
    click.echo(f"{entry.id} is up: {hosts}")


@lab.command("list", epilog="Example: weft lab list")
@json_option
def list_(as_json: bool) -> None:
    """List labs; a stale one has lost its daemon."""
    entries = registry.entries()
    if as_json:
        print_json({"labs": [entry.summary() for entry in entries]})
        return
    table = plain_table("lab", "fabric", "scale", "state", "hosts", "daemon", "age")
    for one in entries:
        state = one.state + (", private" if one.private else "")
        hosts, pid = len(one.keeper.nodes), one.keeper.pid
        row = (one.id, one.fabric, f"{one.scale:g}", state, hosts, pid, f"{one.age_s:.0f} s")
        table.add_row(*map(str, row))
    terminal(soft_wrap=True).print(table if entries else "no labs")


@lab.command(epilog="Example: weft lab down two-racks")
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All labs.")
@json_option
def down(names: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Remove labs, also stale ones, and all processes in them."""
    if not names and not everything:
        raise RequestError("which lab?", "name one, or give --all; `weft lab list` shows them")
    remove(registry.entries() if everything else [_existing(name) for name in names], as_json)


def remove(entries: Iterable[LabEntry], as_json: bool) -> None:
    """Take labs down, and print what was killed in them."""
    removed = [{"id": entry.id, "killed": registry.remove(entry)} for entry in entries]
    if as_json:
        print_json({"removed": removed})
        return
    for one in removed:
        rest = f", {one['killed']} processes in it were killed" if one["killed"] else ""
        click.echo(f"{one['id']} is down{rest}")


@lab.command(
    "exec",
    context_settings={"ignore_unknown_options": True},
    epilog="Example: weft lab exec two-racks n1 -- ip addr",
)
@click.argument("name")
@click.argument("node")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def exec_(context: click.Context, name: str, node: str, command: tuple[str, ...]) -> None:
    """Run COMMAND on NODE of a lab and return its exit status."""
    entry = _up(name)
    known = [one.name for one in entry.keeper.nodes]
    if node not in known:
        raise RequestError(f"lab {name} has no node {node}", f"its nodes: {', '.join(known)}")
    argv = entry.command(node, list(command))
    context.exit(subprocess.run(argv, check=False).returncode)


@lab.command(
    epilog="Example: weft lab weather two-sites ids=left1 loss='5 %' for='30 s'",
)
@click.argument("name", metavar="LAB")
@click.argument("events", nargs=-1, metavar="[FILE|KEY=VALUE...]")
@speed_option
@click.option("--clear", is_flag=True, help="End all events for good.")
@click.option("--log", is_flag=True, help="Print what happened so far, as JSON lines.")
@json_option
def weather(
    name: str, events: tuple[str, ...], speed: float | None, clear: bool, log: bool, as_json: bool
) -> None:
    """Change links and hosts of a lab: outages, delays, loss, filters.

    FILE has [[weather]] (a catalogue name will do); KEY=VALUE words are one event. Without either, print the events
    of the lab. All ends with the lab.
    """
    entry = _up(name)
    if log:
        print_log(weather_log(entry), as_json)
        return
    found = _changed(entry, events, speed, clear)
    if as_json:
        print_json({"lab": name, **plain(found)})
    else:
        print_weather(found)


def _changed(entry: LabEntry, events: tuple[str, ...], speed: float | None, clear: bool) -> Weather:
    """The weather of a lab after the requested changes."""
    if clear:
        if events:
            raise RequestError("--clear ends all events", "leave FILE and KEY=VALUE out")
        return clear_weather(entry)
    if len(events) == 1 and "=" not in events[0]:
        return add_weather_file(entry, events[0], speed)
    if events:
        return add_weather(entry, event_text(events), COMMAND_LINE, speed)
    return weather_of(entry)


def _up(name: str) -> LabEntry:
    entry = _existing(name)
    if entry.state == "stale":
        raise RequestError(f"lab {name} is stale", f"`weft lab up {entry.fabric}`")
    return entry


def _existing(name: str) -> LabEntry:
    entry = registry.get(name)
    if entry is None:
        known = ", ".join(one.id for one in registry.entries()) or "none"
        raise RequestError(f"no lab {name}", f"labs: {known}")
    return entry
