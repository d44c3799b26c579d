"""What `weft show` says of streams between real nodes whose receiver computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import number, plain_table, titled
from weft.diagnosis.node.applications import LoadedPoint
from weft.diagnosis.node.live_loads import TASKS, Receiving
from weft.interval import Interval

MOST_PROCESSORS = 4
"""Of those that took soft interrupts, so many have a column."""
SHARED = 0.05
"""Of the time; a machine that is used less is as good as one's own."""


def print_live_loads(step: str, points: Sequence[LoadedPoint], console: Console) -> None:
    """Throughput and gain over gamma; then processor time by task, for each message and for each byte."""
    first = points[0]
    if first.live is None:
        return
    before = f"is measured, step {first.live.before}" if first.live.before else "is by LAWS"
    title = f"{step}: stream of {first.size_bytes} B whose receiver computes, Mb/s; before {before}"
    titled(console, title, _rates(points))
    _print_gains(points, console)
    if first.live.p:
        console.print(f"p = {_shares(first.live.p)} by processor time")
    print_receiving(first.live.receiving, console)
    _print_taken(points, console)
    receiver = list(first.live.processor_ns)[-1:]
    for node in first.live.processor_ns:
        title = f"{node}: processor time of a message, us, and of a byte, ns"
        titled(console, title, _times(points, node, node in receiver))
    receiver_name = list(first.live.softirq_ns)[-1]
    title = f"{receiver_name}: softirq by processor, us of a message, and ns of a byte"
    titled(console, title, _softirqs(points, receiver_name))
    note = "softirq: of the whole node, in system too unless its kernel keeps it apart; receiving: without the work"
    console.print(note, style="dim")


def _rates(points: Sequence[LoadedPoint]) -> Table:
    has_losses = any(one.live and one.live.lost_pct for one in points)
    is_measured = any(one.live and one.live.before for one in points)
    bound = [] if is_measured else ["LAWS at most"]
    lost = ["lost, %"] if has_losses else []
    table = plain_table(
        "gamma", "done", "Mb/s", "from", "to", *bound, "before", "gain", "waits", *lost
    )
    for one in points:
        if (live := one.live) is None:
            continue
        rate = live.throughput_mbps
        bounds = [one.laws_mbps] * len(bound)
        rates = (rate.median, rate.low, rate.high, *bounds, one.before_mbps)
        gain = _gains(live.gain) if live.gain else f"{one.gain:+.1%}"
        losses = [number(live.lost_pct.median)] if live.lost_pct else lost and [""]
        ratios = (f"{one.gamma:g}", f"{live.gamma_done:.2f}")
        table.add_row(*ratios, *map(number, rates), gain, f"{live.waits:.2f}", *losses)
    return table


def print_receiving(cost: Receiving, console: Console) -> None:
    """Where the processor time of receiving goes."""
    own = f"receiving takes the receiver {cost.own_ns:.3f} ns a byte"
    other = f"other processors of its node {cost.elsewhere_ns:.3f}"
    often = f"{cost.waits:.2g} times a message at gamma 0"
    if cost.wait_ns is None:
        console.print(f"{own}, its waits included ({often}), and {other}")
        return
    each = f"{cost.wait_ns / 1e3:.3g} us more each time that it waits ({often})"
    console.print(f"{own}, and {other}; {each}")


def _print_taken(points: Sequence[LoadedPoint], console: Console) -> None:
    """That the machine is shared, where it is."""
    most = max((one.live.taken for one in points if one.live), default=0.0)
    if most >= SHARED:
        console.print(
            f"shared: other programs had the receiver's processor up to {100 * most:.0f} % of the "
            "time; throughputs are lower for that, and `weft fit` leaves that time out",
            style="bold",
        )


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


def _softirqs(points: Sequence[LoadedPoint], node: str) -> Table:
    """Those of a node's processors that had most of them."""
    loads = [(one, one.live.softirq_ns.get(node, {})) for one in points if one.live]
    sums = Counter[int]()
    for _, by_cpu in loads:
        sums.update({cpu: round(ns) for cpu, ns in by_cpu.items()})
    cpus = sorted(cpu for cpu, _ in sums.most_common(MOST_PROCESSORS))
    table = plain_table("gamma", *(f"cpu{cpu}" for cpu in cpus))
    for one, by_cpu in loads:
        row = (_time(by_cpu.get(cpu, 0.0), one.size_bytes) for cpu in cpus)
        table.add_row(f"{one.gamma:g}", *row)
    return table


def _time(message_ns: float, size_bytes: int) -> str:
    return f"{message_ns / 1e3:.1f} ({message_ns / size_bytes:.3f})"


def _shares(one: Interval) -> str:
    return f"{one.median:.3f} ({one.low:.3f} to {one.high:.3f})"


def _gains(one: Interval) -> str:
    return f"{one.median:+.0%} ({100 * one.low:+.0f} to {100 * one.high:+.0f})"


def _print_gains(points: Sequence[LoadedPoint], console: Console) -> None:
    """At which gammas something was gained over the step before, as far as the intervals tell."""
    gains = [(f"{one.gamma:g}", one.live.gain) for one in points if one.live and one.live.gain]
    kinds = {
        "gains at gamma": [gamma for gamma, gain in gains if gain.low > 0],
        "loses at gamma": [gamma for gamma, gain in gains if gain.high < 0],
        "no difference shown at gamma": [
            gamma for gamma, gain in gains if gain.low <= 0 <= gain.high
        ],
    }
    said = [f"{kind} {', '.join(gammas)}" for kind, gammas in kinds.items() if gammas]
    if said:
        console.print("; ".join(said))
