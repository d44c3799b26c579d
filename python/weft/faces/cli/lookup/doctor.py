"""`weft doctor`: what this machine can and cannot do, and how to get it."""

from __future__ import annotations

import click

from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import terminal, titled
from weft.operate.doctor.kernel import kernel
from weft.operate.doctor.machine import machine
from weft.operate.doctor.main_job import main_job, works
from weft.operate.doctor.programs import programs
from weft.operate.doctor.row import DoctorRow

STYLES = {"yes": "green", "partly": "yellow", "no": "red"}


@click.command(epilog="Example: weft doctor")
@json_option
def doctor(as_json: bool) -> None:
    """Say what this machine can do, and how to get the rest.

    It tries what weft needs and changes nothing. Exit code 1 if weft can neither measure nor simulate here.
    """
    rows = [*main_job(), *kernel(), *machine(), *programs()]
    if as_json:
        print_json({"works": works(rows), "rows": rows})
    else:
        _print(rows)
    raise click.exceptions.Exit(0 if works(rows) else 1)


def _print(rows: list[DoctorRow]) -> None:
    console = terminal(soft_wrap=True)
    width = max(len(row.what) for row in rows)
    for area in dict.fromkeys(row.area for row in rows):
        titled(console, area)
        for row in rows:
            if row.area == area:
                console.print(f" {row.what:<{width}}  ", end="")
                console.print(f"{row.state:<6}", style=STYLES[row.state], end="")
                console.print(f"  {row.seen}".rstrip())
                if row.state != "yes":
                    console.print(f" {'':<{width}}  for {row.needed_for}", style="dim")
                    if row.get:
                        console.print(f" {'':<{width}}  get it: {row.get}", style="dim")
