"""Rates of several pairs between two nodes at once: per pair and in sum, under each policy, with the spread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.plan.arrangements import Arrangement, arrangements
from weft.plan.pattern import MultiPair
from weft.plan.phases import expand
from weft.plan.plan import Step
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Ints, column


@dataclass(frozen=True)
class PairRate:
    """One of the pairs, numbered from 1; `interface` carried it, None if several may have."""

    pair: int
    interface: int | None
    throughput_mbps: Interval
    latency_us: Interval | None


@dataclass(frozen=True)
class MultiPairPoint:
    """One size of one arrangement.

    `sum_mbps` is the bits of all pairs over the time from the first start to the last end of a timing. `latency_us` is
    half a round trip, the mean over pairs. `lowest_mbps` and `highest_mbps` are the extremes over timings. `of_alone`
    is `sum_mbps` over the total rate of its interfaces when each runs alone; None if that was not measured, or if the
    test measures latency, which fills no interface.
    """

    step: int
    phase: int
    test: str
    policy: str
    pairs: int
    interfaces: tuple[int, ...]
    """The interfaces that may carry traffic, numbered from 1."""
    size_bytes: int
    timings: int
    sum_mbps: Interval
    latency_us: Interval | None
    lowest_mbps: float
    highest_mbps: float
    each: tuple[PairRate, ...]
    name: str
    by_launch_mbps: tuple[float, ...] = ()
    """The median sum of each launch, NaN if it was not measured."""
    of_alone: Interval | None = None

    @property
    def spread_pct(self) -> float:
        """The range over timings in percent of the median."""
        return 100.0 * (self.highest_mbps - self.lowest_mbps) / self.sum_mbps.median

    def to_json(self) -> dict[str, Any]:
        """The point as `weft show --json` prints it under `multi_pair`."""
        own = {"name", "by_launch_mbps"}
        found = {key: value for key, value in vars(self).items() if key not in own}
        return found | {"spread_pct": self.spread_pct}


def multi_pair_points(run: RunFolder) -> list[MultiPairPoint]:
    """The points of all steps of several pairs, by step, arrangement and size."""
    return [
        point
        for index, step, _ in run.meta.plan.steps_of(MultiPair)
        for point in _compared(list(_of_step(run, index, step)))
    ]


def _of_step(run: RunFolder, index: int, step: Step) -> Iterator[MultiPairPoint]:
    phases = expand(step, len(run.meta.nodes))
    rows = run.samples.filter(column(run.samples, "step") == index)
    phase_of = column(rows, "phase")
    for arrangement in arrangements(phases):
        for phase in arrangement.phases:
            mine = rows.filter(phase_of == phase)
            if len(mine):
                timings = _Timings.of(mine, arrangement.pairs, step.crossings)
                yield _point(index, phase, step, arrangement, timings)


@dataclass(frozen=True)
class _Timings:
    """The rows of a phase as tables (timings x pairs); `launch` has the launch of each timing.

    In each launch, batch t k + p is the t-th timing of pair p of k.
    """

    size_bytes: int
    messages: Floats
    """Messages that crossed the network, by timing and pair."""
    start_ns: Floats
    elapsed_ns: Floats
    launch: Ints

    @classmethod
    def of(cls, rows: Any, pairs: int, crossed: int) -> _Timings:
        launch, batch = column(rows, "launch"), column(rows, "batch")
        order = np.lexsort((batch, launch))

        def table(name: str) -> Floats:
            values: Floats = column(rows, name)[order].reshape(-1, pairs).astype(float)
            return values

        return cls(
            size_bytes=int(column(rows, "size_bytes")[0]),
            messages=table("messages") * crossed,
            start_ns=table("start_ns"),
            elapsed_ns=np.maximum(table("elapsed_ns"), 1.0),
            launch=launch[order][::pairs],
        )

    @property
    def sums_mbps(self) -> Floats:
        """By timing: all bits over the time from the first start to the last end."""
        ends = (self.start_ns + self.elapsed_ns).max(axis=1)
        sums: Floats = self.messages.sum(axis=1) * self.size_bytes * 8e3
        sums /= ends - self.start_ns.min(axis=1)
        return sums

    @property
    def rates_mbps(self) -> Floats:
        rates: Floats = self.messages * self.size_bytes * 8e3 / self.elapsed_ns
        return rates

    @property
    def times_us(self) -> Floats:
        times: Floats = self.elapsed_ns / self.messages / 1e3
        return times

    def by_launch(self, mbps: Floats) -> tuple[float, ...]:
        """The median of each launch, from launch 0 on; NaN if the launch has no timing."""
        launches = range(int(self.launch.max()) + 1)
        mine = (mbps[self.launch == launch] for launch in launches)
        return tuple(median_interval(one).median if len(one) else math.nan for one in mine)

    def interval(self, values: Floats, upper: bool = False) -> Interval:
        """The interval of one value per timing, over launches, or over timings of one launch; `upper` for times."""
        launches = np.unique(self.launch)
        if len(launches) == 1:
            return median_interval(values, upper=upper)
        middles = [
            median_interval(values[self.launch == launch], upper=upper).median
            for launch in launches
        ]
        return median_interval(middles, upper=upper)


def _point(
    index: int, phase: int, step: Step, arrangement: Arrangement, timings: _Timings
) -> MultiPairPoint:
    sums, is_timed = timings.sums_mbps, step.measures_latency
    pattern = step.pattern_as(MultiPair)
    has_own = arrangement.policy in ("alone", "independent", "shared")
    return MultiPairPoint(
        step=index,
        phase=phase,
        test=pattern.test,
        policy=arrangement.policy,
        pairs=arrangement.pairs,
        interfaces=tuple(network + 1 for network in arrangement.used(pattern.networks)),
        size_bytes=timings.size_bytes,
        timings=len(sums),
        sum_mbps=timings.interval(sums),
        latency_us=timings.interval(timings.times_us.mean(axis=1), True) if is_timed else None,
        lowest_mbps=float(sums.min()),
        highest_mbps=float(sums.max()),
        each=tuple(
            PairRate(
                pair=pair + 1,
                interface=arrangement.networks[pair] + 1 if has_own else None,
                throughput_mbps=timings.interval(timings.rates_mbps[:, pair]),
                latency_us=timings.interval(timings.times_us[:, pair], True) if is_timed else None,
            )
            for pair in range(arrangement.pairs)
        ),
        name=arrangement.name,
        by_launch_mbps=timings.by_launch(sums),
    )


def _compared(points: Sequence[MultiPairPoint]) -> list[MultiPairPoint]:
    """The points with `of_alone` filled in."""
    alone = {
        (point.size_bytes, point.interfaces[0]): point.sum_mbps
        for point in points
        if point.policy == "alone"
    }

    def compared(point: MultiPairPoint) -> MultiPairPoint:
        parts = [alone.get((point.size_bytes, one)) for one in point.interfaces]
        known = [part for part in parts if part is not None]
        if point.policy == "alone" or point.latency_us or not known or len(known) < len(parts):
            return point
        return replace(point, of_alone=_share(point.sum_mbps, known))

    return [compared(point) for point in points]


def _share(rate: Interval, parts: Sequence[Interval]) -> Interval:
    """The ratio of a rate to a sum of rates; if all intervals hold, so does this one."""
    median, low, high = (
        sum(getattr(part, end) for part in parts) for end in ("median", "low", "high")
    )
    return Interval(rate.median / median, rate.low / high, rate.high / low)
