"""A fabric cable by cable, the form in which it is changed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from weft.network.fabrics.document import FabricDocument

DEFAULT_QUEUE_FRAMES, DEFAULT_MTU_BYTES = 1000, 1500


class CableDirection(Struct, frozen=True):
    """One direction of a cable; a limit of None means unlimited."""

    rate_bits_per_s: int | None = None
    delay_ns: int = 0
    drops_above_bytes: int | None = None
    loss_ppm: int = 0


class Cable(Struct, frozen=True):
    """A link between two nodes; `network` is the index of a host's interface."""

    ends: tuple[str, str]
    forward: CableDirection = CableDirection()
    backward: CableDirection = CableDirection()
    mtu_bytes: int = DEFAULT_MTU_BYTES
    queue_frames: int = DEFAULT_QUEUE_FRAMES
    network: int = 0
    dead: bool = False
    inside: bool = False

    def turned(self) -> Cable:
        """The same cable, directed from its other end."""
        ends = (self.ends[1], self.ends[0])
        return replace(self, ends=ends, forward=self.backward, backward=self.forward)

    def alike(self, ends: tuple[str, str] = ("", ""), network: int = 0) -> Cable:
        """A copy with other ends that is not broken."""
        return replace(self, ends=ends, network=network, dead=False)


class WiredSwitch(Struct, frozen=True):
    """A switch or a part of one. If the capacity depends on the number of contending ports, it is the maximum."""

    name: str
    ports: int | None = None
    capacity_bits_per_s: int | None = None
    capacity_by_ports: tuple[tuple[int, int], ...] | None = None
    queue_frames: int = DEFAULT_QUEUE_FRAMES


class Detour(Struct, frozen=True):
    """A route with its own limit."""

    from_: str = msgspec.field(name="from")
    to: str
    lane: CableDirection
    queue_frames: int
    network: int


class _Named(Struct, frozen=True):
    name: str


class _Resolved(Struct, frozen=True):
    hosts: tuple[_Named, ...]
    switches: tuple[WiredSwitch, ...]
    links: tuple[Cable, ...]
    paths: tuple[Detour, ...] = ()


class FabricWiring(Struct, frozen=True):
    """All nodes and cables of a fabric. Cables of hosts start at the host and come first, by network."""

    hosts: tuple[str, ...]
    switches: tuple[WiredSwitch, ...]
    cables: tuple[Cable, ...]
    paths: tuple[Detour, ...]

    @classmethod
    def of(cls, document: FabricDocument) -> FabricWiring:
        """The wiring of a document, at full scale."""
        found = msgspec.convert(document.resolved(), _Resolved)
        hosts = tuple(one.name for one in found.hosts)
        place = {name: at for at, name in enumerate(hosts)}
        own = [
            cable if cable.ends[0] in place else cable.turned()
            for cable in found.links
            if (cable.ends[0] in place) != (cable.ends[1] in place)
        ]
        own.sort(key=lambda one: (one.network, place[one.ends[0]]))
        rest = [one for one in found.links if (one.ends[0] in place) == (one.ends[1] in place)]
        return cls(hosts, found.switches, (*own, *rest), found.paths)

    @property
    def is_cable(self) -> bool:
        """Whether the fabric is two hosts on one cable."""
        return not self.switches

    def ports_of_hosts(self, network: int | None = None) -> list[Cable]:
        """The cables of hosts, in one network or all."""
        hosts = set(self.hosts)
        return [
            one
            for one in self.cables
            if one.ends[0] in hosts and one.ends[1] not in hosts and network in (None, one.network)
        ]

    def trunks(self) -> list[Cable]:
        """The cables between switches, or the one between two hosts."""
        hosts = set(self.hosts)
        return [one for one in self.cables if (one.ends[0] in hosts) == (one.ends[1] in hosts)]

    def networks(self) -> Iterator[int]:
        """The indices of its networks."""
        yield from sorted({one.network for one in self.ports_of_hosts()})

    def hosts_at(self, switch: str) -> list[str]:
        """The hosts connected to a switch directly."""
        return [one.ends[0] for one in self.ports_of_hosts() if one.ends[1] == switch]
