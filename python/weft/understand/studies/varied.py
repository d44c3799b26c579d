"""Steps that repeat one step of a plan for each value of a setting, with their measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.base.statistics import Floats
from weft.plan.plan import Options
from weft.runs.folder import RunFolder
from weft.runs.records.record_types import Settings
from weft.understand.curve.curve import Curve, curves

SMALL_BYTES = 1024


@dataclass(frozen=True)
class Variant:
    """The step with one value; `options` were requested, `settings` were in effect on each node."""

    value: str
    options: Options
    curve: Curve
    settings: tuple[Settings, ...]

    @property
    def latency_us(self) -> Floats:
        """The one-way time of the smallest message, by launch."""
        latency: Floats = self.curve.times_us[0]
        return latency

    @property
    def peak_mbps(self) -> Floats:
        """The highest rate of any size, by launch; sizes that a launch did not measure are ignored."""
        peaks: Floats = np.nanmax(self.curve.rates_mbps, axis=0)
        return peaks

    @property
    def is_of_latency(self) -> bool:
        """Whether there are only small messages, whose time is more meaningful than their rate."""
        return self.curve.pattern == "pingpong" and int(self.curve.sizes[-1]) <= SMALL_BYTES

    @property
    def timings(self) -> Floats:
        """A number for each launch: the latency if there are only small messages, else the highest rate."""
        return self.latency_us if self.is_of_latency else self.peak_mbps


@dataclass(frozen=True)
class VariedStep:
    """A step of the plan, the `keys` that change together, and the measurements with each of their values."""

    name: str
    keys: tuple[str, ...]
    variants: tuple[Variant, ...]


def varied(run: RunFolder) -> list[VariedStep]:
    """The varied steps with at least two measured values, in the plan's order."""
    measured = {curve.step: _ended(run, curve) for curve in curves(run)}
    groups: dict[str, list[Variant]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for index, step in enumerate(run.meta.plan.steps):
        if step.over and index in measured:
            values = dict.fromkeys(step.over.values.values())
            one = Variant(" / ".join(values), step.options, measured[index], _settings(run, index))
            groups.setdefault(step.over.of, []).append(one)
            keys[step.over.of] = tuple(step.over.values)
    return [
        VariedStep(name, keys[name], _same_launches(group))
        for name, group in groups.items()
        if len(group) > 1
    ]


def _ended(run: RunFolder, curve: Curve) -> Curve:
    """The curve of the launches that completed the step; of all launches if the run does not record it."""
    ended = [launch for step, launch in run.meta.done if step == curve.step]
    return _only(curve, sorted({*ended} & {*curve.launches.tolist()})) if ended else curve


def _settings(run: RunFolder, step: int) -> tuple[Settings, ...]:
    """The settings of the first launch; all launches request and get the same."""
    mine = [one for one in run.meta.effective if one["step"] == step]
    first = [one for one in mine if one["launch"] == mine[0]["launch"]]
    names = [node["name"] for node in run.meta.nodes]
    return tuple(one["settings"] for one in sorted(first, key=lambda one: names.index(one["node"])))


def _same_launches(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """The launches that measured all values, in case the run was interrupted."""
    common = set.intersection(*({*one.curve.launches.tolist()} for one in variants))
    if not common:
        return ()
    return tuple(replace(one, curve=_only(one.curve, sorted(common))) for one in variants)


def _only(curve: Curve, launches: Sequence[int]) -> Curve:
    columns = np.searchsorted(curve.launches, launches)
    return replace(curve, launches=np.array(launches), times_us=curve.times_us[:, columns])
