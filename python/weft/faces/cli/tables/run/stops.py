"""The comparison with an earlier run, as a table."""

from __future__ import annotations

from rich.console import Console

from weft.faces.cli.tables.layout import plain_table, titled
from weft.runs.meta import RunMeta
from weft.understand.curve.stops import ASSUMED, beside_earlier, difference_text
from weft.understand.host.disturbed import not_usable


def print_differences(console: Console, meta: RunMeta) -> None:
    """Print for each size of an earlier run the difference from it, or what would decide it."""
    if meta.against and (reason := not_usable(meta)):
        console.print(f"not comparable with {meta.against['path']}: {reason}", soft_wrap=True)
        return
    for index, step in enumerate(meta.plan.steps):
        stops = beside_earlier(meta, index)
        if meta.against and step.goal and stops:
            table = plain_table("size, B", "launches", "")
            for one in stops:
                table.add_row(str(one["size_bytes"]), str(one["launches"]), difference_text(one))
            title = f"{step.name} beside {meta.against['path']}, {ASSUMED}"
            titled(console, title, table)
