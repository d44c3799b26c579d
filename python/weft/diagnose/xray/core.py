"""The core: whether what joins the parts of a group is a limit of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft.diagnose.xray.knowledge import Answer, Knowledge
from weft.diagnose.xray.limit import predict_held_up
from weft.diagnose.xray.request import Request
from weft.diagnose.xray.tree.grouping import Group
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import Verdict, judge, rounds_to_next_look

LEAST_BITS = 48 * 1448 * 8
"""A flow that gets less in a trial says more of how it began than of what it shares."""
LONGEST_S = 2.0
ENOUGH = 0.9
"""Trials that lasted this share of what they should are long enough."""


def study_core(known: Knowledge, group: Group, crossing: Request, rounds: list[Trial]) -> Answer:
    """Whether what is found so far explains what passed between all parts of a group at once.

    Where shares are thin trials must last longer for that: what begins at one full link reaches the next
    in bursts, and of a trial of a few frames each that is much.
    """
    if _explained(known, group, rounds).state == "free":
        return Answer()
    seconds = max(_needed_s(known, group, trial) for trial in rounds)
    lasting = [trial for trial in rounds if trial.seconds >= ENOUGH * seconds]
    verdict = _explained(known, group, lasting)
    if verdict.state == "open":
        more = rounds_to_next_look(len(lasting))
        return known.ask(replace(crossing, rounds=more, seconds=seconds / ENOUGH))
    if verdict.state == "limited":
        parts = tuple(group.parts)
        return known.limited("core", group.members, "inside", verdict, lasting, parts)
    return Answer()


def _explained(known: Knowledge, group: Group, rounds: Sequence[Trial]) -> Verdict:
    """By what passed of what must pass, whatever holds up acknowledgements."""
    around = known.around(group.members)
    predicted = (predict_held_up(trial, known.ports, around).sum() for trial in rounds)
    return judge(
        [float(t.mbps.sum() / all_mbps) for t, all_mbps in zip(rounds, predicted, strict=True)]
    )


def _needed_s(known: Knowledge, group: Group, trial: Trial) -> float:
    """How long a trial must last for most of its flows to get enough through what is known."""
    expected = known.expected_mbps(trial, known.around(group.members))
    return min(LEAST_BITS / float(np.median(expected)) / 1e6, LONGEST_S)
