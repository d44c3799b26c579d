"""Real VPNs between two nodes of a lab: OpenVPN over UDP and TCP, WireGuard in userspace and in the kernel."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from weft.measure.testbed.base import Testbed

ADDRESSES = ("10.88.0.1", "10.88.0.2")
"""Of the tunnel's ends."""
INTERFACE = "weft-vpn"
PORT = 1194
KINDS = {
    "openvpn-udp": "openvpn",
    "openvpn-tcp": "openvpn",
    "wireguard": "wireguard-go",
    "wireguard-kernel": "wg",
}
"""What there may be, and the program that it takes."""


@contextlib.contextmanager
def tunnel(kind: str, testbed: Testbed, folder: Path) -> Iterator[tuple[str, str]]:
    """A tunnel that carries packets; gives the addresses of its ends. Its processes end with it."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        if kind == "wireguard":
            _start_wireguard(testbed, folder, started)
            _wireguard(testbed)
        elif kind == "wireguard-kernel":
            for node in (0, 1):
                enter(testbed, node, "ip", "link", "add", f"{INTERFACE}{node}", "type", "wireguard")
            _wireguard(testbed)
        else:
            _openvpn(testbed, folder, kind.removeprefix("openvpn-"), started)
        _wait_until_up(testbed, folder)
        yield ADDRESSES
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(10)


def enter(testbed: Testbed, node: int, *argv: str) -> str:
    """What a command prints on a node; raises CalledProcessError where it fails."""
    command = testbed.node_command(testbed.nodes[node], list(argv))
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _openvpn(
    testbed: Testbed, folder: Path, protocol: str, started: list[subprocess.Popen[bytes]]
) -> None:
    """Each end has a certificate of its own, and knows the fingerprint of the other's."""
    prints = [_certificate(folder / str(node)) for node in (0, 1)]
    for node in (0, 1):
        peer = 1 - node
        role = "tls-server\ndh none" if node == 0 else "tls-client"
        over = protocol if protocol == "udp" else f"tcp-{'server' if node == 0 else 'client'}"
        remote = "" if node == 0 and protocol == "tcp" else f"remote {testbed.nodes[peer].address}"
        config = folder / f"{node}.conf"
        config.write_text(f"""
dev {INTERFACE}
dev-type tun
ifconfig {ADDRESSES[node]} {ADDRESSES[peer]}
proto {over}
{remote}
port {PORT}
{role}
ping 1
ping-restart 5
connect-retry 1 2
cert {folder}/{node}.crt
key {folder}/{node}.key
peer-fingerprint {prints[peer]}
data-ciphers AES-256-GCM
""")
        _start(
            testbed, node, folder, started, shutil.which("openvpn") or "", "--config", str(config)
        )


def _certificate(stem: Path) -> str:
    """A key and a certificate that it signs itself; gives the fingerprint."""
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    files = ["-subj", f"/CN=weft-{stem.name}", "-keyout", f"{stem}.key", "-out", f"{stem}.crt"]
    subprocess.run([*make.split(), *files], check=True, capture_output=True)
    show = ["openssl", "x509", "-in", f"{stem}.crt", "-noout", "-fingerprint", "-sha256"]
    return (
        subprocess.run(show, check=True, capture_output=True, text=True)
        .stdout.split("=")[1]
        .strip()
    )


def _start_wireguard(
    testbed: Testbed, folder: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    for node in (0, 1):
        # All nodes share this machine's files, and the program's control socket has the interface's name.
        name = f"{INTERFACE}{node}"
        _start(testbed, node, folder, started, "wireguard-go", "--foreground", name)
        show = ["wg", "show", name]
        _retry(partial(subprocess.run, show, check=True, capture_output=True))


def _wireguard(testbed: Testbed) -> None:
    """Configure both ends, whose interfaces are there."""
    keys = [subprocess.check_output(["wg", "genkey"], text=True).strip() for _ in (0, 1)]
    public = [
        subprocess.check_output(["wg", "pubkey"], input=key, text=True).strip() for key in keys
    ]
    for node in (0, 1):
        name, peer = f"{INTERFACE}{node}", 1 - node
        there = testbed.nodes[peer].address
        script = f"""set -e
echo {keys[node]} | wg set {name} listen-port 51820 private-key /dev/stdin peer {public[peer]} \
    allowed-ips {ADDRESSES[peer]}/32 endpoint {there}:51820
ip addr add {ADDRESSES[node]} peer {ADDRESSES[peer]} dev {name}
ip link set {name} mtu 1420 up
"""
        enter(testbed, node, "sh", "-c", script)


def _start(
    testbed: Testbed, node: int, folder: Path, started: list[subprocess.Popen[bytes]], *argv: str
) -> None:
    log = (folder / f"{node}.log").open("wb")
    command = testbed.node_command(testbed.nodes[node], list(argv))
    with log:
        started.append(subprocess.Popen(command, stdout=log, stderr=log, env=os.environ))


def _wait_until_up(testbed: Testbed, folder: Path) -> None:
    try:
        _retry(lambda: enter(testbed, 0, "ping", "-c", "1", "-W", "1", ADDRESSES[1]))
    except subprocess.CalledProcessError:
        logs = "\n".join(one.read_text() for one in folder.glob("*.log"))
        raise AssertionError(f"the tunnel does not come up:\n{logs}") from None


def _retry(action: Callable[[], object], for_s: float = 20.0) -> None:
    end = time.monotonic() + for_s
    while True:
        try:
            action()
            return
        except subprocess.CalledProcessError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
