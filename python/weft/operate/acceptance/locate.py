"""Finds what slow routes have in common: a node's direction, or a limit that the fabric declares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.operate.acceptance.declared import Promise, Route
from weft.operate.acceptance.pairs import PairMatrix
from weft.operate.acceptance.verdict import Direction

Mask = npt.NDArray[np.bool_]
LEAST_LIKENESS = 0.5
"""Least Jaccard index of the slow routes and those that cross an element."""


@dataclass(frozen=True)
class SharedElement:
    """An element that some routes cross; `shared` if several nodes use it."""

    name: str
    nodes: tuple[str, ...]
    direction: Direction | None
    crossed: Mask
    shared: bool = False


def locate(pairs: PairMatrix, promise: Promise | None, below: float) -> list[SharedElement]:
    """The elements that explain the routes below a share of their usual rates, the clearest first.

    Jaccard's index measures how well an element explains them. Routes that an element explains are left out for the
    next.
    """
    slow, known = slow_routes(pairs, below)
    found: list[SharedElement] = []
    candidates = list(_candidates(pairs, promise))
    while slow.any():
        likest = max(candidates, key=lambda one: _likeness(one, slow, known))
        if _likeness(likest, slow, known) < LEAST_LIKENESS:
            break
        found.append(likest)
        slow, known = slow & ~likest.crossed, known & ~likest.crossed
    return _joined(found)


def slow_routes(pairs: PairMatrix, below: float) -> tuple[Mask, Mask]:
    """Masks of the routes that were below this share in their rounds, and of those for which this could be decided."""
    known = ~np.isnan(pairs.mbps) & (pairs.sharing > below)
    usual = np.nanquantile(pairs.mbps / pairs.sharing, 0.75) * pairs.sharing
    return known & (pairs.mbps < below * usual), known


def route_element(pairs: PairMatrix, route: Route) -> SharedElement:
    """A single route as an element."""
    crossed = np.zeros((pairs.count, pairs.count), dtype=bool)
    crossed[route] = True
    names = pairs.names[route[0]], pairs.names[route[1]]
    return SharedElement(" to ".join(names), names, None, crossed)


def _candidates(pairs: PairMatrix, promise: Promise | None) -> Iterator[SharedElement]:
    index = np.arange(pairs.count)
    ways: tuple[tuple[Direction, int], ...] = (("out", 0), ("in", 1))
    for at, name in enumerate(pairs.names):
        for direction, axis in ways:
            crossed = np.broadcast_to((index == at)[:, np.newaxis], (pairs.count,) * 2)
            yield SharedElement(
                f"{name} {direction}", (name,), direction, crossed.T if axis else crossed
            )
    if promise:
        yield from _shared(pairs, promise)


def _shared(pairs: PairMatrix, promise: Promise) -> Iterator[SharedElement]:
    for limit in promise.shared:
        inside = np.isin(np.arange(pairs.count), list(promise.members(limit)))
        own = inside[:, np.newaxis] if limit.direction == "out" else inside[np.newaxis, :]
        other = inside[np.newaxis, :] if limit.direction == "out" else inside[:, np.newaxis]
        crossed = own & ~other if limit.kind == "link" else own & np.ones_like(other)
        what = "uplink of" if limit.kind == "link" else "inside of"
        name = f"{what} {limit.name} {limit.direction}"
        yield SharedElement(
            name, promise.member_names(limit), limit.direction, crossed, shared=True
        )


def _likeness(one: SharedElement, slow: Mask, known: Mask) -> float:
    either = np.count_nonzero((one.crossed & known) | slow)
    return np.count_nonzero(one.crossed & slow) / either if either else 0.0


def _joined(found: list[SharedElement]) -> list[SharedElement]:
    """Merge both directions of the same nodes."""
    joined: list[SharedElement] = []
    for one in found:
        same = next((o for o in joined if o.nodes == one.nodes and o.shared == one.shared), None)
        if same is None:
            joined.append(one)
            continue
        name = same.name.removesuffix(f" {same.direction}")
        both = SharedElement(name, one.nodes, "both", same.crossed | one.crossed, one.shared)
        joined[joined.index(same)] = both
    return joined
