"""Which paths lose frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from weft.runs.records.records import ChosenPhase
from weft.understand.grey.blame import judge
from weft.understand.grey.observations import Observations, drawn
from weft.understand.grey.symptoms import LOSS_SHARE
from weft.understand.host.resent import At, SegmentCounts, together
from weft.understand.paths.connection import PathConnection
from weft.understand.paths.leaf_paths import LeafPaths


class PathPlace(NamedTuple):
    """A path: the number of its pair of leaves, and its index there."""

    pair: int
    path: int


def with_losses(
    told: Sequence[LeafPaths], records: Iterable[ChosenPhase], counted: Mapping[At, SegmentCounts]
) -> list[LeafPaths]:
    """The paths with the loss share of lossy ones: those that lose frames significantly more often than the others."""
    taken = list(_looks(told, records))
    if not taken or not counted:
        return list(told)
    looks = [(place, counted.get(at, SegmentCounts())) for place, at in taken]
    places = sorted({place for place, _ in looks})
    numbers = np.array([[places.index(place)] for place, _ in looks])
    shown = np.array([one.lost_share > LOSS_SHARE for _, one in looks])
    counts = drawn(numbers, np.array([phase for _, (phase, _) in taken]))
    found = judge([Observations("loses frames", shown, numbers, tuple(places), counts)])
    sent: dict[PathPlace, list[SegmentCounts]] = defaultdict(list)
    for place, one in looks:
        sent[place].append(one)
    lossy = {one.element: together(sent[one.element]).lost_share for one in found.accused}
    return [_with(number, one, lossy) for number, one in enumerate(told)]


def _with(number: int, one: LeafPaths, lossy: Mapping[PathPlace, float]) -> LeafPaths:
    paths = tuple(
        replace(path, loss_share=lossy.get(PathPlace(number, at)))
        for at, path in enumerate(one.paths)
    )
    return replace(one, paths=paths)


def _looks(
    told: Sequence[LeafPaths], records: Iterable[ChosenPhase]
) -> Iterator[tuple[PathPlace, At]]:
    """The path, phase and sender of each transfer of a connection whose path is known."""
    place_of = {
        connection: PathPlace(number, at)
        for number, one in enumerate(told)
        for at, path in enumerate(one.paths)
        for connection in path.connections
    }
    for record in records:
        for sent in record["transfers"]:
            connection = PathConnection(sent["src"], sent["dst"], sent.get("port", 0))
            if connection in place_of:
                yield place_of[connection], (record["phase"], connection.src)
