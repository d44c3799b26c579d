"""The steps of runs that are Linpack, as sentences and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.diagnosis.linpack import Solution, solutions
from weft.interval import Interval
from weft.quantity import significant
from weft.report.table import Table
from weft.runs.folder import Run
from weft.statistics import has_interval

_HEADERS = [
    "Run", "n", "Blocks", "Grid", "Broadcast", "GFlop/s", "Seconds", "Launches", "Wrong", "Computing", "Communicating",
    "Waiting", "Network for each MFlop/s",
]  # fmt: skip


@dataclass(frozen=True)
class LinpackStep:
    """One step of one run, under a label that no other has."""

    label: str
    run: Run
    solution: Solution

    @property
    def findings(self) -> str:
        """How fast it was, in a clause."""
        one = self.solution
        what = f"Linpack of {one.n:,} unknowns over {one.nodes} nodes ({one.grid})"
        if one.gflops is None:
            return f"{what} has no right solution"
        kind = "" if one.is_real else ", its skeleton"
        return f"{what} at {_range(one.gflops, one.launches)} GFlop/s{kind}"


def linpack_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[LinpackStep]:
    """Those of all runs, in their order."""
    named = zip(names, runs, strict=True)
    return [
        LinpackStep(f"{name} · {one.name}", run, one)
        for name, run in named
        for one in solutions(run)
    ]


def linpack_table(steps: Sequence[LinpackStep]) -> Table:
    """A row for each step."""
    return Table(_HEADERS, [_row(one.label, one.solution) for one in steps])


def _row(label: str, one: Solution) -> list[str]:
    shares = one.shares
    of_time = (shares.compute, shares.communicate, shares.wait) if shares else ()
    price = one.per_mflops
    return [
        label,
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
