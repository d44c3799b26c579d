"""What `weft show` says of streams between real nodes whose receiver computes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnosis.node.applications import LoadedPoint
from weft.diagnosis.node.live_loads import TASKS
from weft.interval import Interval


def print_live_loads(step: str, points: Sequence[LoadedPoint], console: Console) -> None:
    """Throughput and gain over gamma; then processor time by task, for each message and for each byte."""
    first = points[0]
    if first.live is None:
        return
    before = f"is measured, step {first.live.before}" if first.live.before else "is by LAWS"
    title = f"{step}: stream of {first.size_bytes} B whose receiver computes, Mb/s; before {before}"
    titled(console, title, _rates(points))
    if first.live.p:
        console.print(f"p = {_shares(first.live.p)} by processor time at gamma 0")
    receiver = list(first.live.processor_ns)[-1:]
    for node in first.live.processor_ns:
        title = f"{node}: processor time of a message, us, and of a byte, ns"
        titled(console, title, _times(points, node, node in receiver))
    note = "softirq: of the whole node, in system too unless its kernel keeps it apart; receiving: without the work"
    console.print(note, style="dim")


def _rates(points: Sequence[LoadedPoint]) -> Table:
    has_losses = any(one.live and one.live.lost_pct for one in points)
    lost = ["lost, %"] if has_losses else []
    table = plain_table(
        "gamma", "done", "Mb/s", "from", "to", "LAWS at most", "before", "gain", *lost
    )
    for one in points:
        if (live := one.live) is None:
            continue
        rate = live.throughput_mbps
        rates = (rate.median, rate.low, rate.high, one.laws_mbps, one.before_mbps)
        gain = _gains(live.gain) if live.gain else f"{one.gain:+.1%}"
        losses = [number(live.lost_pct.median)] if live.lost_pct else lost and [""]
        table.add_row(
            f"{one.gamma:g}", f"{live.gamma_done:.2f}", *map(number, rates), gain, *losses
        )
    return table


def _times(points: Sequence[LoadedPoint], node: str, is_receiver: bool) -> Table:
    """A node's tasks, and what receiving took of the receiver's own time."""
    receiving = ["receiving"] if is_receiver else []
    table = plain_table("gamma", *TASKS, *receiving)
    for one in points:
        if one.live is None:
            continue
        times_ns = [one.live.processor_ns.get(node, {}).get(task, 0.0) for task in TASKS]
        times_ns += [one.live.host_ns] if is_receiver else []
        table.add_row(f"{one.gamma:g}", *(_time(ns, one.size_bytes) for ns in times_ns))
    return table


def _time(message_ns: float, size_bytes: int) -> str:
    return f"{message_ns / 1e3:.1f} ({message_ns / size_bytes:.3f})"


def _shares(one: Interval) -> str:
    return f"{one.median:.3f} ({one.low:.3f} to {one.high:.3f})"


def _gains(one: Interval) -> str:
    return f"{one.median:+.1%} ({one.low:+.1%} to {one.high:+.1%})"
