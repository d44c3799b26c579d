"""Properties of this machine that make measurements steady, and its capacity."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

from weft.operate.doctor.row import DoctorRow, answer

AREA = "machine"
ENOUGH_FILES = 4096
"""A few open files for each node of a large cluster."""
ENOUGH_BYTES = 1 << 30
_CPU = Path("/sys/devices/system/cpu")
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_GOOD_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase")
"""Clocks that are read without a system call."""


def machine() -> Iterator[DoctorRow]:
    """Processors, clock, limits and disk."""
    yield from (_pinning(), _governor(), _clock(), _files(), _locked(), _disk())


def _pinning() -> DoctorRow:
    usable = sorted(os.sched_getaffinity(0))
    try:
        os.sched_setaffinity(0, {usable[0]})
        os.sched_setaffinity(0, usable)
        can = True
    except OSError:
        can = False
    state = "partly" if can and len(usable) < 2 else answer(can)
    seen = f"{len(usable)} processors may be used"
    get = "" if state == "yes" else "two processors at least, so that agents do not share one"
    return DoctorRow(AREA, "CPU pinning", state, seen, "agents that stay on a processor", get)


def _governor() -> DoctorRow:
    policies = [_read(path) for path in _CPU.glob("cpu*/cpufreq/scaling_governor")]
    found = sorted({policy for policy in policies if policy})
    needed_for = "latencies that do not wait for a processor to speed up"
    if not found:
        return DoctorRow(
            AREA,
            "frequency governor",
            "partly",
            "not said here (often so in virtual machines)",
            needed_for,
        )
    is_good = found == ["performance"]
    get = "" if is_good else "cpupower frequency-set -g performance"
    return DoctorRow(
        AREA,
        "frequency governor",
        "yes" if is_good else "partly",
        ", ".join(found),
        needed_for,
        get,
    )


def _clock() -> DoctorRow:
    found, needed_for = _read(_CLOCK), "times that cost little to take"
    if not found:
        return DoctorRow(
            AREA, "clock source", "partly", "not said here (is /sys mounted?)", needed_for
        )
    is_good = found in _GOOD_CLOCKS
    get = (
        ""
        if is_good
        else "the kernel's parameter clocksource=tsc, where the processor has a steady one"
    )
    return DoctorRow(AREA, "clock source", "yes" if is_good else "partly", found, needed_for, get)


def _files() -> DoctorRow:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    is_enough = hard in (-1, resource.RLIM_INFINITY) or hard >= ENOUGH_FILES
    get = "" if is_enough else f"ulimit -n {ENOUGH_FILES}, or LimitNOFILE= of the service"
    seen = "no limit" if hard in (-1, resource.RLIM_INFINITY) else f"{hard} at most"
    return DoctorRow(
        AREA, "open files", "yes" if is_enough else "partly", seen, "clusters of many nodes", get
    )


def _locked() -> DoctorRow:
    hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    needed_for = "MPI over InfiniBand"
    if hard in (-1, resource.RLIM_INFINITY):
        return DoctorRow(AREA, "locked memory", "yes", "no limit", needed_for)
    get = "ulimit -l unlimited, or memlock in /etc/security/limits.conf"
    return DoctorRow(AREA, "locked memory", "partly", f"{hard >> 10} KiB at most", needed_for, get)


def _disk() -> DoctorRow:
    free = shutil.disk_usage(".").free
    is_enough = free >= ENOUGH_BYTES
    get = "" if is_enough else "free some, or give --out a folder elsewhere"
    return DoctorRow(
        AREA,
        "disk space here",
        "yes" if is_enough else "partly",
        f"{free / 1e9:.1f} GB free",
        "run folders",
        get,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
