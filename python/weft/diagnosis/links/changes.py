"""When a link changed: congestion raises minimum and jitter together, a re-route shifts the minimum alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.diagnosis.links import scan, steps
from weft.diagnosis.links.noise import Noise, Whitener, estimate, whitener
from weft.diagnosis.links.profile import level, profile
from weft.diagnosis.links.quarters import Quarters
from weft.diagnosis.links.steps import Step
from weft.statistics import Floats

_CLEAR = 2.0
"""A z score from which on a step that was found is one of this value."""
_BESIDE = 0.25
_MOST = 40
_FEWEST = 48
"""Quarters (half a day) below which there is no telling a change from noise."""
_TENTATIVE_CLIP = 4.0
_DAY = 96


@dataclass(frozen=True)
class Change:
    """`what` is "congestion", "jitter" (queues, the minimum stayed) or "re-route"; Unix times. The end of congestion is
    None while it lasts, a re-route is an instant. `minimum_noise` says by how many standard deviations of the series'
    own noise the minimum moved, `jitter_ratio` by what factor the jitter."""

    what: str
    begin_s: float
    end_s: float | None
    minimum_s: float
    minimum_noise: float
    jitter_ratio: float
    score: float


def find_changes(parts: Quarters, seed: int = 1) -> list[Change]:
    """Steps of minimum or jitter that hour and week do not explain, and chance does not in this series.

    Twice: the first pass is tentative; noise, profile and threshold of the second are those of the series without what
    the first has found. The same samples give the same changes.
    """
    if len(parts) < _FEWEST:
        return []
    values = np.stack([parts.minimum_s, np.log(parts.jitter_s + _floor(parts.jitter_s))])
    generator = np.random.default_rng(seed)
    tentative, _ = _pass(parts, values, np.zeros_like(values), generator, 1)
    raised = steps.raised_by(tentative, len(parts), len(values))
    found, noises = _pass(parts, values, raised, generator, _DAY)
    return _changes(parts, found, noises)


def _floor(jitter_s: Floats) -> float:
    return 0.1 * float(np.median(jitter_s)) + 1e-7


def _pass(
    parts: Quarters, values: Floats, raised: Floats, generator: np.random.Generator, block: int
) -> tuple[list[Step], list[Noise]]:
    """Steps, and the noise they were judged by; `raised` is what the pass before has found."""
    unix_s = parts.start + parts.time_s
    usual = np.stack([profile(unix_s, row, parts.width_s) for row in values - raised])
    quiet = values - raised - usual
    middle = np.median(quiet, axis=1, keepdims=True)
    is_tentative = block == 1
    if is_tentative:
        quiet = quiet - np.stack([level(unix_s, row, parts.width_s) for row in quiet])
    apart = np.diff(parts.time_s / parts.width_s, prepend=-1).round().astype(np.int64)
    noises = [estimate(row, apart) for row in quiet]
    whiteners = [whitener(one, apart) for one in noises]
    chance = whitened(quiet - np.median(quiet, axis=1, keepdims=True), whiteners)
    if is_tentative:
        chance = np.clip(chance, -_TENTATIVE_CLIP, _TENTATIVE_CLIP)
    chance -= chance.mean(axis=1, keepdims=True)
    limit = scan.threshold(chance, whiteners, generator, block)
    return _search(values - usual - middle, whiteners, limit), noises


def whitened(values: Floats, whiteners: list[Whitener]) -> Floats:
    """Innovations of each row."""
    return np.stack([one.innovations(row) for row, one in zip(values, whiteners, strict=True)])


def _search(values: Floats, whiteners: list[Whitener], limit: float) -> list[Step]:
    """The clearest window, then the clearest in the series without it, and so on; then the ends that hold together."""
    ends: list[int] = []
    remaining = values.copy()
    for _ in range(_MOST):
        window = scan.best(whitened(remaining, whiteners), whiteners)
        if window.total <= limit:
            break
        remaining[:, window.begin : window.end] -= window.steps[:, None]
        ends += [window.begin, window.end]
    return steps.fit(whitened(values, whiteners), whiteners, ends, limit / 2)


def _signs(step: Step) -> tuple[int, int]:
    """Which way minimum and jitter went, 0 for not clearly. Beside a far clearer one the other is not believed: the
    longer a step lasts, the more a slow wander looks like one."""
    clear = max(_CLEAR, float(np.abs(step.score).max()) * _BESIDE)
    minimum, jitter = (int(np.sign(one)) if abs(one) > clear else 0 for one in step.score)
    return minimum, jitter


def _changes(parts: Quarters, found: list[Step], noises: list[Noise]) -> list[Change]:
    """Jitter that rises begins congestion or jitter, which lasts until jitter falls; other steps are re-routes."""
    at = parts.start + parts.time_s
    changes: list[Change] = []
    rising: Step | None = None
    for step in found:
        minimum, jitter = _signs(step)
        if rising and min(minimum, jitter) < 0 and step.score[1] < 0:
            changes.append(_change(rising, at, float(at[step.at - 1] + parts.width_s), noises))
            rising = None
        elif jitter > 0 and not rising:
            rising = step
        elif minimum and not jitter:
            changes.append(_change(step, at, float(at[step.at]), noises, "re-route"))
    if rising:
        changes.append(_change(rising, at, None, noises))
    return sorted(changes, key=lambda one: one.begin_s)


def _change(
    step: Step,
    at: npt.NDArray[np.float64],
    end_s: float | None,
    noises: list[Noise],
    what: str = "",
) -> Change:
    minimum_s, jitter = (float(one) for one in step.rise)
    return Change(
        what or ("congestion" if _signs(step)[0] > 0 else "jitter"),
        float(at[step.at]),
        end_s,
        minimum_s,
        minimum_s / noises[0].sd,
        float(np.exp(jitter)),
        step.total,
    )
