"""Linpack as a table."""

from __future__ import annotations

from collections.abc import Sequence

from weft.diagnosis.linpack import Solution
from weft.interval import Interval
from weft.quantity import significant
from weft.report.table import Table
from weft.statistics import has_interval

_HEADERS = [
    "Run", "n", "Blocks", "Grid", "Broadcast", "GFlop/s", "Seconds", "Launches", "Wrong", "Computing", "Communicating",
    "Waiting", "Network for each MFlop/s",
]  # fmt: skip


def linpack_table(named: Sequence[tuple[str, Solution]]) -> Table:
    """A row for each step, with its run's name."""
    return Table(_HEADERS, [_row(name, one) for name, one in named])


def _row(name: str, one: Solution) -> list[str]:
    shares = one.shares
    of_time = (shares.compute, shares.communicate, shares.wait) if shares else ()
    price = one.per_mflops
    return [
        f"{name} · {one.name}",
        f"{one.n:,}",
        str(one.nb),
        one.grid,
        one.bcast,
        _range(one.gflops, one.launches),
        _range(one.elapsed_s, one.launches),
        str(one.launches),
        str(one.wrong),
        *([f"{share:.1%}" for share in of_time] or [""] * 3),
        f"{significant(price.network, 3)} {price.currency} ({price.year})" if price else "",
    ]


def _range(value: Interval | None, launches: int) -> str:
    if value is None:
        return "none"
    ends = (
        f" [{significant(value.low, 4)}, {significant(value.high, 4)}]"
        if has_interval(launches)
        else ""
    )
    return significant(value.median, 4) + ends
