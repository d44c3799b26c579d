"""What is known of a cluster comes in folders and files of several kinds; what all of them have in common."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from weft.decisions.recommendations.remedy import Proposal
from weft.runs.records import records
from weft.runs.run_warnings import RunWarning

COMPUTED = ("sim", "node")
MADE_HERE = ("lab", *COMPUTED)
"""Testbeds that are made from a name: another name is another cluster."""


@dataclass(frozen=True)
class ClusterIdentity:
    """What a source is about: the nodes with their addresses, where it says them, the testbed as `--on` takes it, its
    name and scale. What is not known is empty."""

    nodes: Mapping[str, str]
    spec: str = ""
    scale: float | None = None
    name: str = ""

    @property
    def kind(self) -> str:
        """Such as "ssh"."""
        return self.spec.partition(":")[0]

    @property
    def is_computed(self) -> bool:
        """Whether it was simulated."""
        return self.kind in COMPUTED

    @classmethod
    def of_testbed(
        cls, testbed: records.TestbedRecord, nodes: Mapping[str, str]
    ) -> ClusterIdentity:
        """That of a run or a check; imported ones have no testbed to measure again on."""
        kind, name = testbed.get("kind", ""), testbed.get("name", "")
        made = f"{kind}:{name}" if kind in MADE_HERE else ""
        return cls(nodes, testbed.get("spec", made), testbed.get("scale"), name)

    def on(self) -> str:
        """The options that measure it again."""
        scale = f" --scale {self.scale:g}" if self.scale not in (None, 1) else ""
        return f"--on {shlex.quote(self.spec) if self.spec else 'TESTBED'}{scale}"


class EvidenceSource(Protocol):
    """One folder or file, read. `subject` says what it tells about: of two with the same the newer counts, by `when`
    (Unix time); None where all count."""

    @property
    def path(self) -> Path: ...
    @property
    def cluster(self) -> ClusterIdentity | None:
        """None where its nodes are no nodes of a cluster."""

    @property
    def subject(self) -> tuple[object, ...] | None: ...
    @property
    def when(self) -> float: ...
    @property
    def said(self) -> str:
        """What was looked at and found, in a clause."""

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Those of the runs that it rests on."""

    def proposals(self) -> Iterator[Proposal]:
        """What to do, by what it says."""


@dataclass(frozen=True)
class EvidenceSources:
    """All that was read, without what newer ones replace; `notes` says what was left out, and why."""

    found: tuple[EvidenceSource, ...]
    notes: tuple[str, ...] = field(default=())


def cluster_of_most(found: Iterable[EvidenceSource]) -> ClusterIdentity | None:
    """The cluster as the source with most nodes has it."""
    known = [one.cluster for one in found if one.cluster is not None]
    return max(known, key=lambda one: len(one.nodes), default=None)
