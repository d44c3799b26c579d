"""The observed state of a cluster as data, which can be judged repeatedly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from weft.base.result import Documented
from weft.measure.execute.mpi.trial import MpiTrial
from weft.measure.testbed.agent.reply import CheckedInterface, Path, System


class NodeRecord(Struct, frozen=True):
    """A node. `failure` says why there is no agent (`failure_code` for programs), and then the rest is empty;
    `complaint` says why it cannot listen. `try_command` is a command that starts something there and does nothing else.

    `facts` are those of the agent's greeting. There is one of `interfaces` for each address, None if no interface has
    it. `refused` counts datagrams to its data ports that were not the check's.
    """

    name: str
    addresses: list[str]
    failure: str = ""
    complaint: str = ""
    facts: Mapping[str, object] = {}
    system: System = {}
    interfaces: list[CheckedInterface | None] = []
    refused: int = 0
    failure_code: str = ""
    try_command: str = ""


class PathRecord(Path, frozen=True, kw_only=True):
    """One direction between two nodes, as observed by `src`."""

    src: str
    dst: str

    @property
    def ends(self) -> tuple[str, str]:
        return self.src, self.dst


class ClusterRecord(Documented, Struct, frozen=True):
    """A cluster before a run; `mpi` are the MPIs of the machine that runs weft."""

    testbed: dict[str, Any]
    nodes: list[NodeRecord]
    paths: list[PathRecord]
    mpi: list[MpiTrial] = []

    @property
    def alive(self) -> list[NodeRecord]:
        """The nodes with an agent."""
        return [node for node in self.nodes if not node.failure]

    @property
    def networks(self) -> int:
        """How many networks the nodes are in."""
        return max((len(node.addresses) for node in self.nodes), default=0)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> ClusterRecord:
        """The record that `to_json` wrote."""
        return msgspec.convert(document, cls)
