"""The joint capacity of parallel links with hashed flows: the highest rate of many rounds, not the median."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb, log

import numpy as np

from weft.understand.xray.decision import FULL_SHARE, LOOKS, LimitDecision

LEAST_FULL = 2
"""The rounds that must carry the offered load to exclude a limit, or reach the highest rate to show one."""
LEAST_ROUNDS, MOST_ROUNDS = 10, 50
"""With fewer than LEAST_ROUNDS, the number that reaches the highest rate is chance; more than USUAL_ROUNDS are
requested if a further link would be seen rarely, but often enough within MOST_ROUNDS."""
USUAL_ROUNDS = max(LOOKS)
"""As many as decide with a single path."""
UNSEEN = 0.01
"""The probability of never seeing a further link; lower than the error of one question, as each leaf has two."""
AT_MOST = 0.95
"""A round with at least this share of the highest rate counts as reaching it."""
LEAST_REACHED = 0.6
"""The least share of the rounds expected to use all links that must reach the highest rate. After several hashed hops
in a row, flows collide more often, and hardly any round fills all links."""
SAME_LINKS = 0.1
"""A remainder below this share of a link's rate is no further link."""


@dataclass(frozen=True)
class ParallelRound:
    """The flows of a round across parallel links: their total rate, the offered load, the fastest flow, the number."""

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
    """Whether parallel links limit, and the rounds in which all of them were full; in the rounds `beside`, flows also
    collided elsewhere.

    A round in which flows happen to share a link leaves others unused. So links that carried the offered load in some
    rounds do not limit; if they never did, they may have been only partly used. They are limited if one further link
    would have been used together with all others in some round, except with probability UNSEEN, and if as many rounds
    reach the highest rate as a single hashed choice allows. A link is assumed to carry no more than the fastest flow,
    which gives the largest number of links. The `ratios` of a limit are those of the rounds in which all were full.
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
    """Whether enough rounds carried the offered load, so that colliding flows explain the others."""
    return sum(ratio >= FULL_SHARE for ratio in ratios) >= LEAST_FULL


def rounds_needed(rounds: Sequence[ParallelRound]) -> float:
    """The rounds after which one more link would have been seen, infinite if it cannot be."""
    seen = chance_of_all(_links(rounds) + 1, _flows(rounds))
    return max(log(UNSEEN) / log(1 - seen), LEAST_ROUNDS) if seen > 0 else np.inf


def _are_enough(full: int, rounds: Sequence[ParallelRound]) -> bool:
    """Whether enough rounds reached the highest rate for it to be that of all links of one hashed choice."""
    return full >= LEAST_REACHED * chance_of_all(_links(rounds), _flows(rounds)) * len(rounds)


def _links(rounds: Sequence[ParallelRound]) -> int:
    """The largest number of links that explains the highest rate of all rounds."""
    most = max((one.mbps for one in rounds), default=0.0)
    fastest = max((one.fastest_mbps for one in rounds), default=0.0)
    return ceil(most / fastest - SAME_LINKS) if fastest else 0


def _flows(rounds: Sequence[ParallelRound]) -> int:
    return min((one.flows for one in rounds), default=0)


def _median(ratios: Sequence[float], chosen: Sequence[int]) -> float:
    return float(np.median([ratios[at] for at in chosen]))


def chance_of_all(links: int, flows: int) -> float:
    """The probability that flows, each on a random link, use all links (by inclusion and exclusion)."""
    if flows < links:
        return 0.0
    terms = (float((-1) ** k * comb(links, k)) * (1 - k / links) ** flows for k in range(links + 1))
    return min(max(sum(terms), 0.0), 1 - 1e-9)
