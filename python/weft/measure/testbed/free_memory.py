"""The memory that this machine has free."""

from __future__ import annotations

from pathlib import Path


def free_bytes() -> int:
    """What programs can have without others being swapped out, as the kernel estimates it; 0 where it does not say."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
