"""A job's use of the network: connections between nodes, each in a phase of the job."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Protocol = Literal["tcp", "udp"]
Phase = Literal["launch", "wire-up", "run", "end"]
PHASES: tuple[Phase, ...] = ("launch", "wire-up", "run", "end")
"""launch: until all ranks run. wire-up: until the last one listens. run: until a rank ends. end: afterwards."""
PRIVILEGED_BELOW = 1024


class JobConnection(Struct, frozen=True, kw_only=True):
    """A connection, or a UDP socket that another node may send to. The server is the end that listens.

    `is_chosen`: the kernel chose the port, so it differs in the next run. `of_ranks`: a rank listens, so any other rank
    may connect.
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
        """Whether only root may listen on the port."""
        return self.port < PRIVILEGED_BELOW


class Outside(Struct, frozen=True, kw_only=True):
    """A connection to an address outside the job's nodes; `at_s` counts from the job's start."""

    at_s: float
    node: str
    program: str
    address: str
    port: int


class RemainingProcess(Struct, frozen=True, order=True):
    """A process of the job that was still running when the watch ended."""

    node: str
    program: str
    pid: int


class PortUsage(Struct, frozen=True, kw_only=True):
    """What a job used: `nodes` starts with the node on which it was started, `seconds` is its duration, `status` its
    exit status (None if it was ended at its limit). `left` are processes that outlived it.

    `addresses` has one address of each node. `any_port` has each node's range of ephemeral ports. `polled` are the
    nodes without the tracepoint, with the polling period of their tables in ms, and the reason.
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
        """The node on which the job was started."""
        return self.nodes[0]
