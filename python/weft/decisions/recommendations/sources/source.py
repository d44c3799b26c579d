"""What the sources of knowledge about a cluster, which are folders and files of several kinds, have in common."""

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
"""Testbeds that are built from a name: another name is another cluster."""


@dataclass(frozen=True)
class ClusterIdentity:
    """What a source is about: the nodes with their addresses, if known, the testbed as `--on` takes it, its name and
    scale. Unknown values are empty."""

    nodes: Mapping[str, str]
    spec: str = ""
    scale: float | None = None
    name: str = ""

    @property
    def kind(self) -> str:
        """The kind of testbed, such as "ssh"."""
        return self.spec.partition(":")[0]

    @property
    def is_computed(self) -> bool:
        """Whether it was simulated."""
        return self.kind in COMPUTED

    @classmethod
    def of_testbed(
        cls, testbed: records.TestbedRecord, nodes: Mapping[str, str]
    ) -> ClusterIdentity:
        """The identity of a run's or a check's testbed; imported runs have none on which to measure again."""
        kind, name = testbed.get("kind", ""), testbed.get("name", "")
        made = f"{kind}:{name}" if kind in MADE_HERE else ""
        return cls(nodes, testbed.get("spec", made), testbed.get("scale"), name)

    def on(self) -> str:
        """The options that measure it again."""
        scale = f" --scale {self.scale:g}" if self.scale not in (None, 1) else ""
        return f"--on {shlex.quote(self.spec) if self.spec else 'TESTBED'}{scale}"


class EvidenceSource(Protocol):
    """A folder or file that was read. `subject` is what it describes: of two with the same subject the newer counts, by
    `when` (Unix time); None if all count."""

    @property
    def path(self) -> Path: ...
    @property
    def cluster(self) -> ClusterIdentity | None:
        """The cluster; None if its nodes are not nodes of a cluster."""

    @property
    def subject(self) -> tuple[object, ...] | None: ...
    @property
    def when(self) -> float: ...
    @property
    def said(self) -> str:
        """What was examined and found, in a clause."""

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """The warnings of the runs that it rests on."""

    def proposals(self) -> Iterator[Proposal]:
        """The actions that it suggests."""


@dataclass(frozen=True)
class EvidenceSources:
    """Everything that was read, without what newer sources replace; `notes` say what was left out, and why."""

    found: tuple[EvidenceSource, ...]
    notes: tuple[str, ...] = field(default=())


def cluster_of_most(found: Iterable[EvidenceSource]) -> ClusterIdentity | None:
    """The cluster according to the source with most nodes."""
    known = [one.cluster for one in found if one.cluster is not None]
    return max(known, key=lambda one: len(one.nodes), default=None)
