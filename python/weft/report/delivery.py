"""What became of messages that may get lost, as a table of the report."""

from __future__ import annotations

from weft.diagnose.delivery import Delivered, deliveries
from weft.interval import Interval
from weft.quantity import format_bytes, range_mbps, range_us
from weft.report.table import Table
from weft.run.folder import Run

HEADERS = ["Step", "Size", "Sent", "Lost", "Overrun", "Twice", "Out of order", "Offered", "Jitter"]


def delivery_table(run: Run) -> Table:
    """A row for each size of each step; none where nothing could get lost."""
    return Table(HEADERS, [_row(run, one) for one in deliveries(run)])


def _row(run: Run, one: Delivered) -> list[str]:
    return [
        run.meta.plan.steps[one.step].name,
        format_bytes(one.size_bytes),
        str(one.sent),
        loss_text(one.loss_pct),
        str(one.overrun),
        str(one.duplicated),
        str(one.reordered) if one.jitter_us else "",
        range_mbps(one.offered_mbps) if one.offered_mbps else "",
        range_us(one.jitter_us) if one.jitter_us else "",
    ]


def loss_text(loss_pct: Interval) -> str:
    """Such as "5.01 % (4.97 to 5.04)"; nothing lost is "0"."""
    if not loss_pct.high:
        return "0"
    return f"{loss_pct.median:.3g} % ({loss_pct.low:.3g} to {loss_pct.high:.3g})"
