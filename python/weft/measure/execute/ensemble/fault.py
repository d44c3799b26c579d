"""Why a session ended early, and which nodes are lost because of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from weft.measure.execute.ensemble.complaints import Complaint, complaints_of, culprit, suspects
from weft.measure.testbed.agent.agent import AgentError

_MOST_NAMED = 3


@dataclass(eq=False)
class Setback(Exception):
    """A session ended early, because of `lost` nodes or, if it is not clear which, because nothing moved between
    some."""

    lost: dict[int, AgentError]
    stalled_between: tuple[int, ...] | None = None


@dataclass(frozen=True)
class FaultJudge:
    """Decides which nodes are lost. Agents refer to each other by number; `_name` gives a node's name."""

    _name: Callable[[int], str]

    def failed(self, errors: dict[int, AgentError], members: int, may_rejoin: bool) -> Setback:
        """Nodes gave up. Lost are those whose agents ended; else those that failed for a reason of their own; else the
        one that the others cannot reach.

        If that is not clear, joining again decides: a node that cannot join is dropped. An error that most nodes report
        is not the fault of one of them, and is raised unchanged.
        """
        ended = {node: error for node, error in errors.items() if error.is_its_end}
        alone = {node: error for node, error in errors.items() if not error.peers}
        if ended:
            return Setback(ended)
        if len(alone) > 1 and len(alone) * 2 > members:
            raise next(iter(alone.values()))
        if alone:
            return Setback(alone)
        complaints = complaints_of(errors)
        found = suspects(complaints)
        if may_rejoin and len(found) != 1:
            return Setback({}, tuple(found))
        node = culprit(complaints)
        assert node is not None
        return Setback({node: self._missed(node, errors)})

    def stalled(self, complaints: list[Complaint], patience_s: float) -> Setback:
        """Nothing has moved for too long: the node that explains most of the waiting is lost."""
        found = suspects(complaints)
        if len(found) != 1:
            return Setback({}, tuple(found))
        (node,) = found
        waiting = [one.node for one in complaints if node in one.about and one.node != node]
        reason = f"nothing moved for {patience_s:g} s, and {self._names(waiting)} waited for it"
        return Setback({node: AgentError(self._name(node), "node-stalled", reason)})

    def mute(self, nodes: Sequence[int], seconds: float) -> Setback:
        """The agents of `nodes` sent nothing. If many are silent at once, this machine may be the cause rather than
        theirs."""
        reason = f"the agent sent nothing for {seconds:g} s"
        if len(nodes) > 1:
            reason += f", nor did those of {len(nodes) - 1} more (`--patience` gives them longer)"
        lost = {node: AgentError(self._name(node), "agent-silent", reason) for node in nodes}
        return Setback(lost)

    def _missed(self, node: int, errors: dict[int, AgentError]) -> AgentError:
        """What the others report about a node; its own complaints about them are the same edges in the other
        direction."""
        witnesses = [one for one, error in errors.items() if node in error.peers]
        if not witnesses:
            return errors[node]
        lost = all(errors[one].code == "peer-lost" for one in witnesses)
        reason = f"{self._names(witnesses)} {'lost it' if lost else 'could not reach it'}"
        return AgentError(self._name(node), "node-missed", reason + _explanation(witnesses, errors))

    def _names(self, nodes: Sequence[int]) -> str:
        named = ", ".join(self._name(node) for node in sorted(nodes)[:_MOST_NAMED]) or "no node"
        more = len(nodes) - _MOST_NAMED
        return named + (f" and {more} more" if more > 0 else "")


def _explanation(witnesses: Iterable[int], errors: dict[int, AgentError]) -> str:
    """The explanation by the first node that found no way to the lost one."""
    known = (errors[one].reason for one in witnesses if errors[one].code == "peer-unreachable")
    return next((f": {reason}" for reason in known), "")
