"""What was seen of a cluster, as data: recorded once, judged as often as one likes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from weft.execute.mpi.trial import Trial


@dataclass(frozen=True)
class NodeRecord:
    """A node. `failure` says why there is no agent, and then the rest is empty; `complaint` why it cannot listen.

    `facts` are those of the agent's greeting, `system` and `interfaces` (one for each address, None where no
    interface has it) as the agent's crates/probe/src/inspect reports them. `refused` are datagrams to its data ports
    that were not the check's.
    """

    name: str
    addresses: list[str]
    failure: str = ""
    complaint: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    system: dict[str, Any] = field(default_factory=dict)
    interfaces: list[dict[str, Any] | None] = field(default_factory=list)
    refused: int = 0


@dataclass(frozen=True)
class PathRecord:
    """One direction between two nodes over one network, as `src` saw it; errors are sentences or None."""

    src: str
    dst: str
    network: int
    connect_error: str | None
    datagram_error: str | None
    answered: int
    asked: int
    round_trip_us: float | None
    clock_offset_us: float | None
    clock_error_us: float | None
    mtu_bytes: int | None


@dataclass(frozen=True)
class Record:
    """A cluster before a run; `mpi` are the MPIs of the machine that runs weft."""

    testbed: dict[str, Any]
    nodes: list[NodeRecord]
    paths: list[PathRecord]
    mpi: list[Trial] = field(default_factory=list)

    @property
    def alive(self) -> list[NodeRecord]:
        """The nodes that have an agent."""
        return [node for node in self.nodes if not node.failure]

    @property
    def networks(self) -> int:
        """How many networks the nodes are in."""
        return max((len(node.addresses) for node in self.nodes), default=0)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Record:
        """The record that `to_json` wrote."""
        return cls(
            document["testbed"],
            [NodeRecord(**node) for node in document["nodes"]],
            [PathRecord(**path) for path in document["paths"]],
            [Trial(**mpi) for mpi in document.get("mpi", [])],
        )
