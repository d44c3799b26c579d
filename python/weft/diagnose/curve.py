"""A run's samples as curves: one time per size and launch, for each step of the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.plan.plan import Step
from weft.run.folder import Run
from weft.statistics import Floats, Modes, modes_over_launches

Ints = npt.NDArray[np.int64]

Reduction = Literal["median", "best", "mean"]
"""What stands for a launch: the median, the fastest or the mean of its batches."""

_OF_STATISTIC: dict[str, Reduction] = {"batch": "median", "best": "best", "mean": "mean"}


def reduction_of(run: Run) -> Reduction:
    """The reduction that suits the run's rows: imported ones may already be the best of several."""
    return _OF_STATISTIC[run.meta.statistic]


@dataclass(frozen=True)
class Curve:
    """One step: `times_us[i, j]` is the one-way time of a message of `sizes[i]` in `launches[j]`.

    NaN where a launch did not measure a size. The time of a ping-pong message is half its round
    trip, that of a streamed message its share of the stream.
    """

    step: int
    pattern: str
    transport: str
    sizes: Ints
    launches: Ints
    times_us: Floats
    modes: tuple[Modes, ...]
    phases: Ints

    @property
    def rates_mbps(self) -> Floats:
        """Throughput in the shape of `times_us`."""
        return to_mbps(self.sizes[:, np.newaxis], self.times_us)

    @cached_property
    def middle_us(self) -> Floats:
        """The median over launches at each size, the upper one of an even number."""
        ordered = np.sort(self.times_us, axis=1)
        counts = np.count_nonzero(~np.isnan(ordered), axis=1)
        middle: Floats = ordered[np.arange(len(ordered)), counts // 2]
        return middle

    def whole(self) -> Curve:
        """The launches that measured the most sizes, and the sizes all of those measured."""
        measured = ~np.isnan(self.times_us)
        counts = measured.sum(axis=0)
        columns = np.flatnonzero(counts == counts.max())
        rows = np.flatnonzero(measured[:, columns].all(axis=1))
        return replace(
            self,
            sizes=self.sizes[rows],
            launches=self.launches[columns],
            times_us=self.times_us[np.ix_(rows, columns)],
            modes=tuple(self.modes[row] for row in rows),
            phases=self.phases[rows],
        )


def to_mbps(size_bytes: npt.ArrayLike, time_us: npt.ArrayLike) -> Floats:
    """Throughput of messages that take `time_us` each; bits per microsecond are 10^6 bit/s."""
    rates: Floats = np.asarray(size_bytes) * 8.0 / np.asarray(time_us)
    return rates


def curves(run: Run, reduction: Reduction | None = None) -> list[Curve]:
    """The run's curves in the order of its steps; O(n log n) in the number of rows.

    Steps between many nodes have none: a size there is as many routes, not one time. Nor have those with an
    application's load, where it is as many loads.
    """
    batches = Batches.of(run)
    if len(batches.step) == 0:
        return []
    reduced = batches.reduce(reduction or reduction_of(run))
    return [_curve(run, step, batches, reduced) for step in np.unique(batches.step)]


def pingpong(found: list[Curve]) -> Curve | None:
    """The curve a signature is read from: the first ping-pong, over a network if there is one."""
    candidates = [curve for curve in found if curve.pattern == "pingpong"]
    networked = [curve for curve in candidates if curve.transport != "null"]
    return next(iter(networked or candidates), None)


@dataclass(frozen=True)
class Groups:
    """Batches reduced to one time for each step, size and launch, sorted in that order."""

    step: Ints
    size: Ints
    launch: Ints
    time_us: Floats


@dataclass(frozen=True)
class Batches:
    """The rows of a run's pairs sorted by step, size, launch and one-way time per message."""

    step: Ints
    size: Ints
    launch: Ints
    phase: Ints
    time_us: Floats

    @classmethod
    def of(cls, run: Run) -> Batches:
        kept = _rows_of_pairs(run)
        samples = run.samples.filter(kept)
        step, size, launch, phase = (
            column(samples, name) for name in ("step", "size_bytes", "launch", "phase")
        )
        time_us = message_times_us(run)[kept]
        order = np.lexsort((time_us, joint_code(samples, ["step", "size_bytes", "launch"])))
        return cls(step[order], size[order], launch[order], phase[order], time_us[order])

    def reduce(self, reduction: Reduction) -> Groups:
        starts = group_starts(self.step, self.size, self.launch)
        value = reduce_sorted(self.time_us, starts, reduction)
        return Groups(self.step[starts], self.size[starts], self.launch[starts], value)

    def by_size(self, step: int) -> Iterator[slice]:
        """The rows of each size of a step, sizes ascending."""
        first, last = np.searchsorted(self.step, [step, step + 1])
        starts = first + group_starts(self.size[first:last])
        for start, end in zip(starts, [*starts[1:], last], strict=True):
            yield slice(int(start), int(end))


def message_times_us(run: Run) -> Floats:
    """One-way time per message of every row, in the order of the samples table.

    A clock that saw no time pass counts as one nanosecond, the table's resolution, so that the row
    is kept. Where no message arrived the time is infinite, and so the rate zero.
    """
    samples = run.samples
    elapsed_ns = np.maximum(column(samples, "elapsed_ns"), 1)
    steps = run.meta.plan.steps
    ways = np.array([float(step.crossings) for step in steps])
    messages = column(samples, "messages") * ways[column(samples, "step")]
    times_us = np.full(len(messages), np.inf)
    np.divide(elapsed_ns, messages * 1e3, out=times_us, where=messages > 0)
    return times_us


def _rows_of_pairs(run: Run) -> npt.NDArray[np.bool_]:
    """Which rows belong to steps of one pair without an application's load."""
    steps = run.meta.plan.steps
    pairs = np.array([_has_curve(step) for step in steps], dtype=bool)
    kept: npt.NDArray[np.bool_] = pairs[column(run.samples, "step")]
    return kept


def _has_curve(step: Step) -> bool:
    """Whether a size of a step has one time."""
    return not (step.is_ensemble or step.computes or step.is_multi_pair)


def reduce_sorted(times: Floats, starts: Ints, reduction: Reduction) -> Floats:
    """One value for each group of `times`; groups begin at `starts` and are sorted inside."""
    if reduction == "best":
        return times[starts]
    counts = np.diff(np.append(starts, len(times)))
    if reduction == "mean":
        sums: Floats = np.add.reduceat(times, starts)
        return sums / counts
    middle: Floats = times[starts + counts // 2]
    return middle


def _curve(run: Run, step: int, batches: Batches, reduced: Groups) -> Curve:
    mine = reduced.step == step
    sizes, rows = np.unique(reduced.size[mine], return_inverse=True)
    launches, columns = np.unique(reduced.launch[mine], return_inverse=True)
    times_us = np.full((len(sizes), len(launches)), np.nan)
    times_us[rows, columns] = reduced.time_us[mine]
    parts = list(batches.by_size(int(step)))
    plan_step = run.meta.plan.steps[step]
    return Curve(
        step=int(step),
        pattern=plan_step.pattern.kind,
        transport=plan_step.transport,
        sizes=sizes,
        launches=launches,
        times_us=times_us,
        modes=tuple(
            modes_over_launches(batches.time_us[part], batches.launch[part]) for part in parts
        ),
        phases=np.array([batches.phase[part.start] for part in parts], dtype=np.int64),
    )


def column(samples: pa.Table, name: str) -> Ints:
    column: Ints = samples[name].to_numpy().astype(np.int64, copy=False)
    return column


def joint_code(samples: pa.Table, names: list[str]) -> Ints:
    """One integer for each combination of the columns, in their lexicographic order."""
    code = np.zeros(len(samples), dtype=np.int64)
    for name in names:
        values = pc.unique(samples[name]).sort()
        rank = pc.index_in(samples[name], value_set=values).to_numpy()
        code = code * max(1, len(values)) + rank
    return code


def group_starts(*keys: Ints) -> Ints:
    """Where a new combination of keys begins, in rows sorted by them."""
    if len(keys[0]) == 0:
        return np.zeros(0, dtype=np.int64)
    changed = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.concatenate(([0], np.flatnonzero(changed) + 1))


def group_slices(*keys: Ints) -> list[slice]:
    """Slices of equal keys, in rows sorted by them."""
    starts = group_starts(*keys).tolist()
    ends = [*starts[1:], len(keys[0])]
    return [slice(start, end) for start, end in zip(starts, ends[: len(starts)], strict=True)]
