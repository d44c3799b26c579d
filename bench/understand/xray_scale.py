"""What does xray take with thousands of nodes?

What xray takes where there are very many nodes: processor time, memory, and whether it finds what is there.

usage: bench/run.py xray_scale [--hosts 256 1024 4096] [--lab]

Simulated racks of 16 hosts, each with a quarter of its ports' rate to the others, and one host at a tenth of its rate.
`--lab` measures 128 such hosts in a lab instead. Takes about 6 minutes of processor time, the lab 3 minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose
from weft.understand.limits.findings import LimitFindings

PER_RACK, OVERSUBSCRIPTION = 16, 4
PORT_MBPS, SLOW, SLOW_MBPS = 100, 37, 10
PAYLOAD = 0.9415
"""Of a frame of 1,518 bytes on an Ethernet wire, with TCP's timestamps."""
TOLERANCE = 0.1
MOST_S = {1024: 60.0, 4096: 600.0}
MOST_MB = {1024: 1000.0}
LAB_HOSTS, LAB_SCALE, MOST_LAB_S = 128, 0.1, 120.0


@dataclass(frozen=True)
class Cost:
    """What a command took: on the clock, of all processors, and in memory at most."""

    elapsed_s: float
    processor_s: float
    memory_mb: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, nargs="*", default=[256, 1024, 4096])
    parser.add_argument("--lab", action="store_true", help=f"{LAB_HOSTS} hosts in a lab instead")
    options = parser.parse_args()
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"{machine()}; load {load}")
    if options.lab:
        save("xray_scale", in_a_lab(), "lab")
        return
    save("xray_scale", [goal for hosts in options.hosts for goal in simulated(hosts)])


def simulated(hosts: int) -> list[Goal]:
    """The search on the simulator."""
    with tempfile.TemporaryDirectory() as folder:
        cost, run = searched(Path(folder), hosts, "sim", [])
        wrong = faults(diagnose(run), hosts)
        phases = len(run.meta.phases)
    print(
        f"{hosts:5} hosts: {cost.processor_s:6.1f} s of processors, {cost.elapsed_s:6.1f} s, "
        f"{cost.memory_mb:5.0f} MB, {phases} phases of the search; {'; '.join(wrong) or 'exact'}",
        flush=True,
    )
    what = f"{hosts} hosts simulated"
    return [
        Goal(f"{what}: faults in what is found", len(wrong), at_most=0),
        Goal(f"{what}: processor time", cost.processor_s, "s", at_most=MOST_S.get(hosts)),
        Goal(f"{what}: memory", cost.memory_mb, "MB", at_most=MOST_MB.get(hosts)),
        Goal(f"{what}: phases of the search", phases),
    ]


def in_a_lab() -> list[Goal]:
    """The search where each host is a network namespace of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        scale = ["--scale", str(LAB_SCALE)]
        cost, run = searched(Path(folder), LAB_HOSTS, "lab", scale)
        wrong = faults(diagnose(run), LAB_HOSTS, LAB_SCALE)
        warnings = ", ".join(one.code for one in run.meta.warnings)
    print(f"{LAB_HOSTS} hosts: {cost.elapsed_s:.0f} s; {'; '.join(wrong) or 'exact'}; {warnings}")
    what = f"{LAB_HOSTS} hosts in a lab"
    return [
        Goal(f"{what}: faults in what is found", len(wrong), at_most=0),
        Goal(f"{what}: time", cost.elapsed_s, "s", at_most=MOST_LAB_S),
    ]


def searched(
    folder: Path, hosts: int, testbed: str, options: Sequence[str]
) -> tuple[Cost, RunFolder]:
    """The command, as a process of its own."""
    fabric, out = folder / "racks.toml", folder / "run"
    fabric.write_text(racks(hosts))
    command = [sys.executable, "-m", "weft", "run", "xray", "--on", f"{testbed}:{fabric}"]
    start = time.monotonic()
    child = subprocess.Popen([*command, "--out", str(out), *options], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{hosts} hosts: the run failed")
    elapsed_s = time.monotonic() - start
    processor_s = usage.ru_utime + usage.ru_stime
    return Cost(elapsed_s, processor_s, usage.ru_maxrss / 1e3), RunFolder.open(out)


def racks(hosts: int) -> str:
    """The fabric's file."""
    racks = hosts // PER_RACK
    return f"""
name = "racks-{hosts}"
[[hosts]]
ids = "n[1-{hosts}]"
attach = "rack[1-{racks}]"
per_switch = {PER_RACK}
link = {{ rate = "{PORT_MBPS} Mb/s", delay = "1 us" }}
[[links]]
between = ["rack[1-{racks}]", "core"]
rate = "{PORT_MBPS * PER_RACK // OVERSUBSCRIPTION} Mb/s"
delay = "1 us"
[[overrides]]
ids = "n{SLOW}"
link = {{ rate = "{SLOW_MBPS} Mb/s" }}
"""


def faults(found: LimitFindings, hosts: int, scale: float = 1.0) -> list[str]:
    """What was missed, what is not there, and capacities that are off."""
    groups = {
        tuple(f"n{host + 1}" for host in range(first, first + PER_RACK))
        for first in range(0, hosts, PER_RACK)
    }
    there = {(group, way) for group in groups for way in ("out", "in")}
    limits = {(_by_number(one.members), one.direction): one for one in found.limits}
    true_mbps = PAYLOAD * PORT_MBPS * PER_RACK / OVERSUBSCRIPTION * scale
    off = [
        one for one in limits.values() if abs(one.capacity_mbps.median / true_mbps - 1) > TOLERANCE
    ]
    slow = {one.name for one in found.slow}
    counted = {
        "limits missed": len(there - set(limits)),
        "limits that are not there": len(set(limits) - there),
        "capacities off": len(off),
        "wrong about what is slow": len(slow ^ {f"n{SLOW}"}),
        "undecided": len(found.undecided),
    }
    return [f"{count} {what}" for what, count in counted.items() if count]


def _by_number(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: int(re.sub(r"\D", "", name))))


if __name__ == "__main__":
    main()
