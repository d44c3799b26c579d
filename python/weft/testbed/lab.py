"""The lab: a virtual cluster of network namespaces, as a testbed."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from weft.errors import RequestError
from weft.plan import catalog
from weft.run.meta import Warning
from weft.testbed import registry
from weft.testbed.base import Node
from weft.testbed.keeper import Keeper, close_pipes, let_go, read_stats, start_keeper
from weft.testbed.registry import Entry

LATE_SHARE = 0.01
"""More frames than this share too late, and the machine rather than the fabric is measured."""


class Lab:
    """A lab that is up; `close` takes it down unless somebody else put it up."""

    kind = "lab"

    def __init__(self, entry: Entry, process: subprocess.Popen[str] | None) -> None:
        self._entry = entry
        self._process = process
        self._stats_before = read_stats(registry.stats_socket(entry.id)) or {}

    @property
    def name(self) -> str:
        return self._entry.fabric

    @property
    def nodes(self) -> list[Node]:
        return [Node(node.name, node.address, node.addresses) for node in self._keeper.nodes]

    @property
    def warnings(self) -> list[Warning]:
        stats = read_stats(registry.stats_socket(self._entry.id))
        found = [Warning(**warning) for warning in self._keeper.warnings]
        return found + (late_warnings(self._stats_before, stats) if stats else [])

    @property
    def cpus(self) -> list[int] | None:
        """Agents take turns on the processors; the last one is left to the forwarder where there is one."""
        usable = sorted(os.sched_getaffinity(0))
        free = usable[:-1] if self._is_shaped and len(usable) > 1 else usable
        return [free[index % len(free)] for index in range(len(self.nodes))]

    @property
    def may_spin(self) -> bool:
        """Shaped lines need processor time of their own."""
        return not self._is_shaped and len(os.sched_getaffinity(0)) >= len(self.nodes)

    @property
    def _is_shaped(self) -> bool:
        links = self._keeper.fabric["links"]
        lines = [line for link in links for line in (link["forward"], link["backward"])]
        return any(line["rate_bits_per_s"] or line["delay_ns"] for line in lines)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self._entry.fabric,
            "scale": self._entry.scale,
            "fabric": self._keeper.fabric,
        }

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        return self._keeper.enter_command(node.name, argv)

    def close(self) -> None:
        if self._process is None:
            return
        close_pipes(self._process)
        self._process.wait()
        registry.remove(self._entry)

    @property
    def _keeper(self) -> Keeper:
        return self._entry.keeper

    def __enter__(self) -> Lab:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_lab(name: str, scale: float = 1.0) -> Lab:
    """The lab of that name if it is up, else a private one of that fabric; raises RequestError."""
    entry = registry.get(name)
    if entry is None or entry.private or entry.state == "stale":
        path, fabric = _find_fabric(name)
        return _start(path, fabric, scale, f"{fabric}-{os.getpid()}-{time.monotonic_ns()}")
    if scale not in (1.0, entry.scale):
        raise RequestError(
            f"lab {name} is up at scale {entry.scale:g}, not {scale:g}",
            f"`weft lab down {name}` first, or leave --scale out",
        )
    return Lab(entry, None)


def bring_up(name: str, scale: float, lab: str | None) -> Entry:
    """Put a lab up that stays until it is taken down; raises RequestError when the name is taken."""
    path, fabric = _find_fabric(name)
    lab = lab or fabric
    if not lab.replace("-", "").replace("_", "").isalnum():
        raise RequestError(f"{lab}: not a name for a lab", "letters, digits, - and _")
    existing = registry.get(lab)
    if existing is not None and existing.state == "up":
        raise RequestError(
            f"lab {lab} is already up", f"`weft lab down {lab}`, or give this one another --name"
        )
    if existing is not None:
        registry.remove(existing)
    process, keeper = start_keeper(path, scale, registry.stats_socket(lab))
    entry = Entry(lab, fabric, scale, False, time.time(), keeper)
    registry.add(entry)
    let_go(process)
    return entry


def late_warnings(before: dict[str, Any], after: dict[str, Any]) -> list[Warning]:
    """Whether the forwarder kept its times since `before`."""
    earlier = dict(before.get("late_ns", []))
    counts = {ns: count - earlier.get(ns, 0) for ns, count in after["late_ns"]}
    forwarded = sum(counts.values())
    late = sum(count for ns, count in counts.items() if ns > after["late_limit_ns"])
    if late <= LATE_SHARE * forwarded:
        return []
    return [
        Warning(
            "lab-late",
            f"{100 * late / forwarded:.1f} % of the frames left more than "
            f"{after['late_limit_ns'] / 1000:.0f} us too late: at times this machine, "
            "not the fabric, was the limit",
            "leave the machine alone while it measures, or use --scale to slow the fabric down",
        )
    ]


def _start(path: Path, fabric: str, scale: float, lab: str) -> Lab:
    process, keeper = start_keeper(path, scale, registry.stats_socket(lab))
    entry = Entry(lab, fabric, scale, True, time.time(), keeper)
    registry.add(entry)
    return Lab(entry, process)


def _find_fabric(name: str) -> tuple[Path, str]:
    path = catalog.find("fabric", name)
    return path, path.stem
