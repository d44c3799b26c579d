"""Identifies a tunnel's VPN from the interface's driver and the process that holds it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.operate.vpn.headers import Encapsulation
from weft.operate.vpn.node_look import TunnelProcess, VpnState

OPENVPN_PORT = 1194


class VpnKind(Struct, frozen=True):
    """A VPN by name: "openvpn", "wireguard", "tunnel" (a tun or tap interface held by no known process), or the name of
    the program. Unknown `protocol` and `cipher` are "", an unknown `port` is 0. `why` says how it was identified."""

    name: str
    protocol: str = ""
    cipher: str = ""
    port: int = 0
    program: str = ""
    why: str = ""
    wrapping: Encapsulation | None = None

    @property
    def text(self) -> str:
        """The VPN's usual name."""
        names = {"openvpn": "OpenVPN", "wireguard": "WireGuard"}
        words = [names.get(self.name, self.name)]
        words += [f"over {self.protocol.upper()}"] if self.protocol else []
        words += [f"port {self.port}"] if self.port else []
        words += [f"({self.cipher})"] if self.cipher else []
        return " ".join(words)


def kind_of(driver: str, seen: VpnState, is_ip6: bool = False) -> VpnKind:
    """The VPN as seen from one end. Drivers: "tun" of any program with /dev/net/tun, "wireguard" and "ovpn" of the
    kernel."""
    if driver == "wireguard":
        return _wireguard("kernel", "the interface's driver is wireguard", 0, is_ip6)
    for process in seen.processes:
        words = f"{process.name} (process {process.pid}) holds the interface"
        if process.name.startswith(("wireguard", "boringtun")):
            return _wireguard(process.name, words, _port(process.sockets, "udp"), is_ip6)
        if process.name.startswith("openvpn"):
            return _openvpn(process, words, is_ip6)
        protocol = _protocol(process.sockets)
        port = _port(process.sockets, protocol)
        return VpnKind(process.name, protocol, "", port, process.name, words)
    if driver == "tun":
        return VpnKind("tunnel", why="a tun interface; its process cannot be seen (other user?)")
    return VpnKind(f"interface of driver {driver or 'unknown'}", why="neither tun nor wireguard")


def merged(kinds: Sequence[VpnKind]) -> VpnKind:
    """The VPN from the reports of both ends: the more complete one; of two ports the lower, which is the listening
    end's."""
    return max(
        kinds, key=lambda one: (bool(one.wrapping), bool(one.program), bool(one.port), -one.port)
    )


def _wireguard(program: str, why: str, port: int, is_ip6: bool) -> VpnKind:
    wrapping = Encapsulation("wireguard", "udp", "ChaCha20-Poly1305", is_ip6=is_ip6)
    return VpnKind("wireguard", "udp", "ChaCha20-Poly1305", port, program, why, wrapping)


def _openvpn(process: TunnelProcess, why: str, is_ip6: bool) -> VpnKind:
    options = process.options
    said = options.get("proto", "")
    protocol = "tcp" if said.startswith("tcp") else "udp" if said else _protocol(process.sockets)
    cipher, how = _cipher(options)
    wrapping = Encapsulation(
        "openvpn",
        protocol or "udp",
        cipher,
        options.get("auth", "SHA1").upper().replace("-", ""),
        bool({"comp-lzo", "compress"} & options.keys()),
        is_ip6,
    )
    port = _port(process.sockets, protocol)
    return VpnKind("openvpn", protocol, cipher, port, process.name, f"{why}; {how}", wrapping)


def _cipher(options: dict[str, str]) -> tuple[str, str]:
    """The cipher and how it is known: ends with certificates agree on the first of the list that both support."""
    has_keys = {"tls-client", "tls-server", "client"} & options.keys() or "secret" not in options
    if has_keys and options.get("data-ciphers"):
        return options["data-ciphers"].split(":")[0], "cipher: the first of data-ciphers"
    if options.get("cipher") and not has_keys:
        return options["cipher"], "cipher: as set"
    if has_keys:
        return "AES-256-GCM", "cipher: what two ends of version 2.4 and later agree on if not told"
    return "BF-CBC", "cipher: the default with a static key"


def _protocol(sockets: Sequence[tuple[str, int, bool]]) -> str:
    """UDP if it has a UDP socket, because a TCP socket may be for management."""
    names = {name.removesuffix("6") for name, _, _ in sockets}
    return "udp" if "udp" in names else "tcp" if "tcp" in names else ""


def _port(sockets: Sequence[tuple[str, int, bool]], protocol: str) -> int:
    found = [port for name, port, _ in sockets if name.removesuffix("6") == protocol]
    return OPENVPN_PORT if OPENVPN_PORT in found else min(found, default=0)
