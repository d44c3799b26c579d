"""A run's samples as curves: one time per size and launch, for each step of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.statistics import Floats, Modes, modes_over_launches
from weft.plan.phases import expand
from weft.plan.plan import Goal, Step
from weft.runs.folder import RunFolder
from weft.understand.host.disturbed import left_out

Ints = npt.NDArray[np.int64]

Reduction = Literal["median", "best", "mean"]
"""How the batches of a launch become one time: median, fastest or mean."""

_OF_STATISTIC: dict[str, Reduction] = {"batch": "median", "best": "best", "mean": "mean"}


def reduction_of(run: RunFolder) -> Reduction:
    """The reduction that suits the run's rows: imported rows may already be the best of several trials."""
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
    goal: Goal | None = None

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


def curves(run: RunFolder, reduction: Reduction | None = None) -> list[Curve]:
    """The run's curves in the order of its steps, by default reduced as its rows need; O(n log n) in the rows.

    Steps between many nodes have no curve, because a size has a time for each route there; nor do steps with an
    application's load, where it has one for each load.
    """
    batches = PairBatches.of(run)
    reduction = reduction or reduction_of(run)
    return [_curve(run, batches.where(rows), reduction) for rows in group_slices(batches.step)]


def pingpong(found: list[Curve]) -> Curve | None:
    """The curve from which the signature is computed: the first ping-pong, preferably over a network; or None."""
    candidates = [curve for curve in found if curve.pattern == "pingpong"]
    networked = [curve for curve in candidates if curve.transport != "null"]
    return next(iter(networked or candidates), None)


@dataclass(frozen=True)
class PairBatches:
    """The rows of a run's pairs sorted by step, size, launch and one-way time per message."""

    step: Ints
    size: Ints
    launch: Ints
    phase: Ints
    time_us: Floats

    @classmethod
    def of(cls, run: RunFolder) -> PairBatches:
        steps = run.meta.plan.steps
        has_curve = [one.pattern.has_curve for one in steps]
        kept = np.array(has_curve, dtype=bool)[column(run.samples, "step")] & ~_pins(run)
        kept &= ~np.isin(column(run.samples, "launch"), [*left_out(run.meta)])
        samples = run.samples.filter(kept)
        step, size, launch, phase = (
            column(samples, name) for name in ("step", "size_bytes", "launch", "phase")
        )
        time_us = message_times_us(run)[kept]
        order = np.lexsort((time_us, joint_code(samples, ["step", "size_bytes", "launch"])))
        return cls(step[order], size[order], launch[order], phase[order], time_us[order])

    def where(self, rows: slice) -> PairBatches:
        """A view of the given rows."""
        return PairBatches(*(getattr(self, each.name)[rows] for each in fields(self)))


def _pins(run: RunFolder) -> npt.NDArray[np.bool_]:
    """A mask of the rows measured to pin a jump; they are no points of the curve, since they cluster at one size."""
    step, phase = column(run.samples, "step"), column(run.samples, "phase")
    found: npt.NDArray[np.bool_] = np.zeros(len(step), dtype=bool)
    for index in {one["step"] for one in run.meta.phases if "bisects" in one}:
        planned = len(expand(run.meta.plan.steps[index], len(run.meta.nodes)))
        found |= (step == index) & (phase >= planned)
    return found


def message_times_us(run: RunFolder) -> Floats:
    """One-way time per message of every row, in the order of the samples table.

    An elapsed time of zero counts as one nanosecond, the table's resolution, so that the row is kept.
    If no message arrived, the time is infinite and the rate zero.
    """
    samples = run.samples
    elapsed_ns = np.maximum(column(samples, "elapsed_ns"), 1)
    steps = run.meta.plan.steps
    ways = np.array([float(step.crossings) for step in steps])
    messages = column(samples, "messages") * ways[column(samples, "step")]
    times_us = np.full(len(messages), np.inf)
    np.divide(elapsed_ns, messages * 1e3, out=times_us, where=messages > 0)
    return times_us


def phase_sizes(run: RunFolder) -> dict[tuple[int, int], int]:
    """The message size by (step, phase), of those with samples; the largest if there are several."""
    keys = run.samples.group_by(["step", "phase"]).aggregate([("size_bytes", "max")])
    rows = keys.select(["step", "phase", "size_bytes_max"]).to_pylist()
    return {(row["step"], row["phase"]): row["size_bytes_max"] for row in rows}


def reduce_sorted(times: Floats, starts: Ints, reduction: Reduction) -> Floats:
    """One value for each group of `times`; groups begin at `starts`, and each is sorted."""
    if reduction == "best":
        return times[starts]
    counts = np.diff(np.append(starts, len(times)))
    if reduction == "mean":
        sums: Floats = np.add.reduceat(times, starts)
        return sums / counts
    middle: Floats = times[starts + counts // 2]
    return middle


@dataclass(frozen=True)
class SizeTimes:
    """One size of one step: `times_us[j]` is the time of `launches[j]`, which ascend."""

    size: int
    phase: int
    launches: Ints
    times_us: Floats
    modes: Modes

    @classmethod
    def of(
        cls, size: int, phase: int, launch: Ints, time_us: Floats, reduction: Reduction
    ) -> SizeTimes:
        """From the launch and the time of each batch, sorted by launch, then time."""
        starts = group_starts(launch)
        times_us = reduce_sorted(time_us, starts, reduction)
        return cls(size, phase, launch[starts], times_us, modes_over_launches(time_us, launch))


def curve_of(step: int, plan_step: Step, rows: Sequence[SizeTimes]) -> Curve:
    """The curve of a step of a plan from its sizes in ascending order."""
    launches = np.unique(np.concatenate([row.launches for row in rows]))
    times_us = np.full((len(rows), len(launches)), np.nan)
    for times, row in zip(times_us, rows, strict=True):
        times[np.searchsorted(launches, row.launches)] = row.times_us
    return Curve(
        step=step,
        pattern=plan_step.pattern.kind,
        transport=plan_step.transport,
        sizes=np.array([row.size for row in rows]),
        launches=launches,
        times_us=times_us,
        modes=tuple(row.modes for row in rows),
        phases=np.array([row.phase for row in rows]),
        goal=plan_step.goal or None,
    )


def _curve(run: RunFolder, batches: PairBatches, reduction: Reduction) -> Curve:
    step = int(batches.step[0])
    sizes = (batches.where(part) for part in group_slices(batches.size))
    rows = [
        SizeTimes.of(int(one.size[0]), int(one.phase[0]), one.launch, one.time_us, reduction)
        for one in sizes
    ]
    return curve_of(step, run.meta.plan.steps[step], rows)


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
