"""Network namespaces around a bridge of this kernel, each behind a token bucket: what programs need that multicast."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUBNET = "10.77.0"
SSHD = """Port 22
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PidFile none
Subsystem sftp internal-sftp
"""


@dataclass(frozen=True)
class Bridged:
    """So many namespaces, named after this process."""

    names: list[str]

    @property
    def spec(self) -> str:
        """As `--on` takes them."""
        return f"template:ip netns exec {{node}}:{','.join(self.names)}"

    def address(self, name: str) -> str:
        return f"{SUBNET}.{self.names.index(name) + 1}"

    def enter(self, name: str, *command: str | Path) -> list[str]:
        """The command that runs another there."""
        return ["ip", "netns", "exec", name, *map(str, command)]

    @contextlib.contextmanager
    def servers(self, folder: Path) -> Iterator[list[str]]:
        """An sshd in each but the first; gives the options of ssh and scp."""
        for key in ("host_key", "user_key"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
            subprocess.run(command, check=True)
        Path("/run/sshd").mkdir(exist_ok=True)
        started = [self._sshd(name, folder) for name in self.names[1:]]
        options = [
            "StrictHostKeyChecking=no",
            f"UserKnownHostsFile={folder}/known",
            "LogLevel=ERROR",
        ]
        try:
            yield ["-i", str(folder / "user_key"), *(f"-o{one}" for one in options)]
        finally:
            for server in started:
                server.terminate()
                server.wait()

    def _sshd(self, name: str, folder: Path) -> subprocess.Popen[bytes]:
        config = folder / f"sshd-{name}"
        config.write_text(SSHD.format(address=self.address(name), folder=folder))
        sshd = shutil.which("sshd") or "/usr/sbin/sshd"
        return subprocess.Popen(self.enter(name, sshd, "-D", "-f", config))


@contextlib.contextmanager
def bridged(nodes: int, mbps: float) -> Iterator[Bridged]:
    """Namespaces whose cables carry so much in each direction; removed afterwards."""
    switch = f"wb-{os.getpid()}"
    found = Bridged([f"wn{number}-{os.getpid()}" for number in range(1, nodes + 1)])
    bucket = f"root tbf rate {mbps:g}mbit burst 16kb latency 100ms"
    commands = [
        f"ip netns add {switch}",
        f"ip -n {switch} link add hub type bridge mcast_snooping 0",
    ]
    commands += [f"ip -n {switch} link set hub up"]
    for number, name in enumerate(found.names, 1):
        commands += [
            f"ip netns add {name}",
            f"ip link add e0 netns {name} type veth peer name p{number} netns {switch}",
            f"ip -n {switch} link set p{number} master hub up",
            f"ip -n {name} addr add {found.address(name)}/24 brd + dev e0",
            f"ip -n {name} link set lo up",
            f"ip -n {name} link set e0 up",
            f"ip -n {name} route add default dev e0",
            f"tc -n {name} qdisc add dev e0 {bucket}",
            f"tc -n {switch} qdisc add dev p{number} {bucket}",
        ]
    try:
        for command in commands:
            subprocess.run(command.split(), check=True)
        yield found
    finally:
        for name in (*found.names, switch):
            subprocess.run(["ip", "netns", "del", name], check=False)
