"""Facts about an agent's node."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from weft.measure.testbed.agent.reply.base import Message, Settings


class Interface(Struct, frozen=True):
    """An interface that is up, and its addresses."""

    name: str
    addresses: tuple[str, ...]
    is_bond: bool = False


class Cache(Struct, frozen=True):
    """A processor cache for data."""

    level: int
    bytes: int


class Facts(Struct, frozen=True):
    """Facts about an agent's node. All may be missing, so that an agent of another version can still report its
    version."""

    hostname: str = ""
    kernel: str = ""
    cpu_model: str = ""
    cpus: int = 0
    processors: tuple[int, ...] = ()
    architecture: str = ""
    caches: tuple[Cache, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    devices: Mapping[str, Settings] = {}
    """Hardware of each interface: driver, firmware, slot, link, offloads."""
    settings: Mapping[str, int | str | None] = field(default_factory=dict)
    """Limits and time-outs of the kernel; sizes in bytes (crates/probe/src/system/settings.rs)."""


class Overhead(Struct, frozen=True):
    """The cost of timing on a node: reading the clock, and a round trip of an empty loop."""

    clock_read_ns: float = 0.0
    loop_ns: float = 0.0


class Ready(Message, frozen=True):
    """The agent is ready. For each transport, `transports` says why it is unavailable, None if it is available."""

    version: str
    facts: Facts = Facts()
    transports: dict[str, str | None] = field(default_factory=dict)
    timing: Overhead = Overhead()


class Clock(Message, frozen=True):
    now_ns: int


class Counters(Message, frozen=True):
    """Bytes received and sent, by interface."""

    interfaces: dict[str, list[int]]
