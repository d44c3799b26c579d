"""The core: whether what joins the parts of a group is a limit of its own."""

from __future__ import annotations

import numpy as np

from weft.diagnose.xray.knowledge import Knowledge
from weft.diagnose.xray.limit import predict_held_up
from weft.diagnose.xray.request import Request
from weft.diagnose.xray.tree.grouping import Group
from weft.diagnose.xray.trial import Trial
from weft.diagnose.xray.verdict import LOOKS, Verdict, judge
from weft.run.experiment import Experiment

LEAST_BITS = 48 * 1448 * 8
"""A flow that gets less in a trial says more of how it began than of what it shares."""
LONGEST_S = 2.0
ENOUGH = 0.9
"""Trials that lasted this share of what they should are long enough."""


class Core:
    """Studies groups whose parts are known."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def study(self, group: Group, crossing: list[Trial]) -> bool:
        """Whether what is found so far explains what passed between all parts at once.

        Where shares are thin trials must last longer for that: what begins at one full link reaches the next
        in bursts, and of a trial of a few frames each that is much. Returns whether it is decided.
        """
        if self._explained(group, crossing).state == "free":
            return True
        seconds = max(self._needed_s(group, trial) for trial in crossing)
        lasting = [trial for trial in crossing if trial.seconds >= ENOUGH * seconds]
        verdict = self._explained(group, lasting)
        if verdict.state == "open":
            experiment = Experiment("cross", group.members, group.members)
            more = min(look for look in LOOKS if look > len(lasting)) - len(lasting)
            self._knowledge.requests.append(Request(experiment, more, seconds=seconds / ENOUGH))
            return self._knowledge.is_over
        if verdict.state == "limited":
            parts = tuple(group.parts)
            self._knowledge.add("core", group.members, "inside", verdict, lasting, parts)
        return True

    def _explained(self, group: Group, crossing: list[Trial]) -> Verdict:
        return judge([self._share(trial, group) for trial in crossing])

    def _share(self, trial: Trial, group: Group) -> float:
        """What passed of what must pass, whatever holds up acknowledgements."""
        known = self._knowledge.around(group.members)
        return float(trial.mbps.sum() / predict_held_up(trial, self._knowledge.ports, known).sum())

    def _needed_s(self, group: Group, trial: Trial) -> float:
        """How long a trial must last for most of its flows to get enough through what is known."""
        expected = self._knowledge.expected_mbps(trial, self._knowledge.around(group.members))
        return min(LEAST_BITS / float(np.median(expected)) / 1e6, LONGEST_S)
