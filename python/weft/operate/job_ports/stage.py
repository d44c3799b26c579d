"""A lab as a small cluster on which jobs can be started: its hosts have names and log into each other by ssh."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from weft.base.errors import RequestError, WorkError
from weft.measure.execute.mpi.command import AS_ROOT, on_lab_only
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.lab.testbed import open_lab

READY_WITHIN_S = 60.0
_SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin"
_NAMED = 'mount --bind "$1" /etc/hosts && hostname "$2" && shift 2 && exec "$@"'
_CLIENT = """Host *
  User {user}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
"""
_SERVER = """ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
MaxStartups 100
SetEnv PATH={path}
"""


@dataclass(frozen=True)
class LabService:
    """A command that runs on some nodes while the stage exists; {node} in it is the node's name."""

    nodes: Sequence[str]
    command: str

    @classmethod
    def parse(cls, text: str, names: Sequence[str]) -> LabService:
        """Parse `n1,n2: command`, or `*: command` for all nodes; raises RequestError."""
        chosen, colon, command = text.partition(":")
        nodes = list(names) if chosen.strip() == "*" else [one.strip() for one in chosen.split(",")]
        unknown = [one for one in nodes if one not in names]
        if not colon or not command.strip() or unknown:
            raise RequestError(
                f"--service {text!r}: " + (f"no node {unknown[0]}" if unknown else "no command"),
                f"as in '*: slurmd -D -N {{node}}'; the nodes are {', '.join(names)}",
            )
        return cls(nodes, command.strip())


@dataclass
class NamedLab:
    """A lab whose hosts have names. Other machines cannot reach programs on it."""

    testbed: Testbed
    folder: Path
    ready: str = ""
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _before: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.nodes = list(self.testbed.nodes)
        ask = ["readlink", "/proc/self/ns/net"]
        self._namespaces = {_output(self.testbed.node_command(one, ask)) for one in self.nodes}

    @property
    def environment(self) -> dict[str, str]:
        """Environment of a job on the stage: our ssh comes first in PATH, and MPI stays on the lab's network."""
        path = f"{self.folder}/bin:{os.environ['PATH']}:{_SYSTEM}"
        as_root = AS_ROOT if os.geteuid() == 0 else {}
        mpi = on_lab_only() | as_root | {"OMPI_MCA_orte_tmpdir_base": str(self.folder)}
        return {**os.environ, **mpi, "PATH": path, "TMPDIR": str(self.folder)}

    def enter(self, node: Node, argv: Sequence[str]) -> list[str]:
        """The command that runs another on a node, where all host names are known."""
        named = ["unshare", "--mount", "--uts", "sh", "-c", _NAMED, "sh"]
        words = [*named, str(self.folder / "hosts"), node.name, *argv]
        return self.testbed.node_command(node, words)

    def run(self, node: Node, argv: Sequence[str], text: str = "") -> str:
        """The output of a program on a node, with `text` as its input; raises WorkError."""
        done = subprocess.run(
            self.testbed.node_command(node, list(argv)),
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise WorkError(f"{node.name}: {argv[0]}: {done.stderr.strip()}")
        return done.stdout

    def start(self, node: Node, argv: Sequence[str], name: str) -> None:
        """Start a daemon that ends with the stage."""
        log = (self.folder / f"{name}-{node.name}.log").open("wb")
        enter = self.enter(node, argv)
        self._running.append(subprocess.Popen(enter, stdout=log, stderr=log, env=self.environment))

    def wait_until_ready(self) -> None:
        """Wait until a job may start, also after a job that was killed; raises WorkError."""
        if self.ready:
            command = self.enter(self.nodes[0], ["sh", "-c", self.ready])
            quiet = subprocess.DEVNULL
            ask = partial(
                subprocess.call, command, env=self.environment, stdout=quiet, stderr=quiet
            )
            _wait(lambda: not ask(), f"--ready {self.ready!r}")

    def settle(self) -> None:
        """From now on, new processes on the nodes belong to jobs."""
        self._before = self._living()

    def clear(self) -> None:
        """End processes that jobs have left on the nodes."""
        while left := self._living() - self._before:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)

    def close(self) -> None:
        """End all daemons."""
        for process in reversed(self._running):
            process.terminate()
        for process in self._running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)
            process.kill()
            process.wait()

    def _living(self) -> set[int]:
        """Processes on the nodes that have not ended."""
        found = set()
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                is_mine = str((entry / "ns/net").readlink()) in self._namespaces
                stat = (entry / "stat").read_text(
                    errors="replace"
                )  # It contains the process's name.
                if is_mine and stat.rpartition(")")[2].split()[0] != "Z":
                    found.add(int(entry.name))
        return found


