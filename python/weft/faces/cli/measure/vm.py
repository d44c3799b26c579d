"""`weft vm`: virtual clusters whose hosts are virtual machines."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from weft.base.errors import RequestError
from weft.faces.cli.measure.lab_group import LabGroup, print_up
from weft.faces.cli.output import json_option, print_json, print_warnings
from weft.faces.cli.tables.layout import plain_table, terminal
from weft.faces.cli.tables.run.failover import print_failover
from weft.measure.execute.failover import measure_failover
from weft.measure.testbed.lab.guests import LabGuests
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.vm.boot.console import attach
from weft.measure.testbed.vm.testbed import boot_guests, open_bonded

VMS = LabGroup(
    "vm",
    " of virtual machines",
    lambda entry: entry.guests is not None,
    "two-nics",
    lambda entry: f"`weft vm down {entry.id}`, then boot it again",
)


@click.group()
def vm() -> None:
    """Build virtual clusters of virtual machines."""


VMS.add_commands(vm)


@vm.command(epilog="Example: weft vm boot 'two-nics(nic=e1000)' --scale 0.1")
@click.argument("fabric")
@click.option("--scale", default=1.0, show_default=True, help="Multiply every rate.")
@click.option("--name", help="Name of the lab.  [default: the fabric's name]")
@json_option
def boot(fabric: str, scale: float, name: str | None, as_json: bool) -> None:
    """Boot the hosts of FABRIC (a catalogue name or a TOML file), one after another.

    In brackets behind it: nic=CARD, cpus=N, memory=MB of each guest.
    """
    entry = boot_guests(fabric, scale, name)
    print_up(entry, entry.keeper.warnings, f", {_guests(entry).virtualisation}", as_json)


@vm.command("list", epilog="Example: weft vm list")
@json_option
def list_(as_json: bool) -> None:
    """List labs of virtual machines; a guest that ended is named."""
    entries = VMS.entries()
    if as_json:
        print_json({"labs": [entry.summary() | {"dead": _dead(entry)} for entry in entries]})
        return
    table = plain_table("lab", "scale", "state", "guests", "card", "kernel", "dead", "age")
    for one in entries:
        guests, dead = _guests(one), ", ".join(_dead(one))
        count = f"{len(guests.pids)}, {guests.virtualisation}"
        age = f"{one.age_s:.0f} s"
        state = one.state + (", private" if one.private else "")
        table.add_row(one.id, f"{one.scale:g}", state, count, guests.nic, guests.kernel, dead, age)
    terminal(soft_wrap=True).print(table if entries else "no virtual machines")


@vm.command(epilog="Example: weft vm failover 'two-nics(bond=active-backup)'")
@click.argument("fabric")
@click.option("--times", default=5, show_default=True, type=click.IntRange(1, 1000))
@click.option("--scale", default=1.0, show_default=True, help="Multiply every rate.")
@json_option
def failover(fabric: str, times: int, scale: float, as_json: bool) -> None:
    """Cut the link under a bond while a stream runs, put it back, and report the losses.

    FABRIC names guests that are up, or a fabric whose guests boot for it. Both nodes' cards lose their carrier.
    """
    with open_bonded(fabric, scale) as lab:
        found = measure_failover(lab, times, lambda said: click.echo(said, err=True))
        warnings = lab.warnings
    if as_json:
        shown = msgspec.to_builtins(found) | {"warnings": [vars(one) for one in warnings]}
        print_json(shown)
        return
    print_warnings(warnings)
    print_failover(found)


@vm.command(epilog="Example: weft vm console two-nics n1")
@click.argument("name")
@click.argument("node")
@click.option("--log", is_flag=True, help="Print what the guest wrote so far.")
def console(name: str, node: str, log: bool) -> None:
    """Use a guest's console; leave it with Control and ]."""
    guests = _guests(VMS.up(name, node))
    if node not in guests.pids:
        raise RequestError(f"{node} of {name} is a namespace", "only guests have a console")
    if log:
        click.echo(guests.console(node).read_text(errors="replace"), nl=False)
        return
    attach(Path(guests.folder), node)


def _guests(entry: LabEntry) -> LabGuests:
    assert entry.guests
    return entry.guests


def _dead(entry: LabEntry) -> list[str]:
    """The guests that have ended."""
    return [name for name in _guests(entry).pids if not _guests(entry).is_alive(name)]
