"""The rates of a run that are no routes, by keys that it can share with another run: sizes, loads, arrangements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from weft.base.interval import Interval
from weft.plan.pattern import Halo, Program
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Reduction, column, curves
from weft.understand.curve.points import curve_points
from weft.understand.ensemble.activities import PhaseActivity, activities
from weft.understand.kinds.collectives.collected import collectives
from weft.understand.kinds.interference.slow_down import slow_downs
from weft.understand.kinds.interference.trials import interference_steps
from weft.understand.kinds.linpack.solution import solutions
from weft.understand.kinds.loads.loaded import loaded_points
from weft.understand.kinds.loads.web import web_points
from weft.understand.kinds.traffic.driven import traffic
from weft.understand.multi_pair.multi_pair import multi_pair_points


class ComparedPair(msgspec.Struct, frozen=True):
    """One point of both runs, as `weft compare --json` prints it; `a` and `b` are in Mb/s, `ratio` is a over b.

    The ratio's interval combines the ends of both intervals, so it holds if both do. `significant` is None if the
    launches are too few to prove any difference. `noise_a` and `noise_b` are the relative noise of each run
    (weft.understand.comparison.noise); None if unknown.
    A load is the gamma of a stream or the users of a web server; an arrangement is that of several pairs.
    """

    pattern: str
    size_bytes: int
    a: Interval
    b: Interval
    ratio: Interval
    significant: bool | None = None
    gamma: float | UnsetType = UNSET
    users: float | UnsetType = UNSET
    arrangement: str | UnsetType = UNSET
    noise_a: float | None = None
    noise_b: float | None = None


class Key(NamedTuple):
    """Identifies a point in both runs; `step` counts the run's steps of that pattern."""

    pattern: str
    size_bytes: int
    step: int = 0
    gamma: float | UnsetType = UNSET
    users: float | UnsetType = UNSET
    arrangement: str | UnsetType = UNSET

    def pair(self, a: ComparedRate, b: ComparedRate) -> ComparedPair:
        """The pair of both runs' rates at this key."""
        ratio = ratio_of(a.mbps, b.mbps)
        return ComparedPair(self.pattern, self.size_bytes, a.mbps, b.mbps, ratio, None, *self[3:])


class ComparedRate(NamedTuple):
    """Throughput, and that of each launch (NaN if not measured); empty if nothing is repeated."""

    mbps: Interval
    by_launch_mbps: tuple[float, ...] = ()


def measured(run: RunFolder, reduction: Reduction) -> dict[Key, ComparedRate]:
    """All rates of a run that are no routes, with one value per launch by `reduction`."""
    return dict(
        [
            *_sizes(run, reduction),
            *_loads(run),
            *_arrangements(run),
            *_programs(run),
            *_traffic(run),
            *_solved(run),
        ]
    )


def ratio_of(left: Interval, right: Interval) -> Interval:
    """The ratio of two throughputs; its interval holds if both do."""
    return Interval(left.median / right.median, left.low / right.high, left.high / right.low)


def _sizes(run: RunFolder, reduction: Reduction) -> Iterator[tuple[Key, ComparedRate]]:
    seen: dict[str, int] = defaultdict(int)
    for curve in curves(run, reduction):
        by_launch = np.full((len(curve.sizes), int(curve.launches.max()) + 1), np.nan)
        # With a stop rule per size, later launches measured only some of the sizes.
        kept = np.isin(curve.launches, (curve.whole() if curve.goal else curve).launches)
        by_launch[:, curve.launches[kept]] = curve.rates_mbps[:, kept]
        for point, row in zip(curve_points(curve), by_launch.tolist(), strict=True):
            key = Key(curve.pattern, point.size_bytes, seen[curve.pattern])
            yield key, ComparedRate(point.throughput_mbps, tuple(row))
        seen[curve.pattern] += 1


