"""What a benchmark ran on, in a line."""

from __future__ import annotations

import os
import platform
from datetime import date
from pathlib import Path

from weft import __version__


def machine() -> str:
    """Processor, how many of them, kernel, weft and the day."""
    cpus = len(os.sched_getaffinity(0))
    return (
        f"machine: {_processor()} ({cpus} cores), Linux {platform.release()}; weft {__version__}; "
        f"{date.today().isoformat()}"
    )


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
