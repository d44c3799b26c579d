"""What several links carry together over which a hash spreads flows: the most of many rounds, not the usual round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb, log

import numpy as np

from weft.understand.xray.decision import FULL_SHARE, LOOKS, LimitDecision

LEAST_FULL = 2
"""So many rounds that carry what is offered show that nothing limits; so many must reach the most, too."""
LEAST_ROUNDS, MOST_ROUNDS = 10, 50
"""Of fewer, how many reach the most is chance; more than usual are asked for where a further link is seen rarely, but
often enough in the most."""
USUAL_ROUNDS = max(LOOKS)
"""As many as decide where there is one path."""
UNSEEN = 0.01
"""The chance that a further link is never seen: lower than the error of one question, as each leaf asks two."""
AT_MOST = 0.95
"""A round with this share of the most that any carried counts as one that reached it."""
LEAST_REACHED = 0.6
"""Of the rounds that would use all links of one choice, so many must reach the most: behind several choices in a row
flows meet more often, and hardly any round fills all links."""
SAME_LINKS = 0.1
"""A rest of a link's rate that is no further link."""


@dataclass(frozen=True)
class ParallelRound:
    """What crossed in a round: together, what was offered, the fastest flow, and the number of flows."""

    mbps: float
    offered_mbps: float
    fastest_mbps: float
    flows: int

    @property
    def ratio(self) -> float:
        return self.mbps / self.offered_mbps


def decide_links(
    rounds: Sequence[ParallelRound], beside: Sequence[ParallelRound] = ()
) -> tuple[LimitDecision, list[int]]:
    """Whether parallel links limit, and the rounds in which all of them were full; `beside` are rounds in which flows
    also met elsewhere.

    A round in which flows happen to share a link leaves others unused. So links that carried what was offered in some
    rounds do not limit, and where they never did they may have been used in part only. They count as limited when one
    link more would, but for a chance of UNSEEN, have been used in some round together with all others, and when as many
    rounds reach the most as one choice among the links lets. A link is taken to carry no more than the fastest flow:
    then there are most of them. `ratios` of what is limited are those of the rounds in which they were full.
    """
    ratios = tuple(one.ratio for one in rounds)
    if is_free([one.ratio for one in (*rounds, *beside)]):
        return LimitDecision("free", ratios), []
    most = max((one.mbps for one in (*rounds, *beside)), default=0.0)
    full = [at for at, one in enumerate(rounds) if one.mbps >= AT_MOST * most]
    is_sure = len(rounds) >= rounds_needed(rounds) and len(full) >= LEAST_FULL
    if is_sure and _are_enough(len(full), rounds) and _median(ratios, full) < FULL_SHARE:
        return LimitDecision("limited", tuple(ratios[at] for at in full)), full
    return LimitDecision("open", ratios), []


def is_free(ratios: Sequence[float]) -> bool:
    """Whether some rounds carried what was offered, so that flows that met explain what others lack."""
    return sum(ratio >= FULL_SHARE for ratio in ratios) >= LEAST_FULL


def rounds_needed(rounds: Sequence[ParallelRound]) -> float:
    """After how many rounds one more link would have been seen, infinite where it cannot be."""
    seen = chance_of_all(_links(rounds) + 1, _flows(rounds))
    return max(log(UNSEEN) / log(1 - seen), LEAST_ROUNDS) if seen > 0 else np.inf


def _are_enough(full: int, rounds: Sequence[ParallelRound]) -> bool:
    """Whether so many of the rounds reached the most as would if that was all links of one choice."""
    return full >= LEAST_REACHED * chance_of_all(_links(rounds), _flows(rounds)) * len(rounds)


def _links(rounds: Sequence[ParallelRound]) -> int:
    """How many links it takes at most to carry the most of all rounds."""
    most = max((one.mbps for one in rounds), default=0.0)
    fastest = max((one.fastest_mbps for one in rounds), default=0.0)
    return ceil(most / fastest - SAME_LINKS) if fastest else 0


def _flows(rounds: Sequence[ParallelRound]) -> int:
    return min((one.flows for one in rounds), default=0)


def _median(ratios: Sequence[float], chosen: Sequence[int]) -> float:
    return float(np.median([ratios[at] for at in chosen]))


def chance_of_all(links: int, flows: int) -> float:
    """That so many flows, each by chance on one of the links, use all of them (inclusion and exclusion)."""
    if flows < links:
        return 0.0
    terms = (float((-1) ** k * comb(links, k)) * (1 - k / links) ** flows for k in range(links + 1))
    return min(max(sum(terms), 0.0), 1 - 1e-9)
