"""The next rounds of a search for the paths between two leaves."""

from __future__ import annotations

from typing import NamedTuple

from weft.runs.records.records import Kind
from weft.understand.paths.connection import MOST_CONNECTIONS, LeafPair, PathConnection
from weft.understand.paths.sorting import AT_ONCE, weak
from weft.understand.paths.trials import LeafPairTrials


class PathQuestion(NamedTuple):
    """Connections between two leaves that run concurrently: one alone ("port"), several to test for a common path
    ("meeting") or for slow paths ("look"), or a new one beside some on different paths ("apart")."""

    kind: Kind
    connections: tuple[PathConnection, ...]


def questions(pair: LeafPair, known: LeafPairTrials, ports: int) -> list[PathQuestion]:
    """The next rounds of a pair of leaves: single connections, then some that may share a path, then more if paths may
    be hidden. Empty once all is decided; at least `ports` connections are tried."""
    if new_heads := [one for one in known.heads if one not in known.alone]:
        return _single(new_heads)
    if len(known.alone) >= ports and (again := weak(known.alone)):
        return _single(again)
    sorting = known.sorted()
    if sorting.is_wide:
        return _look(known)
    if sorting.wanted and len(known.alone) >= ports:
        return [PathQuestion("meeting", one) for one in sorting.wanted]
    enough = min(max(ports, sorting.enough), MOST_CONNECTIONS)
    new = [one for one in pair.connections(enough) if one not in known.alone]
    if new or sorting.may_be_wide:
        return _single(new[:AT_ONCE]) or _look(known)
    return [PathQuestion("apart", one) for one in known.next_beside()] if sorting.joined else []


def _single(connections: list[PathConnection]) -> list[PathQuestion]:
    return [PathQuestion("port", (one,)) for one in connections]


def _look(known: LeafPairTrials) -> list[PathQuestion]:
    """A round that separates slow paths from wide ones, if any is left to try."""
    looked = known.slow_paths().wanted
    return [PathQuestion("look", looked)] if looked else []
