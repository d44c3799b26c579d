"""Network namespaces with names and a cable between them, as people make them by hand."""

import contextlib
import os
import subprocess
from collections.abc import Iterator

import pytest

INTERFACE = "e0"
FILES = {
    "mtu": f"/sys/class/net/{INTERFACE}/mtu",
    "tx_queue_len": f"/sys/class/net/{INTERFACE}/tx_queue_len",
    "rps_cpus": f"/sys/class/net/{INTERFACE}/queues/rx-0/rps_cpus",
    "tcp_rmem": "/proc/sys/net/ipv4/tcp_rmem",
    "tcp_wmem": "/proc/sys/net/ipv4/tcp_wmem",
    "tcp_mtu_probing": "/proc/sys/net/ipv4/tcp_mtu_probing",
}
"""Settings that each of them has of its own, by the name of the knob."""


@contextlib.contextmanager
def two_namespaces() -> Iterator[tuple[str, str]]:
    """Two namespaces whose addresses are 10.9.9.1 and 10.9.9.2; skips where there can be none."""
    names = (f"weft-a-{os.getpid()}", f"weft-b-{os.getpid()}")
    cable = (
        f"ip link add {INTERFACE} netns {names[0]} type veth peer name {INTERFACE} netns {names[1]}"
    )
    commands = [*(f"ip netns add {name}" for name in names), cable]
    for number, name in enumerate(names, 1):
        commands += [f"ip -n {name} addr add 10.9.9.{number}/24 dev {INTERFACE}"]
        commands += [f"ip -n {name} link set {link} up" for link in ("lo", INTERFACE)]
    try:
        for command in commands:
            done = subprocess.run(command.split(), check=False, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"no named namespaces here: {done.stderr.strip()}")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def spec_of(names: tuple[str, str]) -> str:
    """As `--on` takes it."""
    return f"template:ip netns exec {{node}}:{','.join(names)}"


def inside(name: str, command: str) -> str:
    """What a shell command prints in a namespace."""
    words = ["ip", "netns", "exec", name, "sh", "-c", command]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def settings_of(name: str) -> dict[str, str]:
    """What the namespace's settings are, by the name of the knob."""
    lines = inside(name, f"for file in {' '.join(FILES.values())}; do cat $file; done").splitlines()
    return {knob: " ".join(line.split()) for knob, line in zip(FILES, lines, strict=True)}
