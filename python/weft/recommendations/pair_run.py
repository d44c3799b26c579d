"""What a run between two nodes says should be done: settings that its evidence suggests, faults of the path."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from weft.diagnosis.explain.finding import Explanation
from weft.diagnosis.limits.diagnosis import diagnose
from weft.diagnosis.limits.findings import Findings
from weft.knobs.recommendation import Recommendation
from weft.recommendations.action import Action, Evidence, id_of
from weft.recommendations.remedy import Proposal
from weft.recommendations.search_run import cluster_of, started_s
from weft.runs.folder import Run

BROKEN = {
    "path-mtu-hole": "find what drops large packets without a word, and let it pass them or say so (ICMP)",
    "loss-on-the-way": "find where frames are lost",
}
"""Causes that are faults of the path: settings only live with them."""


class PairRun:
    """A signature, or another run between two nodes."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path, self.run = path, run
        self.cluster = cluster_of(run)
        self.when = started_s(run)

    @property
    def subject(self) -> tuple[object, ...]:
        return self.run.meta.plan.name, *self._nodes

    @property
    def _nodes(self) -> tuple[str, ...]:
        return tuple(self.cluster.nodes)[:2]

    @cached_property
    def findings(self) -> Findings:
        """What it says of the pair."""
        return diagnose(self.run)

    @property
    def said(self) -> str:
        settings = len(self.findings.recommendations)
        return (
            f"{' and '.join(self._nodes)}, {settings or 'no'} setting{'s' * (settings != 1)} to try"
        )

    def proposals(self) -> Iterator[Proposal]:
        """Faults of the path first, then settings, which are untested."""
        for one in self.findings.explanations:
            if one.cause in BROKEN and one.kind == "limit":
                yield Proposal(self._fault(one, BROKEN[one.cause]))
        yield from (Proposal(self._setting(one)) for one in self.findings.recommendations)

    def _fault(self, one: Explanation, do: str) -> Action:
        between = " and ".join(self._nodes)
        return Action(
            id=id_of("path", str(one.cause), *self._nodes),
            kind="fix",
            do=f"{do}: between {between}",
            element=f"the path between {between}",
            nodes=self._nodes,
            effort="hours",
            evidence=(Evidence(str(self.path), one.text, str(one.cause)),),
        )

    def _setting(self, one: Recommendation) -> Action:
        """Tried before it is kept: only `weft tune` knows what it brings."""
        return Action(
            id=id_of("try", one.knob, *one.nodes),
            kind="measure",
            do=f"try {one.text}",
            element=f"{one.knob} on {' and '.join(one.nodes)}",
            nodes=one.nodes,
            effort="minutes",
            evidence=tuple(Evidence(str(self.path), text, one.knob) for text in one.evidence),
            commands=(one.test,) if one.test else one.apply,
        )
