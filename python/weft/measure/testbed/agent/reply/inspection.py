"""Interfaces and paths as `weft check` inspects them."""

from __future__ import annotations

from typing import TypedDict

from msgspec import Struct

from weft.measure.testbed.agent.reply.base import EndReply, Message


class Slot(TypedDict, total=False):
    """The place of a card on the PCI bus."""

    address: str
    speed: str | None
    width: int | None
    max_speed: str | None
    max_width: int | None
    numa_node: int | None


class CheckedInterface(TypedDict, total=False):
    """What the kernel and the driver report about an interface (crates/probe/src/inspect)."""

    name: str
    up: bool
    loopback: bool
    mtu_bytes: int | None
    link_mbps: int | None
    duplex: str | None
    autoneg: bool | None
    driver: str
    driver_version: str
    firmware: str
    slot: Slot | None
    offloads: dict[str, bool]
    received_errors: int | None
    received_drops: int | None


class System(TypedDict, total=False):
    """What applies to all interfaces of a node; `settings` are limits and time-outs of sockets, sizes in bytes."""

    governors: list[str]
    numa_nodes: str | None
    busy: list[float]
    open_files: int | None
    settings: dict[str, int | str | None]


class InspectReply(Message, frozen=True, tag="inspected"):
    """The inspected interfaces; None for an address that no interface has."""

    node: System
    interfaces: list[CheckedInterface | None]


class EchoReply(Message, frozen=True, tag="echoing"):
    """A port for each address."""

    ports: list[int]


class Path(Struct, frozen=True, kw_only=True):
    """The state of a path over one network; errors are sentences or None."""

    network: int
    connect_error: str | None
    datagram_error: str | None
    answered: int
    asked: int
    round_trip_us: float | None
    clock_offset_us: float | None
    clock_error_us: float | None
    mtu_bytes: int | None


class TryReply(Message, frozen=True, tag="tried"):
    paths: list[Path]


class EchoStopReply(EndReply, frozen=True, tag="echo_stopped"):
    """The node has stopped echoing."""
