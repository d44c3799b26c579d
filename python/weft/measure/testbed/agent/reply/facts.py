"""What an agent says of its node."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from weft.measure.testbed.agent.reply.base import Message, Settings


class Interface(Struct, frozen=True):
    """An interface that is up, and where it is reached."""

    name: str
    addresses: tuple[str, ...]
    is_bond: bool = False


class Cache(Struct, frozen=True):
    """A cache of a processor that data goes through."""

    level: int
    bytes: int


class Facts(Struct, frozen=True):
    """What an agent says of its node. All may be missing, so that an agent of another version can still say which."""

    hostname: str = ""
    kernel: str = ""
    cpu_model: str = ""
    cpus: int = 0
    processors: tuple[int, ...] = ()
    architecture: str = ""
    caches: tuple[Cache, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    devices: Mapping[str, Settings] = {}
    """What drives each interface: driver, firmware, slot, link, offloads."""
    settings: Mapping[str, int | str | None] = field(default_factory=dict)
    """Limits and time-outs of the kernel, sizes in bytes (crates/probe/src/system/settings.rs)."""


class Overhead(Struct, frozen=True):
    """What timing itself costs on a node: reading the clock, and a round trip of a loop that does nothing."""

    clock_read_ns: float = 0.0
    loop_ns: float = 0.0


class Ready(Message, frozen=True):
    """`transports` say by name why one is not to be had, None where it is."""

    version: str
    facts: Facts = Facts()
    transports: dict[str, str | None] = field(default_factory=dict)
    timing: Overhead = Overhead()


class Clock(Message, frozen=True):
    now_ns: int


class Counters(Message, frozen=True):
    """Bytes received and sent, by interface."""

    interfaces: dict[str, list[int]]
