"""How far each node of a session is, by its own reports; which nodes are silent, and whether anything still moves."""

from __future__ import annotations

from dataclasses import dataclass

from weft.measure.execute.ensemble.complaints import Complaint, suspects
from weft.measure.testbed.agent.reply import Alive, PhaseOver, Reply

_STATES = {"connect": 0, "barrier": 1, "transfer": 2, "over": 3}
"""In the order in which a phase goes through them."""

LEAST_PATIENCE_S = 1.0
"""Two of the reports that agents make; no node can be called silent sooner."""

PAUSE_SHARE = 0.2
"""Nodes are said to have held up all others when nothing has moved for that part of the patience."""

SLEPT_S = 2.0
"""Ticks so far apart mean that this process itself did not run."""


@dataclass(frozen=True)
class NodeProgress:
    """Where a node is: what it says every half second."""

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
        """What differs once anything has moved."""
        return self.position, self.round, self.moved_bytes


class HeartbeatWatch:
    """Follows nodes while they work. Times are seconds of a clock that the caller reads.

    A slow node is not a dead one: as long as any node moves a byte, or gets to another phase, state or
    round of a barrier, no node is dropped. A node is silent when it says nothing at all.
    """

    def __init__(self, nodes: list[int], patience_s: float, now_s: float) -> None:
        self._patience_s = max(patience_s, LEAST_PATIENCE_S)
        self._standings = {node: NodeProgress() for node in nodes}
        self._heard_s = dict.fromkeys(nodes, now_s)
        self._moved_s = self._ticked_s = now_s

    def hear(self, node: int, message: Reply, now_s: float) -> None:
        """Take note of what a node says."""
        self._heard_s[node] = now_s
        before = self._standings[node]
        self._standings[node] = _standing(message, before)
        is_busy = isinstance(message, Alive) and message.computing
        if is_busy or self._standings[node].progress != before.progress:
            self._moved_s = now_s

    def leave_out(self, node: int) -> None:
        """A node is through and need not say any more."""
        self._heard_s.pop(node, None)
        self._standings.pop(node, None)

    def tick(self, now_s: float) -> None:
        """To be called often: a process that was stopped itself must not judge others by the time it missed."""
        missed_s = now_s - self._ticked_s
        self._ticked_s = now_s
        if missed_s > SLEPT_S:
            self._heard_s = dict.fromkeys(self._heard_s, now_s)
            self._moved_s = now_s

    def silent(self, now_s: float) -> list[int]:
        """Nodes that have said nothing for longer than patience allows."""
        limit_s = now_s - self._patience_s
        return [node for node, heard_s in self._heard_s.items() if heard_s < limit_s]

    def is_stalled(self, now_s: float) -> bool:
        """Whether nothing has moved anywhere for longer than patience allows."""
        return bool(self._standings) and self._moved_s < now_s - self._patience_s

    def pause_s(self, now_s: float) -> float:
        """How long nothing has moved anywhere; 0 where that is too short to be said."""
        pause_s = now_s - self._moved_s if self._standings else 0.0
        return pause_s if pause_s > PAUSE_SHARE * self._patience_s else 0.0

    def held_up_by(self) -> list[int]:
        """The nodes that explain most of the waiting; where those least far wait for no node, these themselves."""
        complaints = self.complaints()
        return suspects(complaints) or [one.node for one in complaints]

    def complaints(self) -> list[Complaint]:
        """The nodes that those least far wait for; nodes further on wait for these."""
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
