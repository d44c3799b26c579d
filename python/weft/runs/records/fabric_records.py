"""Fabrics in run.json. Entries may have other keys, which are kept."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from weft.runs.records.record_types import Count


class Direction(TypedDict):
    """One direction of a link; unlimited without a rate."""

    rate_bits_per_s: Count | None
    delay_ns: NotRequired[Count]
    drops_above_bytes: NotRequired[Count]
    loss_ppm: NotRequired[Count]


CableDirection = Literal["forward", "backward"]
"""From the first end of a link to the second, or back."""


class LinkRecord(TypedDict):
    """A cable between two nodes."""

    ends: Annotated[list[str], Meta(min_length=2, max_length=2)]
    forward: Direction
    backward: Direction
    mtu_bytes: Annotated[int, Meta(ge=68, lt=2**31)]
    network: NotRequired[Annotated[int, Meta(ge=0, lt=64)]]
    dead: bool
    queue_frames: NotRequired[Count]


class Bond(TypedDict):
    """A bond of a virtual machine's interfaces: mode and hash policy as Linux names them."""

    mode: str
    hash: NotRequired[str]
    miimon_ms: NotRequired[Count]


class Guest(TypedDict, total=False):
    """Properties of a virtual machine, if the fabric states them; `behind` is the host that bridges its frames."""

    cpus: Count
    memory_mbytes: Count
    nics: list[str]
    offloads: bool
    vlan: Count
    bridge: bool
    bond: Bond
    sysctl: dict[str, str]
    behind: str


class HostRecord(TypedDict):
    """A machine that programs run on; with `guest` a virtual machine, with `namespace` one that stays a network
    namespace where the others are virtual machines."""

    name: str
    guest: NotRequired[Guest]
    namespace: NotRequired[bool]


class SwitchRecord(TypedDict):
    """A switch, or a part of its parent; with `capacity_by_ports` (ports, bit/s), the capacity is the largest of
    these."""

    name: str
    parent: str | None
    capacity_bits_per_s: Count | None
    capacity_by_ports: NotRequired[list[tuple[int, int]]]


class HashingRecord(TypedDict):
    """How switches hash; `unit` is "flow", "packet", or {"flowlet": {"gap_ns": ...}}."""

    seed: int
    fields: NotRequired[str]
    unit: NotRequired[str | dict[str, dict[str, int]]]
    polarised: NotRequired[bool]


class Routing(TypedDict):
    """A hash chooses among paths of equal length."""

    hash: HashingRecord


class FabricRecord(TypedDict):
    """A resolved fabric (weft.network.fabrics.load); `paths` are single routes with a limit of their own."""

    name: str
    routing: NotRequired[str | Routing]
    hosts: list[HostRecord]
    switches: list[SwitchRecord]
    links: list[LinkRecord]
    paths: NotRequired[list[Any]]
    weather: NotRequired[dict[str, Any]]
    cost: NotRequired[dict[str, Any]]
    layout: NotRequired[dict[str, Any]]
