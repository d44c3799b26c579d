"""`weft watch show`: what happened on the links of a watch."""

from __future__ import annotations

import click
from rich.table import Table

from weft.base.errors import RequestError
from weft.base.quantity import format_us
from weft.base.table import ResultTable
from weft.faces.cli.output import json_option, plain, print_json, print_warning
from weft.faces.cli.tables.layout import plain_table, print_table, terminal, titled, wide_terminal
from weft.faces.cli.watch.messages import message_bytes, message_option, ranks_option
from weft.faces.cli.watch.since import begin_s, since_option
from weft.links.analysis.busy import DAYS
from weft.links.analysis.clock import hour_name
from weft.links.analysis.hours import typical_text
from weft.links.analysis.messages import HourTimes, MessageTimes
from weft.links.analysis.series import link_name
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
    from weft.links.analysis.messages import message_times

    size = message_bytes(message)
    if ranks and not size:
        raise RequestError("--ranks: needs a size", "give --message too, such as 1MB")
    watched = open_watch(folder, begin_s(since), is_summary=not every_probe)
    for damage in watched.damage:
        print_warning(damage)
    for note in watched.notes:
        click.echo(note, err=True)
    found = watched.findings
    messages = message_times(watched.series, size, ranks) if size else []
    if as_json:
        print_json(plain(found) | ({"messages": plain(messages)} if size else {}))
        return
    print_findings(tables_of(found, watched.series))
    if size:
        print_messages(messages)


def print_findings(tables: dict[str, ResultTable]) -> None:
    """Print links with their gaps, then what happened on them."""
    console = wide_terminal()
    if not tables["links"].rows:
        console.print("no probes")
        return
    for name, table in tables.items():
        if table.rows and name not in ("probes", "gaps"):
            print_table(console, table)
        elif name in ("outages", "changes"):
            titled(console, table.title, "none", *table.remarks)


def print_messages(found: list[MessageTimes]) -> None:
    """Print for each link its best, median and worst hour with intervals, then the medians of all hours (local
    time)."""
    console = terminal(soft_wrap=True)
    if not found:
        console.print("\nno link was probed with two sizes, so beta is not known")
    for one in found:
        heads = ["", f"hour ({one.timezone})", "message, one way"]
        if one.ranks:
            heads.append(f"all-to-all, {one.ranks} ranks")
        hours = (("best", one.best), ("median", one.middle), ("worst", one.worst))
        rows = [
            [which, hour_name(hour.hour, one.is_by_week), *_times(hour)] for which, hour in hours
        ]
        if one.are_alike:
            rows = [["any", "", *_times(one.middle)]]
        title = f"{one.size_bytes:,} B, {link_name(one.src, one.dst, one.network)}"
        titled(console, title, plain_table(*heads, rows=rows))
        what = "all-to-all" if one.ranks else "message"
        titled(console, f"Medians of the {what} by hour", _grid(one))


def _times(hour: HourTimes) -> list[str]:
    values = [hour.message_s, *([hour.exchange_s] if hour.exchange_s else [])]
    return [typical_text(value) for value in values]


def _grid(one: MessageTimes) -> Table:
    """A row for each hour of the day, and a column for each day of the week if there are two weeks of data."""
    days = DAYS if one.is_by_week else ("any day",)
    by_hour = {hour.hour: hour for hour in one.by_hour}
    rows = [
        [hour_name(hour, False), *(_cell(by_hour.get(24 * d + hour)) for d in range(len(days)))]
        for hour in range(24)
        if any(24 * d + hour in by_hour for d in range(len(days)))
    ]
    return plain_table("hour", *days, rows=rows)


def _cell(hour: HourTimes | None) -> str:
    if hour is None:
        return "-"
    return format_us((hour.exchange_s or hour.message_s).median * 1e6)
