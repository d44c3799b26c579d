"""`weft watch check`: whether a watch is healthy now, for cron, systemd, Nagios and CI."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.duration import Duration
from weft.faces.cli.output import json_option, plain, print_json


@click.command(epilog="Example: weft watch check runs/campus --max-age 10min")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--max-age",
    "max_age_s",
    type=Duration(),
    default="5min",
    show_default=True,
    help="Older than this is not collected.",
)
@json_option
def check(folder: Path, max_age_s: float, as_json: bool) -> None:
    """Say what is wrong now on the links of a watch, a line each.

    Exit code 0 if all is fine, 1 if something is wrong or nothing was collected lately, 2 if FOLDER is not a watch.
    """
    from weft.links.watch.check import problems_of

    found = problems_of(folder, max_age_s)
    if as_json:
        print_json({"problems": plain(found)})
    else:
        for problem in found or ():
            click.echo(f"{problem.subject}: {problem.text}")
        if not found:
            click.echo(f"{folder}: all links are fine")
    raise click.exceptions.Exit(1 if found else 0)
