"""Linpack as a table: speed, shares of the time, and price."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable, Value
from weft.runs.meta import RunMeta
from weft.understand.curve.over_launches import over_launches
from weft.understand.kinds.linpack.solution import LinpackPrice, Shares, Solution

GFLOPS = ResultColumn("speed_gflops", "speed", Interval, over_launches("gflops"))


def _of_time(kind: str, label: str) -> ResultColumn:
    def read(one: Solution) -> float | None:
        shares: Shares | None = one.shares
        return getattr(shares, kind) if shares else None

    return ResultColumn(f"{kind}_share", f"{label}, of the time", read=read)


def _priced(name: str, label: str, key: str, type_: type = float) -> ResultColumn:
    def read(one: Solution) -> Value:
        price: LinpackPrice | None = one.per_mflops
        return getattr(price, key) if price else None

    return ResultColumn(name, label, type_, read)


_COLUMNS = (
    ResultColumn("name", "step", str, shown="data"),
    ResultColumn("n", "unknowns", int, shown="page"),
    ResultColumn("nb", "columns of a block", int, shown="page"),
    ResultColumn("grid", "grid", str, shown="page"),
    ResultColumn("bcast", "broadcast", str, shown="page"),
    ResultColumn("nodes", "nodes", int, shown="page"),
    ResultColumn("is_real", "the real program", bool, shown="data"),
    GFLOPS,
    ResultColumn("elapsed_s", "time", Interval, over_launches("elapsed_s")),
    ResultColumn("launches", "launches", int, shown="page"),
    ResultColumn("wrong", "wrong solutions", int, shown="page"),
    _of_time("compute", "computing"),
    _of_time("communicate", "communicating"),
    _of_time("wait", "waiting"),
    _priced("network_per_mflops", "network for each MFlop/s", "network"),
    _priced("total_per_mflops", "with the nodes", "total"),
    _priced("currency", "currency", "currency", str),
    _priced("year", "prices of", "year", int),
)


def linpack_table(found: Sequence[Solution]) -> ResultTable:
    """A row for each step."""
    return ResultTable.of("Linpack", _COLUMNS, found)


def short_table(name: str, found: Sequence[Solution], _: RunMeta) -> ResultTable:
    """The table of one step; its title describes the problem."""
    (one,) = found
    how = f"{one.grid}, nb {one.nb}, {one.bcast}, {'the real program' if one.is_real else 'its skeleton'}"
    nodes = "1 node" if one.nodes == 1 else f"{one.nodes} nodes"
    title = f"{name}: Linpack of {one.n} unknowns over {nodes} ({how})"
    wrong = [f"{one.wrong} launches had a wrong solution, whose times count nowhere"] * bool(
        one.wrong
    )
    return ResultTable.of(title, _COLUMNS, [one], wrong)
