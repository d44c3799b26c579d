"""What a job does on a network: connections between nodes, each in a phase of the job."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Protocol = Literal["tcp", "udp"]
Phase = Literal["launch", "wire-up", "run", "end"]
PHASES: tuple[Phase, ...] = ("launch", "wire-up", "run", "end")
"""launch: until all ranks run. wire-up: until the last one listens. run: until a rank ends. end: what follows."""
PRIVILEGED_BELOW = 1024


class JobConnection(Struct, frozen=True, kw_only=True):
    """A connection, or a UDP socket that another node may send to. The server is the end that listens.

    `is_chosen` says that the port was one of those that the kernel gives away, so another one the next time;
    `of_ranks` that a rank listens, so that any other rank may connect.
    """

    phase: Phase
    at_s: float
    protocol: Protocol
    client: str
    client_address: str
    client_program: str
    server: str
    server_address: str
    server_program: str
    port: int
    is_chosen: bool = False
    of_ranks: bool = False

    @property
    def is_privileged(self) -> bool:
        """Whether only root may listen there."""
        return self.port < PRIVILEGED_BELOW


class Outside(Struct, frozen=True, kw_only=True):
    """A connection to an address that is none of the job's nodes; `at_s` counts from the job's start."""

    at_s: float
    node: str
    program: str
    address: str
    port: int


class RemainingProcess(Struct, frozen=True, order=True):
    """A process of the job that still ran when the watch ended."""

    node: str
    program: str
    pid: int


class PortUsage(Struct, frozen=True, kw_only=True):
    """What a job used: `nodes` with the node that it was started on first, `seconds` it took, `status` it ended with
    (None where it was ended at its limit). `left` are processes that outlived it.

    `addresses` has one at which each node is reached. `any_port` are the ports that a node's kernel gives away, by
    node. `polled` are the nodes without the tracepoint, with the period in ms at which their tables were read, and why.
    """

    nodes: tuple[str, ...]
    addresses: dict[str, str]
    ranks: dict[str, int]
    connections: tuple[JobConnection, ...]
    outside: tuple[Outside, ...]
    any_port: dict[str, tuple[int, int]]
    seconds: float
    status: int | None
    polled: dict[str, tuple[int, str]] = {}
    left: tuple[RemainingProcess, ...] = ()

    @property
    def launcher(self) -> str:
        """The node that the job was started on."""
        return self.nodes[0]
