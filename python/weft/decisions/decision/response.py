"""Simulation results as arrays: the time of each design and workload, and its dependence on each quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.statistics import Floats
from weft.decisions.decision.designs import Design
from weft.decisions.decision.quantities import UncertainQuantity, scaled
from weft.decisions.decision.request import Constraint
from weft.decisions.decision.workloads import WeightedWorkload
from weft.simulation.sweep.row import SweepRow


@dataclass(frozen=True)
class Column:
    """A whole workload including its computation, or the part of it that a constraint is about."""

    workload: str
    step: str = ""
    size_bytes: int | None = None
    compute_s: float = 0.0
    repeat: int = 1

    def has(self, row: SweepRow) -> bool:
        """Whether a row of the workload belongs to it."""
        is_step = not self.step or row.step == self.step
        return is_step and self.size_bytes in (None, row.size_bytes)


@dataclass(frozen=True, eq=False)
class Response:
    """`logs` (designs x columns) are logarithms of seconds at the medians. `low` and `high` (quantities x designs x
    columns) are added to them at the ends of each quantity; `errors` are the standard errors of sampled phases.
    `latency` is the share of communication time that does not depend on message size, at the medians."""

    columns: tuple[Column, ...]
    logs: Floats
    errors: Floats
    low: Floats
    high: Floats
    latency: Floats

    def times(self, below: Floats, above: Floats) -> Floats:
        """Logarithms of times (draws x designs x columns) for quantities at these multiples of their widths below and
        above their medians (draws x quantities). Interpolation is linear between the ends, and effects add up."""
        return self.logs + np.tensordot(below, self.low, 1) + np.tensordot(above, self.high, 1)


def columns_of(
    workloads: Sequence[WeightedWorkload], constraints: Sequence[Constraint]
) -> list[Column]:
    """The workloads, then the steps and sizes that constraints are about."""
    whole = [Column(one.name, compute_s=one.compute_s, repeat=one.repeat) for one in workloads]
    parts = (Column(one.workload, one.step, one.size_bytes) for one in constraints if one.is_part)
    return [*whole, *dict.fromkeys(parts)]


def place_of(constraint: Constraint, columns: Sequence[Column]) -> int:
    """The column of a constraint on time."""
    wanted = (constraint.workload, constraint.step, constraint.size_bytes)
    keys = [(one.workload, one.step, one.size_bytes) for one in columns]
    return keys.index(wanted)


def response_of(
    designs: Sequence[Design],
    columns: Sequence[Column],
    quantities: Sequence[UncertainQuantity],
    rows: Mapping[tuple[str, str], Sequence[SweepRow]],
) -> Response:
    """Build the response from the `rows` of each design and workload."""
    shape = (len(designs), len(columns))
    points = 1 + 2 * _simulated(quantities)
    logs, errors, shares = np.empty((points, *shape)), np.empty(shape), np.empty(shape)
    latency = np.empty(shape)
    for row, design in enumerate(designs):
        for place, column in enumerate(columns):
            counted = [one for one in rows[design.name, column.workload] if column.has(one)]
            spent = column.repeat * _sums(counted, points)
            logs[:, row, place] = np.log(column.compute_s + spent)
            shares[row, place] = spent[0] / (column.compute_s + spent[0])
            errors[row, place] = shares[row, place] * _error(counted)
            latency[row, place] = min(
                1.0, sum(one.latency_s for one in counted) / _sums(counted, points)[0]
            )
    low, high = _effects(designs, columns, quantities, logs, shares)
    middle = logs[0] + _biases(designs, columns, quantities, shares)
    return Response(tuple(columns), middle, errors, low, high, latency)


def _simulated(quantities: Sequence[UncertainQuantity]) -> int:
    """How many quantities affect simulations; those of rates count once, because all entries have the same ends."""
    hosts = sum(one.kind == "host" for one in quantities)
    return hosts + (scaled(quantities) is not None)


def _sums(rows: Sequence[SweepRow], points: int) -> Floats:
    totals = np.zeros(points)
    for row in rows:
        totals[row.point] += row.time_s
    return totals


def _error(rows: Sequence[SweepRow]) -> float:
    first = [row for row in rows if row.point == 0]
    square = sum((row.time_s * row.relative_error) ** 2 for row in first)
    return float(np.sqrt(square) / sum(row.time_s for row in first))


def _biases(
    designs: Sequence[Design],
    columns: Sequence[Column],
    quantities: Sequence[UncertainQuantity],
    shares: Floats,
) -> Floats:
    """The median error of the simulator."""
    total = np.zeros(shares.shape)
    for one in quantities:
        if one.kind == "simulator":
            total += np.log1p(shares * _cells(designs, columns, one.of) * np.expm1(one.median))
    return total


def _effects(
    designs: Sequence[Design],
    columns: Sequence[Column],
    quantities: Sequence[UncertainQuantity],
    logs: Floats,
    shares: Floats,
) -> tuple[Floats, Floats]:
    """What is added to the logarithms at the low and at the high end of each quantity. `shares` are the parts of times
    that are communication, the only part for which the simulator has an error."""
    shape = (len(quantities), len(designs), len(columns))
    low, high = np.zeros(shape), np.zeros(shape)
    hosts = sum(one.kind == "host" for one in quantities)
    host = 0
    for place, one in enumerate(quantities):
        if one.kind == "host":
            low[place], high[place] = (logs[1 + 2 * host + end] - logs[0] for end in (0, 1))
            host += 1
        elif one.kind == "rates":
            mine = np.array([design.entry == one.of[0] for design in designs])[:, np.newaxis]
            low[place], high[place] = (
                mine * (logs[1 + 2 * hosts + end] - logs[0]) for end in (0, 1)
            )
        elif one.kind == "simulator":
            mine = shares * _cells(designs, columns, one.of)
            low[place], high[place] = (
                np.log1p(mine * np.expm1(end)) - np.log1p(mine * np.expm1(one.median))
                for end in (one.low, one.high)
            )
    return low, high


def _cells(
    designs: Sequence[Design], columns: Sequence[Column], of: tuple[str, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Mask of the cells of an entry and a workload."""
    rows = np.array([design.entry == of[0] for design in designs])
    places = np.array([column.workload == of[1] for column in columns])
    return np.outer(rows, places)
