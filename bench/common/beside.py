"""Published values beside computed ones, and how far off is what nothing was fitted to, by kind."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from common.results import Goal

BOUNDS = {
    "latency": 10.0, "throughput": 10.0, "load": 10.0, "interrupts": 10.0, "gain": 10.0,
    "cycles": 5.0, "L1D read": 5.0, "L1D write": 5.0, "L2 read": 5.0, "L2 write": 5.0,
}  # fmt: skip
"""Of a kind's median: in per cent of what was published, or in percentage points where it is a share."""


@dataclass(frozen=True)
class Beside:
    """A published value and the computed one. `note` says why it is no prediction: it was fitted, or is a bound."""

    kind: str
    name: str
    published: float
    computed: float
    note: str = ""
    in_points: bool = False

    @property
    def off(self) -> float:
        """In per cent of the published value, or in percentage points."""
        difference = self.computed - self.published
        return difference if self.in_points else 100 * difference / self.published

    @property
    def text(self) -> str:
        """A line of a table: both values, the error, the note."""
        unit = "points" if self.in_points else "%"
        both = f"{self.published:>10.5g}{self.computed:>10.5g}"
        return f"{self.name:42}{both}{self.off:+8.1f} {unit:6}  {self.note}".rstrip()


def median_off(rows: Iterable[Beside]) -> float:
    """Of what nothing was fitted to."""
    return statistics.median(abs(one.off) for one in rows if not one.note)


def print_rows(rows: Iterable[Beside]) -> list[Beside]:
    """Each on its line, and all of them."""
    rows = list(rows)
    print(f"\n{'':42}{'published':>10}{'computed':>10}{'off':>8}")
    for one in rows:
        print(one.text)
    return rows


def print_kinds(rows: Iterable[Beside]) -> list[Goal]:
    """The table of what nothing was fitted to: median and worst error of each kind."""
    predicted = [one for one in rows if not one.note]
    print(f"\n{'predicted':12}{'values':>7}{'median':>8}{'worst':>8}")
    goals = []
    for kind in dict.fromkeys(one.kind for one in predicted):
        mine = [one for one in predicted if one.kind == kind]
        worst = max(mine, key=lambda one: abs(one.off))
        unit = "points" if worst.in_points else "%"
        median = median_off(mine)
        print(f"{kind:12}{len(mine):>7}{median:>8.1f}{worst.off:>+8.1f} {unit:6}  {worst.name}")
        goals.append(Goal(f"{kind}, median of {len(mine)}", median, unit, at_most=BOUNDS[kind]))
        goals.append(Goal(f"{kind}, worst: {worst.name}", abs(worst.off), unit))
    return goals
