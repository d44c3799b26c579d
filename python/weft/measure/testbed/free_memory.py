"""The free memory of this machine."""

from __future__ import annotations

from pathlib import Path


def free_bytes() -> int:
    """Memory in bytes that programs can use without swapping, by the kernel's estimate; 0 if unknown."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
