"""The assessment of a record: whether plans can run, and what differs or costs speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.operate.preflight.differences import differences
from weft.operate.preflight.finding import ORDER, Finding
from weft.operate.preflight.link import link_findings
from weft.operate.preflight.mpi import mpi_findings
from weft.operate.preflight.nodes import node_findings
from weft.operate.preflight.paths import path_findings
from weft.operate.preflight.record import ClusterRecord


@dataclass(frozen=True)
class CheckVerdict:
    """The verdict on a record; `findings` are failures first, then differences, then the rest."""

    record: ClusterRecord
    findings: Sequence[Finding]

    @property
    def can_run(self) -> bool:
        """Whether every node has an agent and every tested path connects."""
        return not any(finding.kind == "failure" for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The document of `weft check --json`."""
        return {
            "can_run": self.can_run,
            "findings": self.findings,
            **self.record.to_json(),
        }


def judge(record: ClusterRecord) -> CheckVerdict:
    """All findings about a record, the most severe first."""
    found = [
        *node_findings(record),
        *path_findings(record),
        *differences(record),
        *link_findings(record),
        *mpi_findings(record),
    ]
    found = [finding for finding in found if not _is_said(finding, found)]
    return CheckVerdict(record, sorted(found, key=lambda finding: ORDER.index(finding.kind)))


def _is_said(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether another finding says the same about the same nodes as a difference between nodes."""
    return any(
        other.code == f"differs-{finding.code}" and set(other.nodes) == set(finding.nodes)
        for other in others
    )