def _loads(run: RunFolder) -> Iterator[tuple[Key, ComparedRate]]:
    """Streams by gamma and web servers by users, without values by launch."""
    found = {
        Key("stream", one.size_bytes, gamma=one.gamma): one.throughput_mbps
        for one in loaded_points(run)
    }
    for key, mbps in found.items():
        yield key, _alone(mbps)
    points = web_points(run, [])
    steps = sorted({one.step for one in points})
    for one in points:
        key = Key("webserver", one.page_bytes, steps.index(one.step), users=float(one.users))
        yield key, ComparedRate(one.throughput_interval)


def _arrangements(run: RunFolder) -> Iterator[tuple[Key, ComparedRate]]:
    for one in multi_pair_points(run):
        key = Key(one.test, one.size_bytes, arrangement=one.name)
        yield key, ComparedRate(one.sum_mbps, one.by_launch_mbps)


def _programs(run: RunFolder) -> Iterator[tuple[Key, ComparedRate]]:
    """Bus bandwidths of collectives, rates of victims of interference, and total rates of other programs."""
    found = activities(run)
    for one in collectives(run.meta, found):
        key = Key(f"{one.operation} {one.algorithm}", one.size_bytes)
        yield key, ComparedRate(one.bus, one.by_launch_mbps)
    numbers = {step: number for number, (step, _) in enumerate(interference_steps(run.meta))}
    for slowed in slow_downs(run):
        rate = partial(_per_us, slowed.size_bytes)
        for beside, times_us in (
            (f"beside {slowed.congestor}", slowed.beside_us),
            ("alone", slowed.alone_us),
        ):
            key = Key(f"{slowed.victim} {beside}", slowed.size_bytes, numbers[slowed.step])
            yield key, ComparedRate(times_us.map_decreasing(rate))
    for pattern in (Program, Halo):
        mine = [index for index, *_ in run.meta.plan.steps_of(pattern)]
        for each in found:
            if each.step in mine and each.elapsed_ms:
                moved = _moved_bytes(run, each)
                size = moved if pattern is Program else each.size_bytes
                key = Key(pattern.__name__.lower(), size, mine.index(each.step))
                yield key, _moving(each, moved)


def _moved_bytes(run: RunFolder, one: PhaseActivity) -> int:
    """The bytes of all messages of one execution."""
    step, phase = column(run.samples, "step"), column(run.samples, "phase")
    here = (step == one.step) & (phase == one.phase)
    return int(column(run.samples, "size_bytes")[here].sum()) // one.trials


def _moving(one: PhaseActivity, moved_bytes: int) -> ComparedRate:
    """The rate of all messages of a program together."""
    mbps = partial(_mbps, moved_bytes)
    return ComparedRate(one.elapsed.map_decreasing(mbps), tuple(map(mbps, one.by_launch_ms)))


def _mbps(moved_bytes: int, elapsed_ms: float) -> float:
    return moved_bytes * 8 / elapsed_ms / 1e3


def _per_us(size_bytes: int, elapsed_us: float) -> float:
    """The rate of a victim's message in its time; 0 if the time is 0."""
    return _mbps(size_bytes, elapsed_us / 1e3) if elapsed_us else 0.0


def _traffic(run: RunFolder) -> Iterator[tuple[Key, ComparedRate]]:
    """The total rate of all messages, which is proportional to the speed of the simulation."""
    found = [one for one in traffic(run) if one.bytes]
    steps = sorted({one.step for one in found})
    for one in found:
        mb = one.bytes * 8 / one.seconds / 1e6
        rate = Interval(*(mb * end for end in msgspec.structs.astuple(one.steps_per_s)))
        key = Key(f"traffic over {one.nodes} nodes", one.bytes, steps.index(one.step))
        yield key, ComparedRate(rate)


def _solved(run: RunFolder) -> Iterator[tuple[Key, ComparedRate]]:
    """Linpack, with MFlop/s in place of Mb/s."""
    for number, one in enumerate(solutions(run)):
        if one.gflops:
            values = [1e3 * end for end in (one.gflops.median, one.gflops.low, one.gflops.high)]
            key = Key(f"hpl n={one.n}, MFlop/s", 8 * one.n * (one.n + 1), number)
            yield key, ComparedRate(Interval(*values))


def _alone(mbps: float) -> ComparedRate:
    return ComparedRate(Interval(mbps, mbps, mbps))
