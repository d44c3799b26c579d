"""Proposals from a run between two nodes: settings that its evidence suggests, faults of the path, and parts of
simulated nodes that are worth speeding up."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from weft.base.interval import Interval
from weft.base.quantity import format_bytes
from weft.decisions.recommendations.action import (
    Action,
    ActionEffect,
    ActionEvidence,
    ByHand,
    id_of,
)
from weft.decisions.recommendations.remedy import Proposal
from weft.decisions.recommendations.sources.bases import RunSource
from weft.decisions.recommendations.sources.search_run import plan_of
from weft.knobs.recommendation import Recommendation
from weft.understand.explain.finding import Explanation
from weft.understand.host.disturbed import not_usable
from weft.understand.node.faster import LINK, Faster, PartSpeedup, part_text
from weft.understand.node.full_part import FullPart

BROKEN = {
    "path-mtu-hole": "find what drops large packets without a word, and let it pass them or say so (ICMP)",
    "loss-on-the-way": "find where frames are lost",
}
"""Causes that are faults of the path, which settings only mitigate."""
WORTH_BUYING = 1.1
"""A purchase is proposed if messages become at least this many times as fast."""
ON_SALE = 4.0
"""If a part would have to be more than this many times as fast, twice its speed is advised."""


class PairRun(RunSource):
    """A signature, or another run between two nodes."""

    @property
    def subject(self) -> tuple[object, ...]:
        return self.run.meta.plan.name, *self._nodes

    @property
    def _nodes(self) -> tuple[str, ...]:
        return tuple(self.cluster.nodes)[:2]

    @property
    def said(self) -> str:
        if reason := not_usable(self.run.meta):
            return f"nothing follows from it: {reason}"
        settings = len(self.findings.recommendations)
        tried = f"{settings or 'no'} setting{'s' * (settings != 1)} to try"
        full = [f"{part_text(one.part)} full" for one in self.findings.full_parts]
        return ", ".join([" and ".join(self._nodes), *dict.fromkeys(full), tried])

    def proposals(self) -> Iterator[Proposal]:
        """Faults of the path first, then untested settings."""
        if not_usable(self.run.meta):
            return
        for one in self.findings.explanations:
            if one.cause in BROKEN and one.kind == "limit":
                yield Proposal(self._fault(one, BROKEN[one.cause]))
        yield from (Proposal(self._setting(one)) for one in self.findings.recommendations)
        for full in self.findings.full_parts:
            # A full link is what a node is bought for: no reason to buy another.
            if (faster := full.faster) and full.part != LINK:
                sped = faster.much if faster.much.times <= ON_SALE else faster.twice
                if sped.rate_mbps >= WORTH_BUYING * faster.rate_mbps:
                    yield Proposal(self._faster(full, faster, sped))

    def _fault(self, one: Explanation, do: str) -> Action:
        between = " and ".join(self._nodes)
        return Action(
            id=id_of("path", str(one.cause), *self._nodes),
            kind="fix",
            do=f"{do}: between {between}",
            element=f"the path between {between}",
            nodes=self._nodes,
            effort="hours",
            evidence=(ActionEvidence(str(self.path), one.text, str(one.cause)),),
        )

    def _setting(self, one: Recommendation) -> Action:
        """The setting is tried before it is kept, since only `weft tune` measures its effect."""
        return Action(
            id=id_of("try", one.knob, *one.nodes),
            kind="measure",
            do=f"try {one.text}",
            element=f"{one.knob} on {' and '.join(one.nodes)}",
            nodes=one.nodes,
            effort="minutes",
            evidence=tuple(ActionEvidence(str(self.path), text, one.knob) for text in one.evidence),
            commands=(one.test,) if one.test else one.apply,
        )

    def _faster(self, full: FullPart, faster: Faster, sped: PartSpeedup) -> Action:
        """Only as fast as needed for most of the possible gain, since the rest costs most."""
        part, size = part_text(full.part), format_bytes(faster.size_bytes)
        gain = sped.rate_mbps / faster.rate_mbps
        return Action(
            id=id_of("faster", full.part, *full.nodes),
            kind="upgrade",
            do=f"take nodes in which {part} has at least {sped.value} instead of {faster.now}",
            element=f"{part} of {' and '.join(full.nodes)}",
            nodes=full.nodes,
            effort="purchase",
            evidence=(ActionEvidence(str(self.path), full.text),),
            effect=ActionEffect(f"{full.step} of {size}", Interval(gain, gain, gain), "predicted"),
            checks=self._simulations(faster.key, sped),
        )

    def _simulations(self, key: str, sped: PartSpeedup) -> tuple[ByHand, ...]:
        """The plan again on the machine with the faster part, if there is a command for it."""
        spec, change = self.cluster.spec, f"{key}={sped.value}"
        plan = plan_of(self.path, self.run)
        if not plan or not spec:
            return ()
        changed = f"{spec[:-1]},{change})" if spec.endswith(")") else f"{spec}({change})"
        command = f"weft run {shlex.quote(plan)} --on {shlex.quote(changed)}"
        return (ByHand(f"`{command}` shows it beforehand"),)
