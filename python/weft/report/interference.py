"""The steps of runs that are interference, as sentences and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from weft.diagnosis.interference.slow_down import SlowDown, slow_downs
from weft.diagnosis.interference.trials import WHOLE
from weft.interval import Interval
from weft.quantity import format_bytes, format_mbps, format_us, significant
from weft.report.table import Table
from weft.runs.folder import Run
from weft.statistics import has_interval

_HEADERS = [
    "Run", "Victim", "Size", "Beside", "Alone", "Beside it", "Slow-down", "Mean", "99 %", "Congestor", "Repetitions",
    "Most loaded that both share",
]  # fmt: skip


@dataclass(frozen=True)
class InterferenceStep:
    """One step of one run, under a label that no other has."""

    label: str
    run: Run
    rows: Sequence[SlowDown]

    @property
    def findings(self) -> str:
        """What slows it down most, in a clause."""
        worst = max(self.rows, key=lambda one: one.slow_down.median)
        ends = "" if worst.covered >= WHOLE else ", which ended before it"
        return (
            f"{worst.victim} of {format_bytes(worst.size_bytes)} over {worst.victim_nodes} nodes takes at most "
            f"{times_text(worst.slow_down, worst.units)} times as long beside others: beside {worst.congestor} on "
            f"{worst.congestor_nodes} nodes{ends}"
        )


def interference_steps_of(names: Sequence[str], runs: Sequence[Run]) -> list[InterferenceStep]:
    """Those of all runs, in their order."""
    return [
        InterferenceStep(f"{name} · {run.meta.plan.steps[step].name}", run, list(rows))
        for name, run in zip(names, runs, strict=True)
        for step, rows in groupby(slow_downs(run), lambda one: one.step)
    ]


def interference_table(steps: Sequence[InterferenceStep]) -> Table:
    """A row for each size and congestor."""
    return Table(_HEADERS, [_row(step.label, one) for step in steps for one in step.rows])


def times_text(value: Interval, units: int) -> str:
    """A ratio, with its interval where there is one."""
    ends = f" [{significant(value.low, 3)}, {significant(value.high, 3)}]"
    return significant(value.median, 3) + (ends if has_interval(units) else "")


def _row(label: str, one: SlowDown) -> list[str]:
    return [
        label,
        f"{one.victim}, {one.victim_nodes} nodes",
        format_bytes(one.size_bytes),
        f"{one.congestor}, {one.congestor_nodes} nodes",
        format_us(one.alone_us.median),
        format_us(one.beside_us.median),
        *(times_text(each, one.units) for each in (one.slow_down, one.mean, one.p99)),
        format_mbps(one.congestor_mbps) + ("" if one.covered >= WHOLE else ", ended early"),
        str(one.repeats),
        _shared(one),
    ]


def _shared(one: SlowDown) -> str:
    if one.shared is None:
        return "not known"
    return one.shared[0].limit if one.shared else "nothing"
