"""`weft watch show`: what happened on the links of a watch."""

from __future__ import annotations

import re
import time

import click

from weft.cli.output import json_option, print_json
from weft.cli.tables.links import print_findings
from weft.diagnosis.links.findings import analyse
from weft.errors import RequestError
from weft.watch.history import history
from weft.watch.store import open_watch

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


@click.command(epilog="Example: weft watch show links --since 30d")
@click.argument("folder")
@click.option("--since", help="Only what is younger, such as 12h, 30d or 4w.")
@json_option
def show(folder: str, since: str | None, as_json: bool) -> None:
    """Show outages, changes and times of the links in FOLDER."""
    watched = open_watch(folder, _begin(since))
    for damage in watched.damage:
        click.echo(f"warning: {damage}", err=True)
    found = analyse(history(watched))
    print_json(found) if as_json else print_findings(found)


def _begin(since: str | None) -> float | None:
    if since is None:
        return None
    match = re.fullmatch(r"(\d+)([mhdw])", since)
    if not match:
        raise RequestError(
            f"--since {since}: not a time", "give minutes, hours, days or weeks: 12h"
        )
    return time.time() - int(match[1]) * _SECONDS[match[2]]
