"""Tables of message times by hour."""

from __future__ import annotations

from rich.table import Table

from weft.base.quantity import format_us
from weft.faces.cli.tables.layout import plain_table, terminal, titled
from weft.links.analysis.busy import DAYS
from weft.links.analysis.clock import hour_name
from weft.links.analysis.hours import typical_text
from weft.links.analysis.messages import HourTimes, MessageTimes
from weft.links.analysis.series import link_name


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
