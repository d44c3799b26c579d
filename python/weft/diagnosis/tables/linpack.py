"""Linpack as a table: how fast, what of the time, and at which price."""

from __future__ import annotations

from collections.abc import Sequence

from weft.diagnosis.linpack import Price, Shares, Solution
from weft.diagnosis.tables.known import over_launches
from weft.interval import Interval
from weft.table import Column, Table, Value

GFLOPS = Column("gflops", "speed", Interval, over_launches("gflops"))


def _of_time(kind: str, label: str) -> Column:
    def read(one: Solution) -> float | None:
        shares: Shares | None = one.shares
        return getattr(shares, kind) if shares else None

    return Column(f"{kind}_share", f"{label}, of the time", read=read)


def _priced(name: str, label: str, key: str, type_: type = float) -> Column:
    def read(one: Solution) -> Value:
        price: Price | None = one.per_mflops
        return getattr(price, key) if price else None

    return Column(name, label, type_, read)


_COLUMNS = (
    Column("name", "step", str, shown="data"),
    Column("n", "unknowns", int, shown="page"),
    Column("nb", "columns of a block", int, shown="page"),
    Column("grid", "grid", str, shown="page"),
    Column("bcast", "broadcast", str, shown="page"),
    Column("nodes", "nodes", int, shown="page"),
    Column("is_real", "the real program", bool, shown="data"),
    GFLOPS,
    Column("elapsed_s", "time", Interval, over_launches("elapsed_s")),
    Column("launches", "launches", int, shown="page"),
    Column("wrong", "wrong", int, shown="page"),
    _of_time("compute", "computing"),
    _of_time("communicate", "communicating"),
    _of_time("wait", "waiting"),
    _priced("network_per_mflops", "network for each MFlop/s", "network"),
    _priced("total_per_mflops", "with the nodes", "total"),
    _priced("currency", "currency", "currency", str),
    _priced("year", "prices of", "year", int),
)


def linpack_table(found: Sequence[Solution]) -> Table:
    """A row for each step."""
    return Table.of("Linpack", _COLUMNS, found)


def short_tables(found: Sequence[Solution]) -> list[Table]:
    """A table for each step, whose title has what it solved."""
    return [_short(one) for one in found]


def _short(one: Solution) -> Table:
    how = f"{one.grid}, nb {one.nb}, {one.bcast}, {'the real program' if one.is_real else 'its skeleton'}"
    nodes = "1 node" if one.nodes == 1 else f"{one.nodes} nodes"
    title = f"{one.name}: Linpack of {one.n} unknowns over {nodes} ({how})"
    wrong = [f"{one.wrong} launches had a wrong solution, whose times count nowhere"] * bool(
        one.wrong
    )
    return Table.of(title, _COLUMNS, [one], wrong)
