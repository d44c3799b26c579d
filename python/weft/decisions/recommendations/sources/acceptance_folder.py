"""Proposals from an acceptance: its faults by element, and what it could not decide."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Iterator
from pathlib import Path

from weft.decisions.recommendations.action import AcceptanceCheck, Action, ActionEvidence, id_of
from weft.decisions.recommendations.remedy import LikePeers, Proposal, Remedy
from weft.decisions.recommendations.sources.source import ClusterIdentity
from weft.measure.execute.work_folder import read_request
from weft.operate.acceptance.accept import ACCEPTANCE, COMMAND, AcceptRequest
from weft.operate.acceptance.faults import ElementFault, faults
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict
from weft.runs.run_warnings import RunWarning

SLOW = ("rate-low", "asymmetry")
"""Symptoms of a node that a cable or a port can cause."""


class AcceptanceFolder:
    """The output of `weft accept`."""

    subject = ("accept",)

    def __init__(self, path: Path, found: AcceptanceResult, request: AcceptRequest) -> None:
        self.path, self.found, self._request = path, found, request
        self.cluster = ClusterIdentity(dict.fromkeys(found.nodes, ""), found.testbed, request.scale)
        began = datetime.datetime.fromisoformat(found.started) if found.started else None
        self.when = began.timestamp() if began else 0.0

    @classmethod
    def read(cls, path: Path) -> AcceptanceFolder:
        """Read a folder; raises RequestError if it is damaged."""
        return cls(path, ACCEPTANCE.read(path), read_request(str(path), AcceptRequest, COMMAND))

    @property
    def said(self) -> str:
        met = sum(one.status == "met" for one in self.found.verdicts)
        return f"{met} of {len(self.found.verdicts)} requirements are met"

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """The warnings of its runs."""
        return self.found.warnings

    def proposals(self) -> Iterator[Proposal]:
        """Proposals to repair faults, and to measure what is not decided."""
        for fault in faults(self.found.verdicts):
            yield Proposal(self._fault(fault), _remedy(fault))
        for one in self.found.verdicts:
            if one.status == "not decided" and one.would_decide:
                yield Proposal(self._undecided(one))

    def _fault(self, fault: ElementFault) -> Action:
        cause = fault.causes[0] if fault.causes else None
        remedy = f": likely {cause.title}: {cause.remedy}" if cause else ""
        is_node = len(fault.nodes) == 1
        return Action(
            id=id_of("link", fault.nodes[0])
            if _is_slow_node(fault)
            else id_of("fault", fault.element),
            kind="fix",
            do=f"mend {fault.element}{remedy}",
            element=fault.element,
            nodes=fault.nodes,
            effort="minutes" if is_node else "hours",
            evidence=tuple(
                ActionEvidence(
                    str(self.path),
                    f"not met: {one.title}: {'; '.join(one.evidence)}",
                    one.requirement,
                )
                for one in fault.verdicts
            ),
            checks=(
                AcceptanceCheck(
                    tuple(one.requirement for one in fault.verdicts),
                    self._request.expect,
                    self._request.fabric,
                ),
            ),
        )

    def _undecided(self, one: RequirementVerdict) -> Action:
        return Action(
            id=id_of("measure", one.requirement),
            kind="measure",
            do=f"decide whether {one.title}: {one.would_decide}",
            element=one.requirement,
            nodes=tuple(self.found.nodes),
            effort="minutes",
            evidence=(
                ActionEvidence(str(self.path), f"not decided: {one.title}", one.requirement),
            ),
            commands=(f"weft accept --resume {shlex.quote(str(self.path))}",),
        )


def _is_slow_node(fault: ElementFault) -> bool:
    return len(fault.nodes) == 1 and any(one.kind in SLOW for one in fault.symptoms)


def _remedy(fault: ElementFault) -> Remedy | None:
    return LikePeers(fault.nodes) if _is_slow_node(fault) else None
