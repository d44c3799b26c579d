"""What became of messages that may get lost, as a table."""

from __future__ import annotations

from rich.table import Table

from weft.cli.tables.layout import number, plain_table
from weft.diagnose.delivery import Delivered
from weft.interval import Interval


def deliveries_table(delivered: list[Delivered]) -> Table:
    """A row a size; with several launches the loss has its interval. Counts that are 0 in all rows are named below."""
    columns = {
        "size, B": [str(one.size_bytes) for one in delivered],
        "sent": [str(one.sent) for one in delivered],
        "lost, %": [f"{one.loss_pct.median:.3f}" for one in delivered],
    }
    if any(one.launches > 1 for one in delivered):
        columns["from"] = [f"{one.loss_pct.low:.3f}" for one in delivered]
        columns["to"] = [f"{one.loss_pct.high:.3f}" for one in delivered]
    counts = {
        "overrun": [str(one.overrun) for one in delivered],
        "twice": [str(one.duplicated) for one in delivered],
    }
    if any(one.offered_mbps is not None for one in delivered):
        columns["sent, Mb/s"] = [_middle(one.offered_mbps) for one in delivered]
        columns["jitter, us"] = [_middle(one.jitter_us) for one in delivered]
        counts["out of order"] = [str(one.reordered) for one in delivered]
    zero = [name for name, values in counts.items() if set(values) == {"0"}]
    columns |= {name: values for name, values in counts.items() if name not in zero}
    table = plain_table(*columns, rows=zip(*columns.values(), strict=True))
    if zero:
        table.caption, table.caption_justify = f"{', '.join(zero)}: all 0", "left"
    return table


def _middle(interval: Interval | None) -> str:
    return number(interval.median) if interval else ""
