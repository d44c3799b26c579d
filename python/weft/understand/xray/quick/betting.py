"""Which of very many elements are not like the others: bets that grow with each round, and a rule for all of them.

For each element a bet is laid on its being bad: a round in which it was behind the others multiplies the stake by
(1 - USUAL) / USUAL, any other one by the inverse. An element like the others is behind in a share of USUAL of the
rounds at most, so its stake is not expected to grow, however long it is watched and whenever one stops: it is an
e-process, and stays below 1 / x with probability 1 - x. The rule over all elements accuses the k with the highest
stakes where each has m / (k ERROR) of m elements or more, which keeps the expected share of false ones among the
accused below ERROR, also where elements depend on each other.

Source: R. Wang and A. Ramdas, "False discovery rate control with e-values", Journal of the Royal Statistical Society B
84 (2022); for bets, G. Shafer, "Testing by betting", Journal of the Royal Statistical Society A 184 (2021).
"""

from __future__ import annotations

import numpy as np

from weft.base.statistics import Floats
from weft.understand.curve.curve import Ints

ERROR = 0.05
"""The expected share of false ones among what is accused."""
USUAL = 0.1
"""An element like the others is behind them in at most this share of the rounds, a bad one in more."""
CLEARED = 1e-2
"""An element whose stake fell so low is like the others: a bad one would be taken for that once in a hundred times."""


def log_stakes(behind: Ints, rounds: Ints) -> Floats:
    """Natural logarithms of what is left of a stake of 1, by element: behind the others in so many of its rounds."""
    won = np.log((1 - USUAL) / USUAL)
    found: Floats = won * (2 * behind - rounds)
    return found


def accused(logs: Floats) -> Ints:
    """The elements that the rule accuses, the highest stakes first."""
    order = np.argsort(-logs, kind="stable")
    needed = np.log(len(logs) / (ERROR * np.arange(1, len(logs) + 1)))
    enough = np.flatnonzero(logs[order] >= needed)
    found: Ints = order[: enough[-1] + 1] if len(enough) else order[:0]
    return found
