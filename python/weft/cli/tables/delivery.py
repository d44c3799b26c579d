"""What became of messages that may get lost, as a table."""

from __future__ import annotations

from rich.table import Table

from weft.cli.tables.layout import number, plain_table
from weft.diagnose.delivery import Delivered
from weft.interval import Interval


def deliveries_table(delivered: list[Delivered]) -> Table:
    """A row a size; with several launches the loss has its interval."""
    spread = any(one.launches > 1 for one in delivered)
    streamed = any(one.offered_mbps is not None for one in delivered)
    ends = ["from", "to"] if spread else []
    streams = ["sent, Mb/s", "jitter, us", "out of order"] if streamed else []
    table = plain_table("size, B", "sent", "lost, %", *ends, "overrun", "twice", *streams)
    for one in delivered:
        loss = one.loss_pct
        interval = [f"{value:.3f}" for value in (loss.low, loss.high)] if spread else []
        of_streams = [_middle(one.offered_mbps), _middle(one.jitter_us), str(one.reordered)]
        table.add_row(
            str(one.size_bytes),
            str(one.sent),
            f"{loss.median:.3f}",
            *interval,
            str(one.overrun),
            str(one.duplicated),
            *(of_streams if streamed else []),
        )
    return table


def _middle(interval: Interval | None) -> str:
    return number(interval.median) if interval else ""
