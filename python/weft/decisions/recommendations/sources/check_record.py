"""Proposals from a record of `weft check`: what prevents plans from running, odd nodes, costly settings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import cast

from weft.base.files.text_file import read_json
from weft.base.nodeset import fold
from weft.decisions.recommendations.action import Action, ActionEvidence, FindingCheck, Kind, id_of
from weft.decisions.recommendations.remedy import LikePeers, Proposal, Remedy, SameMtu
from weft.decisions.recommendations.sources.source import ClusterIdentity
from weft.operate.preflight.assess import judge
from weft.operate.preflight.finding import Finding
from weft.operate.preflight.record import ClusterRecord
from weft.runs.records import records
from weft.runs.run_warnings import RunWarning

LINK_CODES = ("differs-link-speed", "differs-duplex")
"""Codes for the cable or port, which a search reports as slow."""
_KINDS: dict[str, Kind] = {"failure": "fix", "difference": "fix", "warning": "tune"}


class CheckRecord:
    """The output of `weft check --json`."""

    subject = ("check",)

    def __init__(self, path: Path, record: ClusterRecord) -> None:
        self.path, self.record = path, record
        self.when = path.stat().st_mtime
        nodes = {one.name: (one.addresses or [""])[0] for one in record.nodes}
        self.cluster = ClusterIdentity.of_testbed(
            cast(records.TestbedRecord, record.testbed), nodes
        )

    @classmethod
    def read(cls, path: Path) -> CheckRecord:
        """Read a file; raises RequestError if it is not a record."""
        hint = "give what `weft check --on TESTBED --json` printed"
        return cls(path, read_json(path, ClusterRecord, "not a record of a check", hint))

    @cached_property
    def findings(self) -> list[Finding]:
        """All findings, the most severe first."""
        return list(judge(self.record).findings)

    @property
    def said(self) -> str:
        count = len(self.findings)
        alive = f"{len(self.record.alive)} of {len(self.record.nodes)} nodes answer"
        return f"{alive}, {count or 'no'} finding{'s' * (count != 1)}"

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Empty: it rests on no run."""
        return ()

    def proposals(self) -> Iterator[Proposal]:
        """A proposal for each finding."""
        for one in self.findings:
            yield Proposal(self._action(one), _remedy(one))

    def _action(self, one: Finding) -> Action:
        of = fold(one.nodes) if one.nodes else "the machine that starts weft"
        is_link = one.code in LINK_CODES and len(one.nodes) == 1
        return Action(
            id=id_of("link", one.nodes[0]) if is_link else id_of(one.code, of),
            kind=_KINDS[one.kind],
            do=f"{one.message}: {one.hint}" if one.hint else one.message,
            element=of,
            nodes=one.nodes,
            effort="minutes" if one.kind != "failure" else "hours",
            evidence=(ActionEvidence(str(self.path), one.message, one.code),),
            blocks=one.kind == "failure",
            checks=(FindingCheck(one.code, one.nodes),),
        )


def _remedy(one: Finding) -> Remedy | None:
    if one.code in LINK_CODES:
        return LikePeers(one.nodes)
    return SameMtu(one.nodes) if one.code == "differs-mtu" else None
