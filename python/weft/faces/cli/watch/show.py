"""`weft watch show`: what happened on the links of a watch."""

from __future__ import annotations

import click

from weft.base.errors import RequestError
from weft.faces.cli.output import json_option, plain, print_json, print_warning
from weft.faces.cli.tables.links import print_findings
from weft.faces.cli.tables.messages import print_messages
from weft.faces.cli.watch.messages import message_bytes, message_option, ranks_option
from weft.faces.cli.watch.since import begin_s, since_option
from weft.links.analysis.tables import tables_of


@click.command(epilog="Example: weft watch show links --since 30d --message 1MB --ranks 16")
@click.argument("folder")
@since_option
@message_option
@ranks_option
@click.option("--every-probe", is_flag=True, help="Read no summaries of days that are over.")
@json_option
def show(
    folder: str,
    since: str | None,
    message: str | None,
    ranks: int | None,
    every_probe: bool,
    as_json: bool,
) -> None:
    """Show outages, changes and times of the links in FOLDER."""
    from weft.faces.api.watch import open_watch

    size = message_bytes(message)
    if ranks and not size:
        raise RequestError("--ranks: needs a size", "give --message too, such as 1MB")
    watched = open_watch(folder, begin_s(since), is_summary=not every_probe)
    for damage in watched.damage:
        print_warning(damage)
    for note in watched.notes:
        click.echo(note, err=True)
    found = watched.findings
    messages = watched.messages(size, ranks) if size else []
    if as_json:
        print_json(plain(found) | ({"messages": plain(messages)} if size else {}))
        return
    print_findings(tables_of(found, watched.series))
    if size:
        print_messages(messages)
