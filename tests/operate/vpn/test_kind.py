"""Naming a VPN from what a node says."""

from weft.operate.vpn.kind import kind_of, merged
from weft.operate.vpn.node_look import parse, parse_count

OPENVPN = """process 17 openvpn
command /usr/sbin/openvpn --config /etc/openvpn/a.conf --verb 3
socket udp 00000000:04AA 0100000A:0000
option proto udp
option data-ciphers CHACHA20-POLY1305:AES-256-GCM
option auth SHA256
route 10.0.0.2 dev eth0 src 10.0.0.1 uid 0 \\    cache
mpi btl_tcp_if_include=eth0
"""


def test_openvpn_of_a_configuration() -> None:
    seen = parse(OPENVPN)
    found = kind_of("tun", seen)
    assert (found.text, seen.route) == ("OpenVPN over UDP port 1194 (CHACHA20-POLY1305)", "eth0")
    assert found.wrapping is not None and found.wrapping.hmac == "SHA256"
    assert seen.mpi == {"btl_tcp_if_include": "eth0"}


def test_openvpn_of_a_command_with_a_static_key() -> None:
    words = "openvpn --proto tcp-client --dev tun0 --secret /root/static.key --cipher AES-128-CBC"
    seen = parse(f"process 5 openvpn\ncommand {words}\nsocket tcp 0100000A:9C40 0200000A:04AA\n")
    found = kind_of("tun", seen)
    assert (found.protocol, found.cipher) == ("tcp", "AES-128-CBC")
    assert "static.key" not in str(seen.processes[0].options)


def test_wireguard_of_the_kernel_and_of_a_program() -> None:
    assert kind_of("wireguard", parse("")).program == "kernel"
    seen = parse("process 9 wireguard-go\ncommand wireguard-go wg0\nsocket udp6 0:CA6C 0:0000\n")
    assert kind_of("tun", seen).text == "WireGuard over UDP port 51820 (ChaCha20-Poly1305)"


def test_what_cannot_be_seen_is_not_made_up() -> None:
    found = kind_of("tun", parse("route \n"))
    assert (found.name, found.protocol, found.cipher, found.wrapping) == ("tunnel", "", "", None)
    assert kind_of("veth", parse("")).name == "interface of driver veth"


def test_the_listening_end_says_the_port() -> None:
    client = kind_of("tun", parse("process 5 openvpn\ncommand openvpn\nsocket tcp 0:9C40 0:04AA\n"))
    server = kind_of("tun", parse("process 6 openvpn\ncommand openvpn\nsocket tcp 0:04AA 0:9C40\n"))
    assert merged([client, server]).port == merged([server, client]).port == 1194


def test_counts() -> None:
    found = parse_count("ticks 100 50\nticks 25 25\nsecond 100\nresent 7\n")
    assert (found.process_s, found.resent) == (2.0, 7)
