"""A series: the curve of one step of one run, prepared for figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Curve, Ints, curves, message_times_us, to_mbps
from weft.understand.curve.points import CurvePoint, curve_points
from weft.understand.curve.signature import Signature, of_curve
from weft.understand.curve.thresholds import Threshold, curve_thresholds
from weft.understand.explain.explain import explain
from weft.understand.explain.finding import Explanation
from weft.understand.host.evidence import PointEvidence, evidence


@dataclass(frozen=True)
class Observation:
    """The throughput of one launch at one size, or of one batch if the size has several modes."""

    size_bytes: int
    throughput_mbps: float


@dataclass(frozen=True)
class CurveSeries:
    """One step of one run as a curve, with a unique label."""

    label: str
    run: RunFolder
    curve: Curve
    points: list[CurvePoint]
    observations: list[Observation]
    signature: Signature
    thresholds: list[Threshold]
    evidence: list[PointEvidence]
    explanations: list[Explanation]

    @property
    def pattern(self) -> str:
        """The pattern of its messages, for example "pingpong"."""
        return self.curve.pattern

    @property
    def transport(self) -> str:
        """The transport of its messages, for example "tcp"."""
        return self.curve.transport


def series_of(runs: Sequence[RunFolder]) -> list[CurveSeries]:
    """The curves of all runs, in their order."""
    names = run_names([run.directory for run in runs])
    return [one for name, run in zip(names, runs, strict=True) for one in _of_run(name, run)]


def run_names(directories: Sequence[Path]) -> list[str]:
    """The shortest path suffixes that distinguish the folders; a folder given twice is numbered."""
    paths = [directory.resolve().parts for directory in directories]
    names = [_ending(path, paths) for path in paths]
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def _ending(path: tuple[str, ...], paths: Sequence[tuple[str, ...]]) -> str:
    others = [other for other in paths if other != path]
    length = 1
    while length < len(path) and any(other[-length:] == path[-length:] for other in others):
        length += 1
    return "/".join(path[-length:])


def _of_run(name: str, run: RunFolder) -> Iterator[CurveSeries]:
    """The curves of one run; if there are several, their labels include the name of the step."""
    found = curves(run)
    recorded = evidence(run).points if found else []
    explained = explain(run) if recorded else []
    steps = [step.name for step in run.meta.plan.steps]
    for curve in found:
        label = name if len(found) == 1 else f"{name} · {steps[curve.step]}"
        if steps.count(steps[curve.step]) > 1:
            label += f" ({curve.step + 1})"
        yield CurveSeries(
            label,
            run,
            curve,
            curve_points(curve),
            observations_of(run, curve),
            of_curve(curve),
            curve_thresholds(run, curve),
            [point for point in recorded if point.step == curve.step],
            [one for one in explained if one.step == steps[curve.step]],
        )


def observations_of(run: RunFolder, curve: Curve) -> list[Observation]:
    """The value of every launch at every size; at sizes with several modes, the value of every batch, because one value
    per launch would hide modes within it."""
    several = np.array([modes.count > 1 for modes in curve.modes], dtype=bool)
    sizes, rates = curve.sizes[~several, np.newaxis], curve.rates_mbps[~several]
    known = ~np.isnan(rates)
    launches = _observations(np.broadcast_to(sizes, rates.shape)[known], rates[known])
    return launches + _batches(run, curve.step, curve.sizes[several])


def _batches(run: RunFolder, step: int, at_bytes: Ints) -> list[Observation]:
    sizes, steps = (run.samples[name].to_numpy() for name in ("size_bytes", "step"))
    wanted = np.isin(sizes, at_bytes) & (steps == step)
    return _observations(sizes[wanted], to_mbps(sizes[wanted], message_times_us(run)[wanted]))


def _observations(sizes: Ints, rates_mbps: Floats) -> list[Observation]:
    return [
        Observation(int(size), float(rate)) for size, rate in zip(sizes, rates_mbps, strict=True)
    ]


def time_us(point: CurvePoint) -> Interval:
    """The one-way time of a message; for a stream, a message's share of the time (Mb/s is bit/µs)."""
    bits = point.size_bytes * 8
    return point.latency_us or point.throughput_mbps.map_decreasing(
        lambda rate: bits / rate if rate > 0 else math.nan
    )
