"""Which pairs are measured again alone (those that look worst compared with others in the same rounds), and the
results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from weft.base.statistics import Floats
from weft.operate.acceptance.declared import Route
from weft.operate.acceptance.lost_share import joined
from weft.operate.acceptance.pairs import PairMatrix
from weft.operate.acceptance.requirements import Requirement
from weft.operate.acceptance.verdict import Again

BEST = 2
"""This many better routes of a node may be chance."""
ALIKE = 0.95
"""A route with this share of another's rate counts as equally fast."""
REFERENCES = 2
"""Ordinary pairs measured with the suspects, as references under the same conditions."""
LEAST_SPREAD = 0.001
"""Least relative spread between nodes."""
MOST_PAIRS = 8
MOST_OF_NODE = 2
"""Most suspect pairs of one node, so that a slow node does not take all places."""
DEFAULT_SHARE = 0.1
DEFAULT_LATER = 0.5


def node_rates(pairs: PairMatrix) -> dict[str, Floats]:
    """The rate of each node on its best routes, sending ("out") and receiving ("in"), in Mb/s."""
    return {
        "out": _best(pairs.mbps),
        "in": _best(pairs.mbps.T),
    }


def node_times(pairs: PairMatrix) -> Floats | None:
    """The one-way time of the smallest message to the nearest nodes, in us."""
    if not pairs.times_us:
        return None
    return -_best(-pairs.times_us[min(pairs.times_us)])


def again_pairs(pairs: PairMatrix, requirements: Sequence[Requirement]) -> list[Route]:
    """The pairs to measure again, reference pairs first; each once, whatever its direction."""
    shares = _shares(requirements)
    references = list(_references(pairs))
    wanted = [*references, *_suspects(pairs, requirements, shares, references)]
    known: dict[Route, None] = {}
    uses: Counter[int] = Counter()
    for src, dst in wanted:
        pair = (min(src, dst), max(src, dst))
        ends = [end for end in pair if not any(end in one for one in references)]
        if pair not in known and all(uses[end] < MOST_OF_NODE for end in ends):
            known[pair] = None
            uses.update(ends)
    return list(known)[: MOST_PAIRS + REFERENCES]


def usual_mbps(pairs: PairMatrix) -> float:
    """The median rate of the reference pairs measured alone, or of all pairs if there are none, in Mb/s."""
    values = [pairs.again_mbps[one] for one in _both_ways(pairs) if one in pairs.again_mbps]
    return float(np.median([np.median(one) for one in values or pairs.again_mbps.values()]))


def usual_us(pairs: PairMatrix, size_bytes: int) -> float:
    """The median one-way time of the reference pairs measured alone, or of all pairs if there are none, in us."""
    mine = {route: one for (route, size), one in pairs.again_us.items() if size == size_bytes}
    values = [mine[one] for one in _both_ways(pairs) if one in mine]
    return float(np.median([np.median(one) for one in values or mine.values()]))


def _both_ways(pairs: PairMatrix) -> Iterator[Route]:
    for src, dst in _references(pairs):
        yield from ((src, dst), (dst, src))


def _shares(requirements: Sequence[Requirement]) -> dict[str, float]:
    given = {one.key: one.limit / 100 for one in requirements if one.limit and one.unit == "%"}
    return {
        "slower": given.get("nodes.slower", DEFAULT_SHARE),
        "later": given.get("nodes.later", DEFAULT_LATER),
        "lost": given.get("loss.retransmits", 1.0),
    }


