"""Response times of web servers and the cost of a page, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.statistics import has_interval
from weft.base.table import ResultColumn, ResultTable, Shown, Value
from weft.understand.kinds.loads.live_web import LiveWeb
from weft.understand.kinds.loads.web import WebPoint


def _time(name: str, label: str, simulated: str = "", shown: Shown = "median") -> ResultColumn:
    """A response time: with its interval for a real server, else from the attribute `simulated`."""

    def read(one: WebPoint) -> Value:
        if one.live:
            return _known(one.live, one.live.response_us[name].scaled(1e-3))
        return getattr(one, simulated) / 1e3 if simulated else None

    return ResultColumn(f"{name}_ms", label, Interval, read, shown=shown)


def _known(live: LiveWeb, value: Interval) -> Value:
    """The interval, or the median alone if there are too few launches."""
    return value if has_interval(live.launches) else value.median


def _pages(one: WebPoint) -> Value:
    return _known(one.live, one.live.pages_per_s) if one.live else one.pages_per_s


def _interrupts(one: WebPoint) -> float | None:
    return sum(one.interrupts_per_s.values()) if one.interrupts_per_s else None


_USERS = (
    ResultColumn("step", "step", int, shown="data"),
    ResultColumn("page_bytes", "page", int, shown="data"),
    ResultColumn("users", "users", int),
)
_SERVED = (
    *_USERS,
    ResultColumn("pages_per_second", "pages/s", Interval, _pages, shown="median"),
    ResultColumn("throughput_mbps", "rate", shown="page"),
    _time("mean", "mean", "response_us", "page"),
    _time("median", "median", "median_us"),
    _time("p90", "90 %", shown="page"),
    _time("p95", "95 %", "p95_us"),
    _time("p99", "99 %", "p99_us", "everywhere"),
    _time("p999", "99.9 %"),
    ResultColumn("errors", "errors", int, lambda one: one.live and one.live.errors),
    ResultColumn("timeouts", "time-outs", int, lambda one: one.live and one.live.timeouts),
)
_INTERRUPTS = ResultColumn("interrupts_per_second", "irq/s", read=_interrupts, spec=".0f")


def _busy(part: str) -> ResultColumn:
    return ResultColumn(f"{part}_share", part, read=lambda one: one.busy.get(part))


def _cost(kind: str) -> ResultColumn:
    def read(one: WebPoint) -> Value:
        live = one.live
        return _known(live, live.processor_us[kind]) if live and kind in live.processor_us else None

    return ResultColumn(f"{kind.replace(', ', '_')}_us", kind, Interval, read, shown="median")


def web_table(points: Sequence[WebPoint]) -> ResultTable:
    """A row for each number of users; shares are the times in which parts of a simulated server are busy."""
    parts = dict.fromkeys(part for one in points for part in one.interrupts_per_s)
    return ResultTable.of("web server", [*_SERVED, *map(_busy, parts), _INTERRUPTS], points)


def page_costs_table(points: Sequence[WebPoint]) -> ResultTable:
    """The cost of pages of real servers; without rows if no evidence was recorded."""
    known = [one for one in points if one.live and one.live.processor_us]
    kinds = dict.fromkeys(kind for one in known if one.live for kind in one.live.processor_us)
    title = "processor time for a page"
    return ResultTable.of(title, [*_USERS, *map(_cost, kinds)], known)


def served_table(points: Sequence[WebPoint]) -> ResultTable:
    """The table of one page of one server; the title names both."""
    first, live = points[0], points[0].live
    server = f"{live.server}, {live.loop} loop" if live else "web server"
    return web_table(points).titled(f"{server}, pages of {first.page_bytes} B, response times")
