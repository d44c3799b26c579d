"""What `weft show` says of the insides of nodes, and of the applications that compute on them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from weft.cli.tables.layout import plain_table, titled
from weft.cli.tables.live_loads import print_live_loads
from weft.diagnosis.node.applications import LoadedPoint
from weft.diagnosis.node.occupation import Budget, Busy, CacheHits, Cycles
from weft.diagnosis.node.web import WebPoint
from weft.diagnosis.summary import Summary
from weft.quantity import number


def print_insides(summary: Summary, console: Console) -> None:
    """For each step: the largest size, which occupies most, and where the time of the smallest goes."""
    for step in sorted({busy.step for busy in summary.occupation}):
        mine = [busy for busy in summary.occupation if busy.step == step]
        phase = max((busy.size_bytes, busy.phase) for busy in mine)[1]
        shown = [busy for busy in mine if busy.phase == phase]
        load = _load(summary, shown[0])
        titled(console, f"busy at {load}, % of the time", _busy_table(shown))
        if hits := [one for one in summary.caches if (one.step, one.phase) == (step, phase)]:
            titled(console, f"caches at {load}, hits in %", _cache_table(hits))
        if budgets := [budget for budget in summary.budgets if budget.step == step]:
            smallest = min(budgets, key=lambda budget: budget.size_bytes)
            title = f"where the {smallest.total_us:.1f} us of {smallest.size_bytes} B go, us"
            titled(console, title, _budget_table(smallest))
        if cycles := [one for one in summary.cycles if (one.step, one.phase) == (step, phase)]:
            titled(console, f"cycles by category at {load}", _cycles_table(cycles))


def _load(summary: Summary, busy: Busy) -> str:
    """The size of messages, and what else was asked of the node."""
    at = (busy.step, busy.phase)
    gamma = [f" and gamma {one.gamma:g}" for one in summary.loaded if (one.step, one.phase) == at]
    users = [f" and {one.users} users" for one in summary.web if (one.step, one.phase) == at]
    return f"{busy.size_bytes} B" + "".join([*gamma, *users])


def _busy_table(rows: list[Busy]) -> Table:
    tasks = [task for task in rows[0].shares if task]
    table = plain_table("", "", *tasks, "in all", "irq/s")
    for busy in rows:
        by_task = [_percent(busy.shares.get(task)) for task in tasks]
        calls = f"{busy.interrupts_per_s:.0f}" if busy.interrupts_per_s else ""
        table.add_row(busy.node, busy.part, *by_task, f"{100 * busy.share:.1f}", calls)
    return table


def _cache_table(rows: list[CacheHits]) -> Table:
    """A line for each cache of each processor, with what part of each kind of access it had."""
    kinds = list(dict.fromkeys(row.access for row in rows))
    table = plain_table("", "", "", *kinds, "accesses")
    for key in dict.fromkeys((row.node, row.part, row.cache) for row in rows):
        mine = {row.access: row for row in rows if (row.node, row.part, row.cache) == key}
        rates = [_percent(mine[kind].hit_rate) if kind in mine else "" for kind in kinds]
        table.add_row(*key, *rates, f"{sum(row.accesses for row in mine.values()):.0f}")
    return table


def _percent(share: float | None) -> str:
    return f"{100 * share:.1f}" if share else ""


def _cycles_table(rows: list[Cycles]) -> Table:
    """For each node the share of its cycles, and what they come to for each byte."""
    table = plain_table("", "cycles/B", *(f"{name}, %" for name in rows[0].cycles))
    for one in rows:
        whole = sum(one.cycles.values()) / max(1, one.size_bytes)
        shares = (f"{100 * one.share(name):.1f}" for name in one.cycles)
        table.add_row(one.node, number(whole), *shares)
    return table


def _budget_table(budget: Budget) -> Table:
    table = plain_table("", "us", "%")
    for stage, stage_us in budget.stages_us.items():
        table.add_row(stage, number(stage_us), f"{100 * stage_us / budget.total_us:.1f}")
    return table


def print_loads(summary: Summary, console: Console) -> None:
    """For each step and size a line for each load."""
    for key in dict.fromkeys((one.step, one.size_bytes) for one in summary.loaded):
        loaded = [one for one in summary.loaded if (one.step, one.size_bytes) == key]
        if loaded[0].live:
            print_live_loads(summary.meta.plan.steps[key[0]].name, loaded, console)
            continue
        title = f"stream of {key[1]} B under an application load, Mb/s; before is without offload"
        titled(console, title, _loaded_table(loaded))
    for key in dict.fromkeys((one.step, one.page_bytes) for one in summary.web):
        web = [one for one in summary.web if (one.step, one.page_bytes) == key]
        live = web[0].live
        if live:
            title = f"{live.server}, {live.loop} loop, pages of {key[1]} B, response times in ms"
            titled(console, title, _live_web_table(web))
            if live.processor_us:
                titled(console, "processor time for a page, us", _page_cost_table(web))
        else:
            titled(
                console, f"web server, pages of {key[1]} B, response times in ms", _web_table(web)
            )


def _loaded_table(points: Sequence[LoadedPoint]) -> Table:
    table = plain_table("gamma", "Mb/s", "LAWS at most", "before", "gain", "LAWS at most")
    for one in points:
        rates = (one.throughput_mbps, one.laws_mbps, one.before_mbps)
        gains = (f"{one.gain:+.1%}", f"{one.laws_gain:+.1%}")
        table.add_row(f"{one.gamma:g}", *map(number, rates), *gains)
    return table


def _web_table(points: Sequence[WebPoint]) -> Table:
    processors = list(points[0].interrupts_per_s)
    loads = [f"{name} %" for name in processors]
    table = plain_table("users", "pages/s", "mean", "median", "95 %", *loads, "irq/s")
    for one in points:
        times_us = (one.response_us, one.median_us, one.p95_us)
        table.add_row(
            str(one.users),
            number(one.pages_per_s),
            *(number(time_us / 1e3) for time_us in times_us),
            *(f"{100 * one.busy[name]:.1f}" for name in processors),
            f"{sum(one.interrupts_per_s.values()):.0f}",
        )
    return table


def _live_web_table(points: Sequence[WebPoint]) -> Table:
    """Where launches tell how sure the last quantile is, its interval."""
    has_interval = points[0].live is not None and points[0].live.launches > 1
    ends = ["from", "to"] if has_interval else []
    headers = ["users", "pages/s", "Mb/s", "median", "90 %", "95 %", "99 %", *ends, "99.9 %"]
    table = plain_table(*headers, "errors", "time-outs")
    for point in points:
        assert point.live
        times_us = point.live.response_us
        p99 = times_us["p99"]
        shown = [times_us[name].median for name in ("median", "p90", "p95", "p99")]
        shown += [p99.low, p99.high] if has_interval else []
        table.add_row(
            str(point.users),
            number(point.pages_per_s),
            number(point.throughput_mbps),
            *(number(time_us / 1e3) for time_us in [*shown, times_us["p999"].median]),
            str(point.live.errors),
            str(point.live.timeouts),
        )
    return table


def _page_cost_table(points: Sequence[WebPoint]) -> Table:
    kinds = list(points[0].live.processor_us) if points[0].live else []
    table = plain_table("users", *kinds)
    for point in points:
        costs = point.live.processor_us if point.live else {}
        table.add_row(str(point.users), *(number(costs[kind].median) for kind in kinds))
    return table
