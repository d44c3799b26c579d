"""What a full Ethernet frame costs, and what of it counts (IEEE 802.3, clauses 3 and 4; RFC 7323)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """A frame as full as an MTU allows, of TCP over IPv4 with time stamps."""

    mtu_bytes: int = 1500

    @property
    def payload_bytes(self) -> int:
        """What it carries for the application."""
        return self.mtu_bytes - 52

    @property
    def inside_bytes(self) -> int:
        """What it is inside of a switch, where there is neither preamble nor gap: with header and checksum."""
        return self.mtu_bytes + 18

    @property
    def wire_bytes(self) -> int:
        """What it occupies on a wire."""
        return self.inside_bytes + 20


FULL = Frame()
