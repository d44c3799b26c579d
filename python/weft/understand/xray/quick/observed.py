"""The rounds of a health check, from its trials and round trips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints
from weft.understand.xray.outliers import SLOW_SHARE
from weft.understand.xray.quick.elements import Elements
from weft.understand.xray.quick.rounds import NONE, QuickRound
from weft.understand.xray.survey import Survey
from weft.understand.xray.trial import FlowTrial

SLOW_GROUP = 0.9
"""The mean flow of a group is behind with less of what the middle one of its like gets: means differ less than single
flows, and inverse round trips, which are behind with less than SLOW_SHARE."""
SAMPLES_OF_TRIPS = 6
"""The round trips between groups are divided into this many parts, each of which counts as a round."""


def rounds_of(survey: Survey, elements: Elements, trials: Sequence[FlowTrial]) -> list[QuickRound]:
    """All rounds so far, from round trips and trials."""
    found = list(_of_round_trips(survey, elements))
    for trial in trials:
        kinds = {one.kind for one in trial.experiments}
        if "inside" in kinds:
            found += _inside(trial, elements)
        if "cross" in kinds:
            found.append(_between(trial, elements))
    return found


def _inside(trial: FlowTrial, elements: Elements) -> Iterator[QuickRound]:
    """Each flow compared within its group, and the mean of each group compared with other groups."""
    groups = elements.group_of(trial.src)
    nodes = _nodes(trial, elements)
    whole = elements.of_groups(groups, "inside", "both")[np.newaxis]
    yield QuickRound(nodes, whole, groups, trial.mbps, SLOW_SHARE)
    known = groups != NONE
    alike = np.zeros(known.sum(), dtype=np.int64)
    yield QuickRound(
        whole[:, known], nodes[:, known], alike, trial.mbps[known], SLOW_GROUP, per_element=True
    )


def _between(trial: FlowTrial, elements: Elements) -> QuickRound:
    """The mean flow out of, and into, each group."""
    src, dst = elements.group_of(trial.src), elements.group_of(trial.dst)
    uplinks = np.stack(
        [elements.of_groups(src, "uplink", "out"), elements.of_groups(dst, "uplink", "in")]
    )
    known = (uplinks != NONE).all(axis=0)
    alike = np.zeros(known.sum(), dtype=np.int64)
    nodes = _nodes(trial, elements)[:, known]
    return QuickRound(
        uplinks[:, known], nodes, alike, trial.mbps[known], SLOW_GROUP, per_element=True
    )


def _nodes(trial: FlowTrial, elements: Elements) -> Ints:
    """The elements of the ports that each flow passes."""
    return np.stack([elements.nodes(trial.src, "out"), elements.nodes(trial.dst, "in")])


def _of_round_trips(survey: Survey, elements: Elements) -> Iterator[QuickRound]:
    """Each round trip compared within its group, and the fastest of each group to others compared over groups."""
    is_here = ~np.isin([survey.trips.a, survey.trips.b], list(survey.lost)).any(axis=0)
    a, b = survey.trips.a[is_here], survey.trips.b[is_here]
    if len(a) == 0:
        return
    groups = elements.group_of(a), elements.group_of(b)
    inverse: Floats = 1 / survey.trips.fastest_us[is_here]
    nodes = np.stack([elements.nodes(a, "both"), elements.nodes(b, "both")])
    near = groups[0] == groups[1]
    none = np.empty((0, near.sum()), dtype=np.int64)
    yield QuickRound(nodes[:, near], none, groups[0][near], inverse[near], SLOW_SHARE)
    far = np.flatnonzero((groups[0] != groups[1]) & (groups[0] != NONE) & (groups[1] != NONE))
    for part in range(SAMPLES_OF_TRIPS):
        # Each trip counts for both of its groups.
        of = far[part::SAMPLES_OF_TRIPS]
        uplinks = [elements.of_groups(one[of], "uplink", "both") for one in groups]
        yield QuickRound(
            np.concatenate(uplinks)[np.newaxis],
            np.hstack([np.vstack([uplinks[::-1][i], nodes[:, of]]) for i in range(2)]),
            np.zeros(2 * len(of), dtype=np.int64),
            np.tile(inverse[of], 2),
            SLOW_SHARE,
            per_element=True,
            counts_best=True,
        )
