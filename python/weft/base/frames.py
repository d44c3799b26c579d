"""Sizes of a full Ethernet frame and its payload (IEEE 802.3, clauses 3 and 4; RFC 7323)."""

from __future__ import annotations

from dataclasses import dataclass

from weft import _core


@dataclass(frozen=True)
class Frame:
    """A full frame of an MTU: TCP over IPv4 with time stamps."""

    mtu_bytes: int = 1500

    @property
    def payload_bytes(self) -> int:
        """Payload for the application."""
        return _core.frame_bytes(self.mtu_bytes)[0]

    @property
    def inside_bytes(self) -> int:
        """Size inside a switch, without preamble and gap, but with header and checksum."""
        return _core.frame_bytes(self.mtu_bytes)[1]

    @property
    def wire_bytes(self) -> int:
        """Size on the wire."""
        return _core.frame_bytes(self.mtu_bytes)[2]


FULL = Frame()
