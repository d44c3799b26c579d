"""`weft lab`: virtual clusters of network namespaces."""

from __future__ import annotations

import click

from weft.base.catalog import find
from weft.base.errors import RequestError
from weft.faces.cli.measure.lab_group import LabGroup, print_up
from weft.faces.cli.output import json_option, plain, print_json
from weft.faces.cli.tables.layout import plain_table, terminal
from weft.faces.cli.tables.weather import print_log, print_weather
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.lab_scale.settle import settle_scale
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import bring_up, make_room
from weft.measure.testbed.lab.weather import (
    COMMAND_LINE,
    FaultSchedule,
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


LABS = LabGroup(
    "lab", "", lambda _: True, "two-racks", lambda entry: f"`weft lab up {entry.fabric}`"
)


@click.group()
def lab() -> None:
    """Build virtual clusters on this machine."""


LABS.add_commands(lab)


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
    print_up(entry, entry.warnings, "", as_json)


@lab.command("list", epilog="Example: weft lab list")
@json_option
def list_(as_json: bool) -> None:
    """List labs; a stale one has lost its daemon."""
    entries = LABS.entries()
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
    entry = LABS.up(name)
    if log:
        print_log(weather_log(entry), as_json)
        return
    found = _changed(entry, events, speed, clear)
    if as_json:
        print_json({"lab": name, **plain(found)})
    else:
        print_weather(found)


def _changed(
    entry: LabEntry, events: tuple[str, ...], speed: float | None, clear: bool
) -> FaultSchedule:
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
