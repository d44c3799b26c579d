"""Real sshd in the hosts of a lab: n1 is where the user sits, the others are logged into over the lab's links."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.command import WEFT, run, weft, weft_json
from support.live.waiting import wait_for
from support.paths import DATA
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry

SSHD = "/usr/sbin/sshd"
FILES = DATA / "clusters"


def is_possible() -> str:
    """Why there can be no sshd in a lab here, or nothing."""
    if os.getuid() != 0:
        return "sshd lets in only the user that started it, unless root did"
    is_there = Path(SSHD).exists() and shutil.which("ssh")
    return "" if is_there else "no sshd: apt-get install openssh-server"


@dataclass
class SshLab:
    """A lab with an sshd on each host but the first."""

    entry: LabEntry
    folder: Path
    addresses: dict[str, str]

    def enter(self, node: str, *command: str | Path) -> list[str]:
        """The command that runs another in a host's namespace, where the host has a name of its own as real ones do."""
        named = ["unshare", "--uts", "sh", "-c", f'hostname {node}; exec "$@"', "sh"]
        return self.entry.command(node, [*named, *map(str, command)])

    def weft(
        self, *arguments: str | Path, timeout: float = 120, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """weft as a user on n1 runs it, whose ssh has a configuration of its own."""
        settings = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"} | environment
        entered = ["env", *(f"{key}={value}" for key, value in settings.items()), *WEFT]
        return run(self.enter("n1", *entered, *arguments), timeout)

    def change_config(self, node: str, **settings: str) -> contextlib.AbstractContextManager[None]:
        """Change the user's ssh settings of a node for a while."""
        return _changed(self.folder / "ssh_config", node, settings)

    def hosts(self, text: str) -> str:
        """A host file."""
        path = self.folder / "cluster.toml"
        path.write_text(text)
        return f"hosts:{path}"


@contextlib.contextmanager
def _changed(config: Path, node: str, settings: dict[str, str]) -> Iterator[None]:
    before = config.read_text()
    changed = "".join(f"  {key} {value}\n" for key, value in settings.items())
    # What comes first counts.
    config.write_text(f"Host {node}\n{changed}\n{before}")
    try:
        yield
    finally:
        config.write_text(before)


@contextlib.contextmanager
def ssh_lab(folder: Path) -> Iterator[SshLab]:
    """A lab with sshd, taken down afterwards."""
    name = f"ssh-{os.getpid()}"
    nodes = weft_json("lab", "up", FILES / "ssh_lab.toml", "--name", name)["nodes"]
    entry = registry.get(name)
    assert entry is not None
    lab = SshLab(entry, folder, {node["name"]: node["address"] for node in nodes})
    servers: list[subprocess.Popen[bytes]] = []
    try:
        _make_keys(lab)
        _write_client(lab)
        servers += [_start_sshd(lab, node) for node in list(lab.addresses)[1:]]
        _wait_until_they_listen(lab, list(lab.addresses)[1:])
        yield lab
    finally:
        weft("lab", "down", name)
        for server in servers:
            server.wait(10)


def _make_keys(lab: SshLab) -> None:
    for name in ("host_key", "user_key", "wrong_key"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(lab.folder / name)]
        subprocess.run(command, check=True)
    key = (lab.folder / "host_key.pub").read_text()
    known = [f"{address} {key}" for address in lab.addresses.values()]
    (lab.folder / "known_hosts").write_text("".join(known))
    shutil.copy(lab.folder / "user_key.pub", lab.folder / "authorized_keys")


def _write_client(lab: SshLab) -> None:
    """The user's configuration knows where the nodes are; nothing else does."""
    places = [f"Host {name}\n  HostName {address}\n" for name, address in lab.addresses.items()]
    common = (FILES / "ssh_config").read_text()
    common = common.format(wrong=lab.addresses["n4"], folder=lab.folder)
    config = lab.folder / "ssh_config"
    config.write_text("".join(places) + common)
    wrapper = lab.folder / "bin/ssh"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {config} "$@"\n')
    wrapper.chmod(0o755)


def _start_sshd(lab: SshLab, node: str) -> subprocess.Popen[bytes]:
    Path("/run/sshd").mkdir(exist_ok=True)
    config = lab.folder / f"sshd_{node}"
    # Each node has a cache of its own, though all share this machine's disk, and the wrapper to log in elsewhere.
    text = (FILES / "sshd_config").read_text()
    config.write_text(text.format(address=lab.addresses[node], folder=lab.folder, node=node))
    log = (lab.folder / f"sshd_{node}.log").open("wb")
    return subprocess.Popen(lab.enter(node, SSHD, "-D", "-e", "-f", config), stderr=log)


def _wait_until_they_listen(lab: SshLab, nodes: Sequence[str]) -> None:
    script = "import socket, sys; [socket.create_connection((one, 22), 2) for one in sys.argv[1:]]"
    command = lab.enter("n1", sys.executable, "-c", script, *(lab.addresses[one] for one in nodes))
    wait_for(lambda: run(command, 30).returncode == 0, 90)
