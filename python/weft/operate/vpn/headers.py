"""What headers leave of a link's rate: arithmetic for TCP over Ethernet, and inside OpenVPN and WireGuard.

Sources: IEEE 802.3 (frames); RFC 791, 8200, 768, 9293, 7323 (headers); J. A. Donenfeld, "WireGuard: Next Generation
Kernel Network Tunnel", NDSS 2017 (data message: 16 bytes of header, 16 of tag, padded to 16); OpenVPN's protocol page
(P_DATA_V2: 4 bytes, packet number 4, tag 16; CBC: HMAC, IV, packet number and padding inside).
"""

from __future__ import annotations

from msgspec import Struct

ETHERNET_BYTES = 38
"""Header 14, checksum 4, preamble 8, gap 12."""
IP_BYTES, IP6_BYTES, UDP_BYTES, TCP_BYTES, STAMP_BYTES = 20, 40, 8, 20, 12
WIREGUARD_BYTES = 32
OPENVPN_BYTES, PACKET_NUMBER_BYTES, TAG_BYTES, LENGTH_BYTES = 4, 4, 16, 2
BLOCK_BYTES = 16
HMAC_BYTES = {"SHA1": 20, "SHA256": 32, "SHA384": 48, "SHA512": 64}


class IpVersion(Struct, frozen=True):
    """A version of IP; `fragment_bytes` is what each fragment has besides the header."""

    header_bytes: int
    fragment_bytes: int

    def wire(self, packet_bytes: int, mtu_bytes: int) -> int:
        """Bytes of a packet on the wire, in fragments if it is larger than the MTU."""
        if packet_bytes <= mtu_bytes:
            return packet_bytes + ETHERNET_BYTES
        headers = self.header_bytes + self.fragment_bytes
        room = (mtu_bytes - headers) // 8 * 8
        payload = packet_bytes - self.header_bytes
        return payload + -(-payload // room) * (headers + ETHERNET_BYTES)


IP4, IP6 = IpVersion(IP_BYTES, 0), IpVersion(IP6_BYTES, 8)


class SegmentSize(Struct, frozen=True):
    """TCP segments on a network: payload of a segment, and MTU of the interface, in bytes."""

    payload_bytes: int
    mtu_bytes: int


class Encapsulation(Struct, frozen=True):
    """How a VPN wraps packets; `kind` is "openvpn" or "wireguard", `protocol` "udp" or "tcp"."""

    kind: str
    protocol: str
    cipher: str = "AES-256-GCM"
    hmac: str = "SHA1"
    is_compressed: bool = False
    is_ip6: bool = False


def added_bytes(wrapping: Encapsulation, inner_bytes: int, mtu_bytes: int) -> int:
    """What the VPN adds to a packet before TCP segmentation: IP and UDP headers and its own; for TCP only its own."""
    ip_bytes = IP6_BYTES if wrapping.is_ip6 else IP_BYTES
    if wrapping.kind == "wireguard":
        padded = min(_up(inner_bytes), max(mtu_bytes, inner_bytes))
        return ip_bytes + UDP_BYTES + WIREGUARD_BYTES + padded - inner_bytes
    own = _openvpn_bytes(wrapping, inner_bytes)
    return own + (LENGTH_BYTES if wrapping.protocol == "tcp" else ip_bytes + UDP_BYTES)


def share_left(wrapping: Encapsulation, raw: SegmentSize, tunnel: SegmentSize) -> float:
    """The throughput of TCP in the tunnel relative to that of the raw path, if the link is the limit.

    The raw path has the IP version of the tunnel's outer packets. TCP has time stamps, as in Linux, unless the raw
    path's segments are too large for them.
    """
    outside = IP6 if wrapping.is_ip6 else IP4
    has_stamps = raw.payload_bytes != raw.mtu_bytes - outside.header_bytes - TCP_BYTES
    tcp_bytes = TCP_BYTES + (STAMP_BYTES if has_stamps else 0)
    raw_wire = outside.wire(raw.payload_bytes + tcp_bytes + outside.header_bytes, raw.mtu_bytes)
    left = tunnel.mtu_bytes - tunnel.payload_bytes - tcp_bytes
    inside = IP6 if left == IP6_BYTES else IP4
    inner = tunnel.payload_bytes + tcp_bytes + inside.header_bytes
    outer = inner + added_bytes(wrapping, inner, tunnel.mtu_bytes)
    if wrapping.protocol == "tcp":
        # A stream: packets fill segments of the raw path, regardless of their boundaries.
        wire = outer * raw_wire / raw.payload_bytes
    else:
        wire = outside.wire(outer, raw.mtu_bytes)
    return (tunnel.payload_bytes / wire) / (raw.payload_bytes / raw_wire)


def _openvpn_bytes(wrapping: Encapsulation, inner_bytes: int) -> int:
    compressed = int(wrapping.is_compressed)
    if wrapping.cipher.upper().endswith(("-GCM", "-POLY1305")):
        return OPENVPN_BYTES + PACKET_NUMBER_BYTES + TAG_BYTES + compressed
    inside = inner_bytes + PACKET_NUMBER_BYTES + compressed
    # Padding is at least one byte.
    padded = _up(inside + 1)
    return OPENVPN_BYTES + HMAC_BYTES.get(wrapping.hmac, 20) + BLOCK_BYTES + padded - inner_bytes


def _up(size_bytes: int) -> int:
    return -(-size_bytes // BLOCK_BYTES) * BLOCK_BYTES