def _references(pairs: PairMatrix) -> Iterator[Route]:
    """Disjoint pairs of the nodes closest to the median in everything: the best of many are better by chance."""
    if pairs.count < 3:
        return
    nearest = np.argsort(_oddness(pairs), kind="stable").tolist()
    free = list(nearest[: max(4, len(nearest) // 2)])
    for _ in range(REFERENCES):
        if len(free) < 2:
            return
        first = free.pop(0)
        second = _nearest(pairs, first, _fast(pairs, first, free))
        free.remove(second)
        yield first, second


def _oddness(pairs: PairMatrix) -> Floats:
    """For each node, its greatest deviation from the median in sending, receiving and time, relative to the usual
    deviation."""
    times = node_times(pairs)
    found = np.zeros(pairs.count)
    for values in [*node_rates(pairs).values(), *([] if times is None else [times])]:
        with np.errstate(divide="ignore", invalid="ignore"):
            away = np.abs(np.log(values / np.nanmedian(values)))
        away = np.nan_to_num(away, nan=np.inf, posinf=np.inf)
        found = np.maximum(found, away / max(LEAST_SPREAD, float(np.median(away))))
    return found


def _suspects(
    pairs: PairMatrix,
    requirements: Sequence[Requirement],
    shares: dict[str, float],
    references: Sequence[Route],
) -> Iterator[Route]:
    """One suspect of each kind in turn, so that no kind takes all places."""
    good = [node for pair in references for node in pair]
    sorts = [
        _of_nodes(slow_nodes(pairs, shares["slower"]), pairs, good),
        _of_late(late_nodes(pairs, shares["later"]), pairs),
        _of_nodes(lossy_nodes(pairs, shares["lost"]), pairs, good),
        _slow_routes(pairs),
        _late_routes(pairs, requirements),
    ]
    for turn in zip_longest(*sorts):
        yield from (route for route in turn if route is not None)


def _of_nodes(nodes: Iterable[int], pairs: PairMatrix, good: Sequence[int]) -> Iterator[Route]:
    """Each node with the ordinary node with which it performs best."""
    for node in nodes:
        partners = [other for other in good if other != node] or [
            other for other in range(pairs.count) if other != node
        ]
        yield node, max(partners, key=lambda other: np.nan_to_num(pairs.mbps[node, other]))


def _of_late(nodes: Sequence[int], pairs: PairMatrix) -> Iterator[Route]:
    """Each node with its nearest node, since all nodes take longer through more switches."""
    for node in nodes:
        yield node, _nearest(pairs, node, [one for one in range(pairs.count) if one != node])


def _fast(pairs: PairMatrix, node: int, others: Sequence[int]) -> list[int]:
    """The nodes that a node reaches at its highest rate, or nearly."""
    rates = np.nan_to_num(pairs.mbps[node, others])
    return [other for other, rate in zip(others, rates, strict=True) if rate >= ALIKE * rates.max()]


def _nearest(pairs: PairMatrix, node: int, others: Sequence[int]) -> int:
    """The node with the shortest time; the first if no times were measured."""
    if not pairs.times_us:
        return others[0]
    times = pairs.times_us[min(pairs.times_us)][node, others]
    return others[int(np.argmin(np.where(np.isnan(times), np.inf, times)))]


def slow_nodes(pairs: PairMatrix, share: float) -> list[int]:
    """Nodes that are at least half of `share` slower than the median node, the slowest first; at least one."""
    worst = np.full(pairs.count, np.inf)
    for rates in node_rates(pairs).values():
        worst = np.fmin(worst, rates / np.nanmedian(rates))
    return _first(np.argsort(worst), worst < 1 - share / 2)


def late_nodes(pairs: PairMatrix, share: float) -> list[int]:
    """Nodes whose latency exceeds the median by at least half of `share`, the latest first; at least one if times are
    known."""
    times = node_times(pairs)
    if times is None:
        return []
    beyond = np.nan_to_num(times / np.nanmedian(times))
    return _first(np.argsort(-beyond), beyond > 1 + share / 2)


def lossy_nodes(pairs: PairMatrix, share: float) -> list[int]:
    """Nodes with at least half of `share` of retransmitted segments, the worst first; at least one if they are
    counted."""
    counts = [pairs.lost_and_sent(node, calm=True) for node in range(pairs.count)]
    shares = np.array([joined(one).share for one in counts if one])
    if not len(shares):
        return []
    return _first(np.argsort(-shares), shares > share / 2)


def _first(order: npt.NDArray[np.int64], is_odd: npt.NDArray[np.bool_]) -> list[int]:
    return [int(node) for at, node in enumerate(order) if at == 0 or is_odd[node]]


def _slow_routes(pairs: PairMatrix) -> Iterator[Route]:
    """The slowest route, then those with the least share of what their ends and the declared fabric allow."""
    rates = node_rates(pairs)
    usual = np.minimum(rates["out"][:, np.newaxis], rates["in"][np.newaxis, :])
    with np.errstate(invalid="ignore"):  # a node may carry nothing
        share = pairs.mbps / np.fmin(usual, pairs.expected_mbps)
    slowest = int(np.nanargmin(pairs.mbps))
    for cell in [slowest, *np.argsort(share, axis=None)[:MOST_PAIRS].tolist()]:
        src, dst = divmod(cell, pairs.count)
        if np.isfinite(share[src, dst]):
            yield src, dst


def _late_routes(pairs: PairMatrix, requirements: Sequence[Requirement]) -> Iterator[Route]:
    """The slowest route of each size that has a limit."""
    for one in requirements:
        times = pairs.times_us.get(one.size_bytes)
        if times is not None and one.limit is not None and np.isfinite(times).any():
            src, dst = divmod(int(np.nanargmax(times)), pairs.count)
            yield src, dst


def _best(table: Floats) -> Floats:
    """For each row, the third greatest value (of a short row, a higher one), without missing values; NaN for an empty
    row.

    Other traffic only slows a route down, and a shared limit may slow all but a node's few routes to its neighbours.
    """
    found = np.full(len(table), np.nan)
    for at, row in enumerate(table):
        known = np.sort(row[~np.isnan(row)])[::-1]
        if len(known):
            found[at] = known[min(BEST, len(known) // 4)]
    return found


def again_of(pairs: PairMatrix | None) -> tuple[Again, ...]:
    """All repeated measurements in the order of measuring, rates first; a time covers both directions."""
    return () if pairs is None else (*_rates(pairs), *_times(pairs))


def _rates(pairs: PairMatrix) -> list[Again]:
    return [
        Again(*_names(pairs, route), "Mb/s", _known(pairs.mbps[route]), pairs.again(route))
        for route, values in pairs.again_mbps.items()
        if len(values)
    ]


def _times(pairs: PairMatrix) -> list[Again]:
    return [
        Again(
            *_names(pairs, route),
            "us",
            _known(pairs.times_us[size][route]) if size in pairs.times_us else None,
            pairs.again_time(route, size),
            size,
        )
        for (route, size), values in pairs.again_us.items()
        if route[0] < route[1] and len(values)
    ]


def _names(pairs: PairMatrix, route: tuple[int, int]) -> tuple[str, str]:
    return pairs.names[route[0]], pairs.names[route[1]]


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
