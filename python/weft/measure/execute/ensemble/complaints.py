"""Fault localisation: which nodes explain why a session makes no progress.

Every complaint ("I wait for node 7") is an edge between two nodes, in either direction: a node that is cut off
complains about its partners as much as they do about it. The node that touches most edges is the one whose absence
explains most of them. If several touch equally many, complaints alone do not decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weft.measure.testbed.agent.agent import AgentError


@dataclass(frozen=True)
class Complaint:
    """A node that cannot continue because of other nodes."""

    node: int
    about: tuple[int, ...]


def suspects(complaints: Iterable[Complaint]) -> list[int]:
    """The nodes that touch most complaints, in order; a single one if the case is clear."""
    edges = {frozenset((one.node, peer)) for one in complaints for peer in one.about}
    touched = Counter(node for edge in edges for node in edge if len(edge) == 2)
    most = max(touched.values(), default=0)
    return sorted(node for node, count in touched.items() if count == most)


def culprit(complaints: list[Complaint]) -> int | None:
    """A single suspect even if the case is not clear: the one that most others name, and the last of those."""
    named = Counter(peer for one in complaints for peer in one.about)
    return max(suspects(complaints), key=lambda node: (named[node], node), default=None)


def complaints_of(errors: Mapping[int, AgentError]) -> list[Complaint]:
    """Complaints by nodes that gave up, without those that merely follow from others.

    A node that gives up closes its connections, so its partners lose it. Their complaints say nothing new, because the
    node has reported its own reason.
    """
    all_of_them = [Complaint(node, error.peers) for node, error in errors.items()]
    causes = [one for one in all_of_them if not _is_consequence(one, errors)]
    return causes or all_of_them


def _is_consequence(complaint: Complaint, errors: Mapping[int, AgentError]) -> bool:
    lost = errors[complaint.node].code == "peer-lost"
    return lost and all(peer in errors for peer in complaint.about)