@contextlib.contextmanager
def staged(
    fabric: str,
    services: Callable[[Sequence[str]], Sequence[LabService]] = lambda names: (),
    ready: str = "",
) -> Iterator[NamedLab]:
    """The lab of a fabric with sshd (if installed) and other daemons on its hosts, removed afterwards.

    `ready` is a command that succeeds on the first host when jobs may start. Raises RequestError and WorkError.
    """
    if os.geteuid() != 0:
        raise RequestError(
            "jobs on a lab need root: its hosts get names, and daemons that let users in",
            "sudo weft ports ..., or --on ssh:NODES without --check",
        )
    with open_lab(fabric) as lab, tempfile.TemporaryDirectory(prefix="weft-ports-") as folder:
        stage = NamedLab(lab, Path(folder), ready)
        hosts = "".join(f"{one.address} {one.name}\n" for one in stage.nodes)
        (stage.folder / "hosts").write_text("127.0.0.1 localhost\n" + hosts)
        try:
            for node in stage.nodes:
                _wait(partial(_is_up, stage, node), f"{node.name}: an interface")
            _start_sshd(stage)
            for service in services([one.name for one in stage.nodes]):
                _start_service(stage, service)
            stage.wait_until_ready()
            stage.settle()
            yield stage
        finally:
            stage.clear()
            stage.close()


def named_fabric(folder: Path, names: Sequence[str]) -> str:
    """A fabric of hosts with these names on one switch, written to a folder."""
    path = folder / "nodes.toml"
    hosts = f'[[hosts]]\nids = "{",".join(names)}"\nattach = "switch"\n'
    path.write_text(f'name = "nodes"\n{hosts}[[switches]]\nids = "switch"\n')
    return str(path)


def _is_up(stage: NamedLab, node: Node) -> bool:
    """Whether the kernel reports all interfaces as up, perhaps a second late. Until then UCX does not use them."""
    links = msgspec.json.decode(stage.run(node, ["ip", "-j", "link", "show", "up"]))
    return all(one["operstate"] == "UP" for one in links if one["link_type"] != "loopback")


def _start_sshd(stage: NamedLab) -> None:
    sshd, ssh = shutil.which("sshd", path=f"{os.environ['PATH']}:{_SYSTEM}"), shutil.which("ssh")
    if sshd is None or ssh is None:
        return
    folder = stage.folder
    for name in ("host_key", "key"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(made, check=True)
    (folder / "known_hosts").write_text(f"* {(folder / 'host_key.pub').read_text()}")
    (folder / "ssh_config").write_text(_CLIENT.format(user="root", folder=folder))
    (folder / "bin").mkdir()
    wrapper = folder / "bin/ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {ssh} -F {folder}/ssh_config "$@"\n')
    wrapper.chmod(0o755)
    # sshd requires it, and a machine without a running sshd may not have it.
    Path("/run/sshd").mkdir(exist_ok=True)
    for node in stage.nodes:
        config = folder / f"sshd_{node.name}"
        path = stage.environment["PATH"]
        config.write_text(_SERVER.format(address=node.address, folder=folder, path=path))
        stage.start(node, [sshd, "-D", "-e", "-f", str(config)], "sshd")
    for node in stage.nodes:
        _wait(partial(_is_listening, stage, node), f"{node.name}: sshd")


def _is_listening(stage: NamedLab, node: Node) -> bool:
    log = stage.folder / f"sshd-{node.name}.log"
    return "Server listening" in log.read_text(errors="replace")


def _start_service(stage: NamedLab, service: LabService) -> None:
    for node in stage.nodes:
        if node.name in service.nodes:
            command = service.command.replace("{node}", node.name)
            stage.start(node, ["sh", "-c", f"exec {command}"], command.split()[0].replace("/", "_"))


def _wait(is_so: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + READY_WITHIN_S
    while not is_so():
        if time.monotonic() > until:
            raise WorkError(f"{what} is not ready after {READY_WITHIN_S:.0f} s")
        time.sleep(0.05)


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
