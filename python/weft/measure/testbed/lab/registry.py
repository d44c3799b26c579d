"""The labs of this user on this machine: one JSON file each, so that the lab of a dead keeper is found."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct, field

from weft.base.files.private_folder import private_folder
from weft.base.files.text_file import ContentError, parse_json
from weft.measure.testbed.lab.daemon import Files, Keeper, LabNode, cookie_of
from weft.measure.testbed.lab.guests import LabGuests
from weft.runs.meta import Warning

STOP_WITHIN_S = 3.0


class LabEntry(Struct, frozen=True):
    """A registered lab. A private one belongs to the weft process that runs a plan on it."""

    id: str
    fabric: str
    scale: float
    private: bool
    created: float
    keeper: Keeper
    guests: LabGuests | None = None
    notes: tuple[Warning, ...] = ()
    """Warnings about its scale."""

    @property
    def state(self) -> str:
        return "up" if self.keeper.is_alive() else "stale"

    @property
    def warnings(self) -> list[Warning]:
        """Warnings that apply before anything is measured."""
        return [*self.notes, *self.keeper.warnings]

    @property
    def age_s(self) -> float:
        return round(time.time() - self.created, 1)

    def command(self, node: str, argv: list[str]) -> list[str]:
        """The command that runs `argv` on a host, which is a guest or a namespace."""
        if self.guests and node in self.guests.pids:
            return self.guests.command(node, argv)
        return self.keeper.enter_command(node, argv)

    def summary(self) -> dict[str, object]:
        """What `weft lab list --json` prints."""
        return {
            "id": self.id,
            "fabric": self.fabric,
            "scale": self.scale,
            "state": self.state,
            "private": self.private,
            "pid": self.keeper.pid,
            "age_s": self.age_s,
            "nodes": [{"name": node.name, "address": node.address} for node in self.keeper.nodes],
        } | ({"guests": msgspec.to_builtins(self.guests)} if self.guests else {})


class Unreadable(LabEntry, frozen=True):
    """An entry of an older weft, or a damaged one: stale, and can only be removed.

    What it says about its keeper is kept, so that a keeper that still runs is ended with it; zeros are unknown.
    """

    @property
    def state(self) -> str:
        return "stale"


def folder() -> Path:
    """The folder of entries, which only this user may read."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    base = Path(runtime) / "weft" if runtime else Path(f"/tmp/weft-{os.geteuid()}")
    return private_folder(base, "labs", hint="set XDG_RUNTIME_DIR")


def files(lab: str) -> Files:
    """The files of a lab besides its entry, while it is up."""
    here = folder()
    return Files(here / f"{lab}.sock", here / f"{lab}.weather.jsonl", here / f"{lab}.guests")


def add(entry: LabEntry) -> None:
    """Register a lab."""
    temporary = folder() / f".{entry.id}.{os.getpid()}"
    temporary.write_bytes(msgspec.json.encode(entry))
    temporary.replace(folder() / f"{entry.id}.json")


def entries() -> list[LabEntry]:
    """All labs, up and stale, by name."""
    found = [_read(path) for path in sorted(folder().glob("*.json"))]
    return [entry for entry in found if entry is not None]


def get(lab: str) -> LabEntry | None:
    """The lab of that name."""
    return next((entry for entry in entries() if entry.id == lab), None)


def remove(entry: LabEntry) -> int:
    """Take a lab down, whatever its state; returns how many processes in it had to be killed."""
    if entry.keeper.is_alive():
        _stop(entry.keeper)
    killed = kill_inhabitants(entry.keeper.nodes)
    forget(entry.id)
    return killed


def remove_at_exit(lab: str) -> None:
    """Remove a lab when this process exits, if it is still registered: an interrupt may arrive after a lab is
    registered and before anything is responsible for closing it."""
    atexit.register(_remove_left, lab)


def _remove_left(lab: str) -> None:
    entry = get(lab)
    if entry is not None:
        remove(entry)


def forget(lab: str) -> None:
    """Drop a lab's entry."""
    (folder() / f"{lab}.json").unlink(missing_ok=True)
    known = files(lab)
    for path in (known.socket, known.weather):
        path.unlink(missing_ok=True)
    shutil.rmtree(known.guests, ignore_errors=True)


def kill_inhabitants(nodes: list[LabNode]) -> int:
    """End the processes in network namespaces, which then vanish; returns how many there were."""
    found = len(_inhabitants(nodes))
    _end(lambda: _inhabitants(nodes))
    return found


def _inhabitants(nodes: list[LabNode]) -> list[int]:
    by_inode = {node.inode: node for node in nodes}
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            node = by_inode.get((process / "ns/net").stat().st_ino)
            if node is not None and _lives_on(int(process.name), node):
                found.append(int(process.name))
    return found


def _lives_on(pid: int, node: LabNode) -> bool:
    """Whether a process in a namespace with this inode is in this namespace, not in a later one that reuses the
    inode."""
    return node.cookie is None or cookie_of(pid) == node.cookie


def _stop(keeper: Keeper) -> None:
    _end(lambda: [keeper.pid] if keeper.is_alive() else [])


def _end(alive: Callable[[], list[int]]) -> None:
    """Ask processes to end, so that they can clean up, and kill those that do not."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        for process in alive():
            with contextlib.suppress(OSError):
                os.kill(process, how)
        deadline = time.monotonic() + STOP_WITHIN_S
        while alive() and time.monotonic() < deadline:
            time.sleep(0.01)


def _read(path: Path) -> LabEntry | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return parse_json(content, LabEntry, str(path))
    except ContentError:
        return _unreadable(path.stem, content)


class _KnownKeeper(Struct, frozen=True):
    """What is needed of a keeper to end it and the processes in its hosts."""

    pid: int = 0
    started: int | None = None
    nodes: list[LabNode] = []


class _Known(Struct, frozen=True):
    """Keys that entries of all versions have."""

    fabric: str = "unknown"
    scale: float = 0.0
    private: bool = False
    created: float = field(default_factory=time.time)
    keeper: _KnownKeeper = _KnownKeeper()


def _unreadable(lab: str, content: bytes) -> Unreadable:
    known = _Known()
    with contextlib.suppress(ContentError):
        known = parse_json(content, _Known, lab)
    pid, started, nodes = msgspec.structs.astuple(known.keeper)
    keeper = Keeper(pid, started or 0, False, False, nodes, [], {})
    return Unreadable(lab, known.fabric, known.scale, known.private, known.created, keeper)
