"""Whether guests had enough processor time, by the threads of their virtual processors."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from weft.runs.meta import Warning

BUSY_SHARE = 0.9
"""A virtual processor that is busy for a larger share of the time limits the measurement."""
WAITING_SHARE = 0.05
"""One that waits for a processor of this machine for a larger share is disturbed by others (the guest's steal time)."""
LEAST_S = 1.0
PROCESSORS = ("CPU ", "ALL CPUs")
"""QEMU's names for the threads of virtual processors, and for their single thread when it counts instructions."""
NS = 1e9


class ProcessorUsage(Struct, frozen=True):
    """How long a virtual processor had run, and had waited to run, at a time."""

    at_s: float
    ran_s: float
    waited_s: float


Usages = Mapping[tuple[str, int], ProcessorUsage]
"""Usage by guest and thread."""


def usages(pids: Mapping[str, int]) -> Usages:
    """What the virtual processors of these emulators have used so far."""
    return {(name, tid): usage for name, pid in pids.items() for tid, usage in _threads(pid)}


def load_warnings(before: Usages, after: Usages) -> list[Warning]:
    """Warnings about measurements between the two readings."""
    ran, waited = _largest(before, after, "ran_s"), _largest(before, after, "waited_s")
    found = []
    if ran and ran[0] > BUSY_SHARE:
        found.append(
            Warning(
                "guest-busy",
                f"{ran[1]}'s processor was busy for {ran[0]:.0%} of the time: the guest, not the fabric, was a limit",
                "use --scale to slow the fabric down; ratios between runs like this one still say something",
            )
        )
    if waited and waited[0] > WAITING_SHARE:
        found.append(
            Warning(
                "guest-steal",
                f"{waited[1]}'s processor waited for one of this machine's for {waited[0]:.0%} of the time",
                "leave the machine alone while it measures, or boot fewer guests",
            )
        )
    return found


def _largest(before: Usages, after: Usages, field: str) -> tuple[float, str] | None:
    """The largest share of the time, and the guest's name."""
    shares = []
    for key, end in after.items():
        start = before.get(key)
        if start and end.at_s - start.at_s >= LEAST_S:
            used = getattr(end, field) - getattr(start, field)
            shares.append((used / (end.at_s - start.at_s), key[0]))
    return max(shares, default=None)


def _threads(pid: int) -> Iterator[tuple[int, ProcessorUsage]]:
    for task in Path(f"/proc/{pid}/task").glob("*"):
        # A thread may end at any time, and kernels without schedstat report nothing.
        with contextlib.suppress(OSError, ValueError):
            if (task / "comm").read_text(errors="replace").startswith(PROCESSORS):
                ran, waited, _ = map(int, (task / "schedstat").read_text().split())
                yield int(task.name), ProcessorUsage(time.monotonic(), ran / NS, waited / NS)
