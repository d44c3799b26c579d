"""Whether flows between the same two leaves are held up unevenly, as behind several paths and never in a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weft.diagnosis.curve import Ints
from weft.diagnosis.leaves import leaves_of
from weft.diagnosis.xray.survey import Survey
from weft.diagnosis.xray.trial import Trial
from weft.statistics import Floats

HELD_UP, FREE = 0.7, 0.85
"""Of what its ports allow: a flow that shares a path with others, and one that has a path for itself."""
LEAST_CASES, LEAST_PART = 5, 0.1
"""In so many cases, and this part of those in which a flow was held up, another one was free."""


def has_several_paths(survey: Survey, searched: Sequence[Trial]) -> bool:
    """Where one link joins two leaves, flows that cross it at the same time have about as much each."""
    leaf_of = np.full(survey.count, -1)
    for number, leaf in enumerate(leaves_of(survey.round_trip_us, survey.nodes)):
        leaf_of[list(leaf.members)] = number
    held_up = uneven = 0
    for trial in (*survey.trials, *searched):
        for shares in _between_leaves(trial, survey, leaf_of):
            held_up += shares.min() < HELD_UP
            uneven += shares.min() < HELD_UP and shares.max() > FREE
    return bool(uneven >= max(LEAST_CASES, LEAST_PART * held_up))


def _between_leaves(trial: Trial, survey: Survey, leaf_of: Ints) -> Iterator[Floats]:
    """By two leaves what flows between them got of what their ports allow, where they share no port."""
    src, dst = trial.src, trial.dst
    has_own_ports = (np.bincount(src)[src] == 1) & (np.bincount(dst)[dst] == 1)
    a, b = leaf_of[src], leaf_of[dst]
    is_far = has_own_ports & (a >= 0) & (b >= 0) & (a != b)
    shares = trial.mbps / np.minimum(survey.send_mbps[src], survey.receive_mbps[dst])
    ends = a * (leaf_of.max() + 1) + b
    for each in np.unique(ends[is_far]):
        own = shares[is_far & (ends == each)]
        if len(own) > 1:
            yield own
