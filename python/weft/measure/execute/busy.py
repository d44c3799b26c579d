"""How busy the processors of this machine are before a measurement starts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.measure.execute.progress import Reporter
from weft.measure.testbed.base import Testbed
from weft.understand.host.disturbed import LEAST_SHARES

LOOK_S = 0.5
BUSY = 0.5
"""A processor is reported if others use it for at least this share of the time. Work at a low priority (`nice`) does
not count."""
_STAT = Path("/proc/stat")
_USER, _SYSTEM, _STEAL = 0, 2, 7

Times = Mapping[str, Sequence[int]]
"""For each processor, the numbers of its line in /proc/stat, in ticks."""


def announce_busy(testbed: Testbed, reporter: Reporter) -> None:
    """Announce which processors of this machine are busy; takes half a second."""
    if testbed.is_computed or not testbed.is_here:
        return
    before = times_of(_STAT.read_text())
    time.sleep(LOOK_S)
    if said := busy_text(before, times_of(_STAT.read_text())):
        reporter.announce(said)


def times_of(stat: str) -> Times:
    """The lines of single processors in /proc/stat."""
    lines = (line.split() for line in stat.splitlines() if line.startswith("cpu"))
    return {
        name.removeprefix("cpu"): tuple(map(int, numbers))
        for name, *numbers in lines
        if name != "cpu"
    }


def busy_text(before: Times, after: Times) -> str:
    """Which processors are busy and what that means for the results; empty if none is."""
    found = [
        text for cpu in after if cpu in before if (text := _of_one(cpu, before[cpu], after[cpu]))
    ]
    if not found:
        return ""
    return f"not a quiet machine: {', '.join(found)}; launches that this disturbs are marked"


def _of_one(cpu: str, before: Sequence[int], after: Sequence[int]) -> str:
    grown = [later - earlier for earlier, later in zip(before, after, strict=True)]
    total = max(1, sum(grown[: _STEAL + 1]))
    stolen, used = grown[_STEAL] / total, (grown[_USER] + grown[_SYSTEM]) / total
    if stolen >= LEAST_SHARES["stolen-time"]:
        return f"the hypervisor takes {100 * stolen:.0f} % of processor {cpu}"
    return f"processor {cpu} is {100 * used:.0f} % busy" if used >= BUSY else ""
