"""The effect of dead links on streams over a bond, as a table."""

from __future__ import annotations

import click

from weft.base.statistics import median_interval
from weft.faces.cli.tables.layout import plain_table, terminal
from weft.measure.execute.failover import Failover, FailoverEvent


def print_failover(found: Failover) -> None:
    """Each event, and the median gaps with their intervals."""
    click.echo(f"{found.mode}, carriers looked at every {found.miimon_ms} ms")
    table = plain_table("link", "event", "gap, ms", "disturbed, ms", "lost", "then in use", "down")
    for one in found.events:
        said = (f"{one.gap_ms:.0f}", f"{one.disturbed_ms:.0f}", str(one.lost))
        table.add_row(one.interface, one.what, *said, _each(one.active), _down(one))
    terminal(soft_wrap=True).print(table)
    for what, words in (("cut", "a link that dies"), ("back", "a link that comes back")):
        gaps = [one.gap_ms for one in found.events if one.what == what]
        middle = median_interval(gaps)
        click.echo(
            f"{words}: a gap of {middle.median:.0f} ms [{middle.low:.0f} to {middle.high:.0f}]"
        )


def _each(active: dict[str, str]) -> str:
    return ", ".join(f"{node} {interface or 'all'}" for node, interface in active.items())


def _down(event: FailoverEvent) -> str:
    return (
        ", ".join(f"{node} {' '.join(down)}" for node, down in event.down.items() if down) or "none"
    )
