"""The keeper of a lab: the `weft-lab` process that builds it, holds it and carries its frames."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from weft.base import binaries
from weft.base.errors import RequestError, WorkError
from weft.measure.testbed.lab.headroom import Stats
from weft.runs.meta import Warning

REQUEST_STATUS = 2
STATS_WITHIN_S = 2.0


class LabNode(Struct, frozen=True):
    """A host of a lab: the keeper's descriptor of its namespace, and the namespace's identity.

    The inode is reused once the namespace is gone. The cookie is unique, but old kernels have none (null).
    """

    name: str
    address: str
    addresses: tuple[str, ...] = ()
    fd: int = -1
    inode: int = 0
    cookie: int | None = None


class Files(NamedTuple):
    """Files of a running lab besides its entry: the query socket, the log of the weather, and the folder of its
    guests."""

    socket: Path
    weather: Path
    guests: Path


class Keeper(Struct, frozen=True):
    """A running keeper.

    `started` is the kernel's start time of the process, by which a reused pid is recognised. `give_way`: its forwarder
    could not get priority, so programs on the hosts must give way to it.
    """

    pid: int
    started: int
    user_namespace: bool
    give_way: bool
    nodes: list[LabNode]
    warnings: list[Warning]
    fabric: dict[str, Any]

    def is_alive(self) -> bool:
        return process_started(self.pid) == self.started

    def enter_command(self, node: str, argv: list[str]) -> list[str]:
        """The command that runs `argv` on a host."""
        fd = next(one.fd for one in self.nodes if one.name == node)
        enter = [str(binaries.find("weft-lab")), "enter", "--pid", str(self.pid)]
        enter += ["--started", str(self.started), "--fd", str(fd)]
        enter += ["--user"] if self.user_namespace else []
        enter += ["--give-way"] if self.give_way else []
        return [*enter, "--", *argv]


def start_keeper(
    fabric: Path,
    scale: float,
    files: Files,
    weather_speed: float | None = None,
    guests: bool = False,
) -> tuple[subprocess.Popen[str], Keeper]:
    """Build a lab; raises an error with weft-lab's message.

    The lab exists as long as the pipe to the keeper's standard input is open: it goes with this process, however that
    ends, unless `let_go` was called.
    """
    command = [str(binaries.find("weft-lab")), "keep", "--fabric", str(fabric)]
    command += ["--scale", str(scale), "--stats-socket", str(files.socket)]
    command += ["--weather-log", str(files.weather)]
    command += ["--weather-speed", str(weather_speed)] if weather_speed is not None else []
    command += ["--guests"] if guests else []
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline()
    if not line:
        _raise(process.stderr.read().strip(), process.wait())
    return process, msgspec.json.decode(line, type=Keeper)


def cookie_of(pid: int) -> int | None:
    """The cookie of a process's network namespace; None if unknown."""
    command = [str(binaries.find("weft-lab")), "cookie", "--pid", str(pid)]
    answer = binaries.ask(command, STATS_WITHIN_S)
    return int(answer.stdout) if answer and answer.returncode == 0 else None


def let_go(process: subprocess.Popen[str]) -> None:
    """Let a keeper outlive this process, and stop watching it."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write("stay\n")
        process.stdin.flush()
    close_pipes(process)
    process.returncode = 0


def close_pipes(process: subprocess.Popen[str]) -> None:
    """Close this end of all pipes; a keeper then ends unless it was let go."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _raise(said: str, status: int) -> None:
    message, _, hint = said.removeprefix("weft-lab: ").partition("\n")
    kind = RequestError if status == REQUEST_STATUS else WorkError
    raise kind(message or f"weft-lab ended with status {status}", hint.strip())


def read_stats(path: Path) -> Stats | None:
    """The forwarder's counters; None if the keeper does not answer."""
    try:
        return msgspec.json.decode(ask_keeper(path, {"ask": "stats"}), type=Stats)
    except (OSError, msgspec.DecodeError):
        return None


def ask_keeper(
    path: Path, question: Mapping[str, object], within_s: float = STATS_WITHIN_S
) -> bytes:
    """A keeper's answer as JSON; raises OSError if there is none."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(within_s)
        _connect(connection, path)
        connection.sendall(msgspec.json.encode(question))
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def _connect(connection: socket.socket, path: Path) -> None:
    """Connect through the folder's descriptor, since a socket's address holds only 107 bytes."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        connection.connect(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def process_started(pid: int) -> int | None:
    """The kernel's start time of a process, in ticks since boot (proc(5), field 22 of stat).

    None if there is no such process, or only its exit status is left.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
