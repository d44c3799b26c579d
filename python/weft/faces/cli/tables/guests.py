"""Virtual machines: those that would boot, and their requirements."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from weft.faces.cli.tables.layout import plain_table, titled
from weft.measure.testbed.vm.needs import Need
from weft.measure.testbed.vm.planned import GuestsOutlook


def print_guests(outlook: GuestsOutlook, console: Console) -> None:
    """Print what would boot, and what is missing for it."""
    rows = [
        (one.name, str(one.cpus), str(one.memory_mbytes), ", ".join(one.cards))
        for one in outlook.each
    ]
    table = plain_table("guest", "cpus", "MB", "cards", rows=rows)
    titled(console, "guests, which are up" if outlook.are_up else "guests, which would boot", table)
    if outlook.missing:
        titled(console, "missing for them")
        print_needs(outlook.missing, console)
    if not outlook.can_run:
        console.print("guests cannot run")


def print_needs(needs: Sequence[Need], console: Console) -> None:
    """Print each requirement with what was found, and how to get it on a line of its own, for copying."""
    for need in needs:
        answer = "yes" if need.found else "no" if need.required else "no, optional"
        console.print(f" {need.name}: {answer}; {need.seen}", soft_wrap=True)
        if need.get:
            console.print(f"   {need.get}", soft_wrap=True)
