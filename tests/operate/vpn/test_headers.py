"""What headers leave of a link, against sums by hand."""

import pytest

from weft.operate.vpn.headers import Encapsulation, SegmentSize, added_bytes, share_left

RAW = SegmentSize(1448, 1500)


@pytest.mark.parametrize(
    ("wrapping", "inner", "mtu", "added"),
    [
        (Encapsulation("wireguard", "udp"), 1420, 1420, 60),
        (Encapsulation("wireguard", "udp", is_ip6=True), 1420, 1420, 80),
        (Encapsulation("wireguard", "udp"), 85, 1420, 60 + 11),
        (Encapsulation("openvpn", "udp", "AES-256-GCM"), 1440, 1500, 20 + 8 + 4 + 4 + 16),
        (Encapsulation("openvpn", "udp", "CHACHA20-POLY1305", is_compressed=True), 1440, 1500, 53),
        # 1440 + 4 of number + 1 at least of padding make 1456, which is 16 more; HMAC 20, IV 16, opcode 4, UDP/IP 28.
        (Encapsulation("openvpn", "udp", "AES-256-CBC"), 1440, 1500, 28 + 4 + 20 + 16 + 16),
        (
            Encapsulation("openvpn", "udp", "AES-256-CBC", "SHA256"),
            1440,
            1500,
            28 + 4 + 32 + 16 + 16,
        ),
        (Encapsulation("openvpn", "tcp", "AES-256-GCM"), 1440, 1500, 2 + 24),
    ],
)
def test_bytes_that_are_added(wrapping: Encapsulation, inner: int, mtu: int, added: int) -> None:
    assert added_bytes(wrapping, inner, mtu) == added


def test_share_of_a_packet_a_frame() -> None:
    # 1420 of WireGuard's MTU less 52 of headers, in a frame of 1420 + 60 + 38 bytes.
    found = share_left(Encapsulation("wireguard", "udp"), RAW, SegmentSize(1368, 1420))
    assert found == pytest.approx((1368 / 1518) / (1448 / 1538))


def test_packets_larger_than_the_path_go_in_two_frames() -> None:
    found = share_left(Encapsulation("openvpn", "udp"), RAW, SegmentSize(1448, 1500))
    wire = 1500 + 52 + 20 + 2 * 38
    assert found == pytest.approx((1448 / wire) / (1448 / 1538))


def test_over_tcp_packets_fill_segments() -> None:
    found = share_left(Encapsulation("openvpn", "tcp"), RAW, SegmentSize(1348, 1500))
    assert found == pytest.approx(1348 / (1348 + 52 + 26))


def test_both_paths_over_ipv6_have_its_headers() -> None:
    # Outside 40 of IPv6, 20 of TCP and 12 of time stamps; inside of the tunnel IPv4, 80 are added.
    found = share_left(
        Encapsulation("wireguard", "udp", is_ip6=True),
        SegmentSize(1428, 1500),
        SegmentSize(1368, 1420),
    )
    assert found == pytest.approx((1368 / 1538) / (1428 / 1538))


def test_ipv6_inside_of_the_tunnel() -> None:
    found = share_left(Encapsulation("wireguard", "udp"), RAW, SegmentSize(1348, 1420))
    assert found == pytest.approx((1348 / 1518) / (1448 / 1538))


def test_without_time_stamps() -> None:
    found = share_left(
        Encapsulation("wireguard", "udp"), SegmentSize(1460, 1500), SegmentSize(1380, 1420)
    )
    assert found == pytest.approx((1380 / 1518) / (1460 / 1538))


def test_fragments_of_ipv6_have_a_header_more() -> None:
    # 1440 of TCP's packet and 72 of OpenVPN and outer headers: 1472 behind the header, in fragments of 1448 at most.
    wrapping = Encapsulation("openvpn", "udp", is_ip6=True)
    found = share_left(wrapping, SegmentSize(1428, 1500), SegmentSize(1388, 1440))
    wire = 1440 + 32 + 2 * (40 + 8 + 38)
    assert found == pytest.approx((1388 / wire) / (1428 / 1538))
