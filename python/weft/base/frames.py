"""What a full Ethernet frame costs, and what of it counts (IEEE 802.3, clauses 3 and 4; RFC 7323)."""

from __future__ import annotations

from dataclasses import dataclass

from weft import _core


@dataclass(frozen=True)
class Frame:
    """A frame as full as an MTU allows, of TCP over IPv4 with time stamps."""

    mtu_bytes: int = 1500

    @property
    def payload_bytes(self) -> int:
        """What it carries for the application."""
        return _core.frame_bytes(self.mtu_bytes)[0]

    @property
    def inside_bytes(self) -> int:
        """What it is inside of a switch, where there is neither preamble nor gap: with header and checksum."""
        return _core.frame_bytes(self.mtu_bytes)[1]

    @property
    def wire_bytes(self) -> int:
        """What it occupies on a wire."""
        return _core.frame_bytes(self.mtu_bytes)[2]


FULL = Frame()
