"""Output of `weft show` about applications that compute, and web servers."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from weft.faces.cli.tables.layout import print_table
from weft.understand.node.applications import LoadedPoint
from weft.understand.node.live_loads import ReceivingTime
from weft.understand.node.p_over_gamma import p_over_gamma_text
from weft.understand.summary.summary import Summary
from weft.understand.tables.loads import loads_table, processors_table, softirqs_table
from weft.understand.tables.web import page_costs_table, web_table

SHARED = 0.05
"""Share of the time; a machine that others use less than this counts as unshared."""


def print_loads(summary: Summary, console: Console) -> None:
    """Print for each step and size a line for each load."""
    for key in dict.fromkeys((one.step, one.size_bytes) for one in summary.loaded):
        loaded = [one for one in summary.loaded if (one.step, one.size_bytes) == key]
        if loaded[0].live:
            _print_live(summary.meta.plan.steps[key[0]].name, loaded, console)
            continue
        title = f"stream of {key[1]} B under an application load; before is without offload"
        print_table(console, loads_table(loaded).titled(title))
    for step, page in dict.fromkeys((one.step, one.page_bytes) for one in summary.web):
        web = [one for one in summary.web if (one.step, one.page_bytes) == (step, page)]
        live = web[0].live
        server = f"{live.server}, {live.loop} loop" if live else "web server"
        title = f"{server}, pages of {page} B, response times"
        print_table(console, web_table(web).titled(title))
        if (costs := page_costs_table(web)).rows:
            print_table(console, costs)


def _print_live(step: str, points: Sequence[LoadedPoint], console: Console) -> None:
    """Print throughput and gain over gamma, then the processor time of a message."""
    first = points[0]
    if first.live is None:
        return
    before = f"is measured, step {first.live.before}" if first.live.before else "is by LAWS"
    title = f"{step}: stream of {first.size_bytes} B whose receiver computes; before {before}"
    print_table(console, loads_table(points).titled(title))
    _print_gains(points, console)
    if p := first.live.p:
        shares = f"{p.median:.3f} ({p.low:.3f} to {p.high:.3f})"
        console.print(f"p = {shares} by processor time, before the sweep")
    if said := p_over_gamma_text(points):
        console.print(said)
    _print_receiving(first.live.receiving, console)
    _print_taken(points, console)
    print_table(console, processors_table(points))
    print_table(console, softirqs_table(points))
    note = "softirq: of the whole node, in system too unless its kernel keeps it apart; receiving: without the work"
    console.print(note, style="dim")


def _print_receiving(cost: ReceivingTime, console: Console) -> None:
    """Print how the processor time of receiving is spent."""
    own = f"receiving takes the receiver {cost.own_ns:.3f} ns a byte"
    other = f"other processors of its node {cost.elsewhere_ns:.3f}"
    often = f"{cost.waits:.2g} times a message at gamma 0"
    if cost.wait_ns is None:
        console.print(f"{own}, its waits included ({often}), and {other}")
        return
    each = f"{cost.wait_ns / 1e3:.3g} us more each time that it waits ({often})"
    console.print(f"{own}, and {other}; {each}")


def _print_taken(points: Sequence[LoadedPoint], console: Console) -> None:
    """Print that the machine is shared, if it is."""
    most = max((one.live.taken for one in points if one.live), default=0.0)
    if most >= SHARED:
        said = (
            f"other programs had the receiver's processor up to {100 * most:.0f} % of the time; throughputs are lower "
            "for that, and `weft fit` leaves that time out"
        )
        console.print(Text.assemble(("shared: ", "yellow"), said))


def _print_gains(points: Sequence[LoadedPoint], console: Console) -> None:
    """Print the gammas with a gain over the previous step, as far as the intervals show."""
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
