"""Throughputs before and after offload over gamma, from runs of streams under an application load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.loaded import LoadedPoint, loaded_points
from weft.understand.kinds.loads.p_over_gamma import p_over_gamma_text

_SAME_WORK = 0.01
"""Two runs whose work for the same gamma differs by a larger share are not comparable."""


@dataclass(frozen=True)
class GammaSweep:
    """The columns for fits (weft.network.model.gamma_points), and the `ratios` p and beta measured without application
    work.

    p is the share of the work that the placement moved off the application's processor; beta is the work of the busiest
    other stage except the link over the work moved. `notes` name assumptions of LAWS that did not hold.
    """

    points: dict[str, Floats]
    ratios: dict[str, float]
    notes: tuple[str, ...] = ()


def sweep_of_runs(runs: Sequence[RunFolder], size_bytes: int | None = None) -> GammaSweep:
    """The sweep of one run with offload, or of one run before and one after it; raises RequestError if the runs do not
    give a sweep.

    Measured throughputs leave out the time in which other programs had the receiver's processor.
    """
    found = [_points(run, size_bytes) for run in runs]
    directories = [str(run.directory) for run in runs]
    after = found[-1]
    before = {gamma: one.before_mbps for gamma, one in after.items()}
    if len(found) > 1:
        _check_same_work(directories, *found)
        before = {gamma: one.own_mbps for gamma, one in found[0].items()}
    elif all(abs(one.gain) < 1e-9 for one in after.values()):
        raise RequestError(
            f"{directories[0]}: its placement has everything on the application's processor, so nothing is gained",
            "give a run with offload, or both: before, then after",
        )
    common = sorted(set(before) & set(after))
    points = {
        "gamma": np.array([after[gamma].gamma_done for gamma in common]),
        "before_mbps": np.array([before[gamma] for gamma in common]),
        "after_mbps": np.array([after[gamma].own_mbps for gamma in common]),
    }
    said = p_over_gamma_text([after[gamma] for gamma in common])
    return GammaSweep(points, _ratios(next(iter(after.values()))), (said,) if said else ())


def _points(run: RunFolder, size_bytes: int | None) -> dict[float, LoadedPoint]:
    """The points of one size by gamma; raises RequestError if the size is missing or ambiguous. Of several steps with
    the same work, the one that gains most is used."""
    directory, found = run.directory, loaded_points(run)
    if not found:
        raise RequestError(
            f"{directory}: no stream of it had an application load",
            "such as `weft run gamma-sweep --on node:p4-400-offload`",
        )
    sizes = sorted({one.size_bytes for one in found})
    wanted = sizes[0] if size_bytes is None else size_bytes
    if wanted not in sizes or (size_bytes is None and len(sizes) > 1):
        listed = ", ".join(map(str, sizes))
        raise RequestError(f"{directory}: has messages of {listed} B", "choose one with --size")
    mine = [one for one in found if one.size_bytes == wanted]
    step = max({one.step for one in mine}, key=lambda step: _median_gain(mine, step))
    return {one.gamma: one for one in mine if one.step == step}


def _median_gain(points: Sequence[LoadedPoint], step: int) -> float:
    """The median gain of a step over gamma."""
    return median(one.gain for one in points if one.step == step)


def _check_same_work(
    directories: Sequence[str], before: dict[float, LoadedPoint], after: dict[float, LoadedPoint]
) -> None:
    common = set(before) & set(after)
    if not common:
        raise RequestError(
            f"{directories[0]} and {directories[1]} share no gamma",
            "run both with the same --gamma",
        )
    for gamma in common:
        ratio = before[gamma].laws_before_mbps / after[gamma].laws_before_mbps
        if abs(ratio - 1.0) > _SAME_WORK:
            raise RequestError(
                f"{directories[0]} and {directories[1]}: the same gamma is not the same work",
                "give two runs of one machine that differ in the placement",
            )


def _ratios(point: LoadedPoint) -> dict[str, float]:
    p = 1.0 - point.host_share
    return {"p": p, "beta": point.other_share / p} if 0.0 < p <= 1.0 else {}
