"""The progress of each node of a session, by its own reports: which nodes are silent, and whether anything still
moves."""

from __future__ import annotations

from dataclasses import dataclass

from weft.measure.execute.ensemble.complaints import Complaint, suspects
from weft.measure.testbed.agent.reply import Alive, PhaseOver, Reply

_STATES = {"connect": 0, "barrier": 1, "transfer": 2, "over": 3}
"""In the order in which a phase goes through them."""

LEAST_PATIENCE_S = 1.0
"""Two report intervals of an agent; no node can be called silent sooner."""

PAUSE_SHARE = 0.2
"""A pause is noted when nothing has moved for this share of the patience."""

SLEPT_S = 2.0
"""If two ticks are further apart than this, this process itself was stopped."""


@dataclass(frozen=True)
class NodeProgress:
    """The progress that a node reports every half second."""

    phase: int = -1
    state: str = "over"
    round: int | None = None
    moved_bytes: int = 0
    waiting_for: tuple[int, ...] = ()

    @property
    def position(self) -> tuple[int, int]:
        """Grows as the node advances."""
        return self.phase, _STATES.get(self.state, 0)

    @property
    def progress(self) -> tuple[object, ...]:
        """A value that changes whenever anything has moved."""
        return self.position, self.round, self.moved_bytes


class HeartbeatWatch:
    """Follows nodes while they work. Times are seconds on a clock that the caller reads.

    A slow node is not a dead one: while any node moves a byte, or reaches another phase, state or round of a barrier,
    no node is dropped. A node is silent if it reports nothing at all.
    """

    def __init__(self, nodes: list[int], patience_s: float, now_s: float) -> None:
        self._patience_s = max(patience_s, LEAST_PATIENCE_S)
        self._standings = {node: NodeProgress() for node in nodes}
        self._heard_s = dict.fromkeys(nodes, now_s)
        self._moved_s = self._ticked_s = now_s

    def hear(self, node: int, message: Reply, now_s: float) -> None:
        """Take a report of a node."""
        self._heard_s[node] = now_s
        before = self._standings[node]
        self._standings[node] = _standing(message, before)
        is_busy = isinstance(message, Alive) and message.computing
        if is_busy or self._standings[node].progress != before.progress:
            self._moved_s = now_s

    def leave_out(self, node: int) -> None:
        """Expect no more reports from a node that has finished."""
        self._heard_s.pop(node, None)
        self._standings.pop(node, None)

    def tick(self, now_s: float) -> None:
        """To be called often. If this process was stopped, the time that it missed is not held against the nodes."""
        missed_s = now_s - self._ticked_s
        self._ticked_s = now_s
        if missed_s > SLEPT_S:
            self._heard_s = dict.fromkeys(self._heard_s, now_s)
            self._moved_s = now_s

    def silent(self, now_s: float) -> list[int]:
        """Nodes that have reported nothing for longer than the patience."""
        limit_s = now_s - self._patience_s
        return [node for node, heard_s in self._heard_s.items() if heard_s < limit_s]

    def is_stalled(self, now_s: float) -> bool:
        """Whether nothing has moved anywhere for longer than the patience."""
        return bool(self._standings) and self._moved_s < now_s - self._patience_s

    def pause_s(self, now_s: float) -> float:
        """Seconds for which nothing has moved anywhere; 0 if that is too short to report."""
        pause_s = now_s - self._moved_s if self._standings else 0.0
        return pause_s if pause_s > PAUSE_SHARE * self._patience_s else 0.0

    def held_up_by(self) -> list[int]:
        """The nodes that explain most of the waiting; if the least advanced nodes wait for no other, these nodes
        themselves."""
        complaints = self.complaints()
        return suspects(complaints) or [one.node for one in complaints]

    def complaints(self) -> list[Complaint]:
        """The nodes that the least advanced nodes wait for; nodes further on wait for these."""
        least = min((one.position for one in self._standings.values()), default=None)
        return [
            Complaint(node, one.waiting_for)
            for node, one in self._standings.items()
            if one.position == least
        ]


def _standing(message: Reply, before: NodeProgress) -> NodeProgress:
    if isinstance(message, Alive):
        told = message.round, message.moved_bytes, message.waiting_for
        return NodeProgress(message.phase, message.state, *told)
    if isinstance(message, PhaseOver):
        return NodeProgress(message.phase, "over", None, before.moved_bytes)
    return before
