"""The lab: a virtual cluster of network namespaces, as a testbed."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from weft.base import catalog
from weft.base.errors import RequestError
from weft.measure.testbed.base import BaseTestbed, Frames, Node
from weft.measure.testbed.lab import headroom, registry
from weft.measure.testbed.lab.daemon import Keeper, close_pipes, let_go, read_stats, start_keeper
from weft.measure.testbed.lab.demand import is_forwarded
from weft.measure.testbed.lab.headroom import Stats
from weft.measure.testbed.lab.registry import LabEntry
from weft.runs.meta import Warning
from weft.runs.records import records
from weft.runs.records.fabric_records import FabricRecord

NAMESPACE_LOGIN = "its namespace on this machine"
LONGEST_NAME = 48
"""A socket has this name, and its path at most 107 bytes."""


class Lab(BaseTestbed):
    """A lab that is up; `close` takes it down unless it was up before."""

    kind = "lab"

    def __init__(self, entry: LabEntry, process: subprocess.Popen[str] | None) -> None:
        self._entry = entry
        self._process = process
        self._first: int | None = None
        self._stats_before = self._read_stats() or Stats()

    @property
    def name(self) -> str:
        return self._entry.fabric

    @property
    def nodes(self) -> list[Node]:
        hosts = self._keeper.nodes[: self._first]
        return [Node(node.name, node.address, node.addresses) for node in hosts]

    def use_first(self, count: int) -> None:
        """Use only the first `count` hosts as nodes; raises RequestError if there are fewer."""
        if count > len(self._keeper.nodes):
            self.close()
            raise RequestError(f"--nodes {count}: lab {self.name} has {len(self._keeper.nodes)}")
        self._first = count

    @property
    def warnings(self) -> list[Warning]:
        stats = self._read_stats()
        measured = headroom.warnings(self._stats_before, stats) if stats else []
        return [*self._entry.warnings, *measured]

    def frames(self) -> Frames | None:
        stats = self._read_stats() if self._is_forwarded else None
        return headroom.frames(stats) if stats else None

    @property
    def cpus(self) -> list[int] | None:
        """Agents take turns on the processors; the last one is left to the forwarder, if there is one."""
        usable = sorted(os.sched_getaffinity(0))
        free = usable[:-1] if self._is_forwarded and len(usable) > 1 else usable
        return [free[index % len(free)] for index in range(len(self.nodes))]

    @property
    def may_spin(self) -> bool:
        """Whether agents may spin: a forwarder needs processor time of its own."""
        return not self._is_forwarded and len(os.sched_getaffinity(0)) >= len(self.nodes)

    @property
    def _is_forwarded(self) -> bool:
        return is_forwarded(cast(FabricRecord, self._keeper.fabric))

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json; once it has measured for a second, also its headroom."""
        about: records.TestbedRecord = {
            "kind": self.kind,
            "name": self._entry.fabric,
            "scale": self._entry.scale,
            "fabric": cast(FabricRecord, self._keeper.fabric),
        }
        stats = self._read_stats() if self._is_forwarded else None
        room = headroom.headroom(self._stats_before, stats) if stats else None
        return about | {"headroom": room} if room else about

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        return self._entry.command(node.name, argv)

    def login(self, node: Node) -> str:
        return NAMESPACE_LOGIN

    def failure(self) -> str | None:
        return None if self._keeper.is_alive() else "the lab is gone (its keeper was killed)"

    def close(self) -> None:
        if self._process is None:
            return
        close_pipes(self._process)
        self._process.wait()
        registry.remove(self._entry)

    def _read_stats(self) -> Stats | None:
        return read_stats(registry.files(self._entry.id).socket)

    @property
    def _keeper(self) -> Keeper:
        return self._entry.keeper


def open_lab(name: str, scale: float = 1.0) -> Lab:
    """The lab of that name if it is up, else a private one of that fabric; raises RequestError."""
    entry = kept_up(name)
    if entry is not None and entry.guests:
        raise RequestError(f"the hosts of lab {name} are virtual machines", f"--on vm:{name}")
    if entry is None:
        path = catalog.find("fabric", name)
        return Lab(*start_lab(path, scale, private_name(path), private=True))
    if scale not in (1.0, entry.scale):
        raise RequestError(
            f"lab {name} is up at scale {entry.scale:g}, not {scale:g}",
            f"`weft lab down {name}` first, or leave --scale out",
        )
    return Lab(entry, None)


def kept_up(name: str) -> LabEntry | None:
    """The lab of this name if it is up and not private to another run."""
    entry = registry.get(name)
    return None if entry is None or entry.private or entry.state == "stale" else entry


def bring_up(
    name: str,
    scale: float,
    lab: str | None,
    weather_speed: float | None = None,
    notes: Sequence[Warning] = (),
) -> LabEntry:
    """Build a lab that stays until it is taken down; raises RequestError if the name is taken.

    `weather_speed` overrides the fabric's own; `notes` are recorded in each run on it.
    """
    path = catalog.find("fabric", name)
    lab = lab or path.stem
    make_room(lab)
    entry, process = start_lab(path, scale, lab, False, weather_speed, notes=notes)
    let_go(process)
    return entry


def make_room(lab: str) -> None:
    """Remove a stale lab of this name; raises RequestError if one is up, and for an invalid name."""
    if len(lab) > LONGEST_NAME or not lab.replace("-", "").replace("_", "").isalnum():
        right = f"at most {LONGEST_NAME} letters, digits, - and _"
        raise RequestError(f"{lab[:80]}: not a name for a lab", right)
    existing = registry.get(lab)
    if existing is not None and existing.state == "up":
        raise RequestError(
            f"lab {lab} is already up", f"`weft lab down {lab}`, or give this one another --name"
        )
    if existing is not None:
        registry.remove(existing)


def private_name(path: Path) -> str:
    """A name for a lab of this process, after removing labs that killed processes left."""
    _clear_away_private()
    return f"{path.stem}-{os.getpid()}-{time.monotonic_ns()}"


def start_lab(
    path: Path,
    scale: float,
    lab: str,
    private: bool,
    weather_speed: float | None = None,
    guests: bool = False,
    notes: Sequence[Warning] = (),
) -> tuple[LabEntry, subprocess.Popen[str]]:
    """Build and register a lab; raises an error that says what is wrong."""
    process, keeper = start_keeper(path, scale, registry.files(lab), weather_speed, guests)
    entry = LabEntry(lab, path.stem, scale, private, time.time(), keeper, notes=tuple(notes))
    if private:
        registry.remove_at_exit(lab)
    registry.add(entry)
    return entry, process


def _clear_away_private() -> None:
    """Remove private labs of killed runs, which would not be found by name."""
    for entry in registry.entries():
        if entry.private and entry.state == "stale":
            registry.remove(entry)
