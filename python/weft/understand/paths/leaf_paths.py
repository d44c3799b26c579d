"""The paths from one leaf to another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.understand.paths.balance import Balance, balance_of, share_of
from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.document import PairEntry, PathEntry
from weft.understand.paths.sorting import VOTES, PathAssignment
from weft.understand.paths.wide import WidePathAssignment

Kind = Literal["several", "one", "by address", "not told", "few", "sprayed", "wide"]
"""In this order: several paths, chosen by ports; one path for all connections tried; several, but ports do not matter;
connections do not disturb each other; too few connections were sorted; packets of one connection take several paths;
connections disturb each other on slow paths only."""
LEAST_SORTED, LEAST_APART = 8, 4
"""With fewer connections on paths, their number is unreliable; this many paths of one connection each are no paths."""


@dataclass(frozen=True)
class LeafPath:
    """One of the paths: its connections, its share of all connections, and its capacity (payload). `is_full` if two of
    its connections filled it; else the capacity is a lower bound. `loss_share` of the frames are lost, None if the path
    loses no more than others."""

    connections: tuple[PathConnection, ...]
    share: Interval
    capacity_mbps: Interval
    is_full: bool
    loss_share: float | None = None


@dataclass(frozen=True)
class LeafPaths:
    """The paths from the nodes `src` to the nodes `dst`; `undecided` connections could not be assigned to a path.

    If the kind is "wide", `paths` are the slow ones, followed by all others as one. If the search ended before all was
    decided (not `is_complete`), there are at least as many paths. `balance` is None after several hashed hops: there a
    connection may share links with several paths, and is assigned to the one that it was first found to share."""

    src: tuple[int, ...]
    dst: tuple[int, ...]
    kind: Kind
    paths: tuple[LeafPath, ...]
    balance: Balance | None
    undecided: int
    is_complete: bool = True

    def sprayed(self) -> LeafPaths:
        """A copy of kind "sprayed", without any paths."""
        return replace(self, kind="sprayed", paths=(), balance=None, undecided=0, is_complete=True)

    @property
    def is_sure(self) -> bool:
        """Whether the search is complete, with all connections assigned to a path."""
        return self.is_complete and not self.undecided

    @property
    def usual_mbps(self) -> float:
        """The median capacity of the faster half of the paths, since one of two may be slow."""
        rates = sorted((path.capacity_mbps.median for path in self.paths), reverse=True)
        return float(np.median(rates[: (len(rates) + 1) // 2]))

    def to_json(self, names: list[str]) -> PairEntry:
        """The paths as `weft diagnose --json` prints them, with these names of nodes."""
        paths: list[PathEntry] = [
            {
                "share": path.share,
                "capacity_mbps": path.capacity_mbps,
                "is_full": path.is_full,
                "loss_share": path.loss_share,
                "connections": [
                    {"src": names[one.src], "dst": names[one.dst], "port": one.port}
                    for one in path.connections
                ],
            }
            for path in self.paths
        ]
        return {
            "src": [names[node] for node in self.src],
            "dst": [names[node] for node in self.dst],
            "kind": self.kind,
            "paths": paths,
            "balance": self.balance,
            "undecided": self.undecided,
            "is_complete": self.is_complete,
        }


def leaf_paths(pair: LeafPair, sorting: PathAssignment, is_complete: bool = True) -> LeafPaths:
    """The paths between two leaves, from their connections as far as they are sorted."""
    kind = _kind(sorting, is_complete)
    told = kind in ("several", "one", "by address")
    paths = [_path(sorting, number) for number in range(len(sorting.paths))] if told else []
    counts = [len(path.connections) for path in paths]
    return LeafPaths(
        pair.src.members,
        pair.dst.members,
        kind,
        tuple(paths),
        balance_of(counts) if len(counts) > 1 and not pair.has_choices else None,
        len(sorting.undecided) if is_complete else len(sorting.alone) - sum(counts),
        is_complete,
    )


def wide_paths(
    pair: LeafPair, found: WidePathAssignment, is_complete: bool = True
) -> LeafPaths | None:
    """The paths between two leaves if some are wider than two nodes can fill; None if none is slow, or if none of the
    wide ones was filled."""
    if not found.slow or len(found.wide_mbps) < VOTES:
        return None
    placed = sum(map(len, found.slow)) + len(found.others)
    paths = [
        LeafPath(
            tuple(sorted(path)),
            share_of(len(path), placed),
            median_interval([mbps for at, mbps in found.meetings if at == number]),
            True,
        )
        for number, path in enumerate(found.slow)
    ]
    share, others = share_of(len(found.others), placed), tuple(sorted(found.others))
    paths.append(LeafPath(others, share, median_interval(found.wide_mbps), True))
    return LeafPaths(
        *(pair.src.members, pair.dst.members, "wide", tuple(paths)),
        balance=None,
        undecided=len(found.undecided),
        is_complete=is_complete,
    )


def _kind(sorting: PathAssignment, is_complete: bool) -> Kind:
    are_apart = is_complete and len(sorting.paths) >= LEAST_APART and not sorting.joined
    if sorting.is_wide or are_apart:
        return "not told"
    if sorting.placed < LEAST_SORTED or not sorting.joined:
        return "few"
    if len(sorting.paths) == 1:
        return "one"
    return "by address" if _ignores_ports(sorting) else "several"


def _ignores_ports(sorting: PathAssignment) -> bool:
    """Whether all connections of the same two nodes share a path, which is unlikely if ports mattered."""
    path_of = {one: number for number, path in enumerate(sorting.paths) for one in path}
    by_ends: dict[tuple[int, int], list[int]] = {}
    for one, path in path_of.items():
        by_ends.setdefault((one.src, one.dst), []).append(path)
    repeated = [paths for paths in by_ends.values() if len(paths) > 1]
    return len(repeated) >= 3 and all(len(set(paths)) == 1 for paths in repeated)


def _path(sorting: PathAssignment, number: int) -> LeafPath:
    found = sorting.paths[number]
    alone = sorting.rate_mbps(number)
    # Rates below that of one connection alone have another cause.
    together = [max(mbps, alone) for path, mbps in sorting.meetings if path == number]
    rates = together or [sorting.alone[one] for one in found]
    return LeafPath(
        tuple(sorted(found)),
        share_of(len(found), sorting.placed),
        median_interval(rates),
        bool(together),
    )
