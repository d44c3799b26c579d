"""The core: whether what joins the parts of a group is a limit of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.diagnose.xray.decision import Decision, decide, rounds_to_next_look
from weft.diagnose.xray.knowledge import Answer, Knowledge
from weft.diagnose.xray.limit import predict_held_up
from weft.diagnose.xray.request import Request
from weft.diagnose.xray.tree.grouping import Group
from weft.diagnose.xray.trial import Trial

LONG_S = 2.0
"""So long trials last where shorter ones leave something unused: what begins at one full link reaches the next in
bursts, and of a trial of a few frames each that is much."""


def study_core(known: Knowledge, group: Group, crossing: Request, rounds: list[Trial]) -> Answer:
    """Whether what is found so far explains what passed between all parts of a group at once."""
    if _explained(known, group, rounds).state == "free":
        return Answer()
    lasting = [trial for trial in rounds if trial.seconds > LONG_S / 2]
    decision = _explained(known, group, lasting)
    if decision.state == "open":
        more = rounds_to_next_look(len(lasting))
        return known.ask(replace(crossing, rounds=more, seconds=LONG_S))
    if decision.state == "limited":
        parts = tuple(group.parts)
        return known.limited("core", group.members, "inside", decision, lasting, parts)
    return Answer()


def _explained(known: Knowledge, group: Group, rounds: Sequence[Trial]) -> Decision:
    """By what passed of what must pass, whatever holds up acknowledgements."""
    around = known.around(group.members)
    predicted = (predict_held_up(trial, known.ports, around).sum() for trial in rounds)
    return decide(
        [float(t.mbps.sum() / all_mbps) for t, all_mbps in zip(rounds, predicted, strict=True)]
    )
