"""What a benchmark runs on."""

from __future__ import annotations

import os
import platform
import re
from datetime import date
from pathlib import Path

from weft import __version__


def machine() -> str:
    """The line that a benchmark prints first: `where()`, weft's version and the day."""
    return f"machine: {where()}; weft {__version__}; {date.today().isoformat()}"


def where() -> str:
    """Processor, how many of them, kernel."""
    cpus, kernel = len(os.sched_getaffinity(0)), re.match(r"\d+\.\d+", platform.release())
    return f"{_processor()}, {cpus} cores, Linux {kernel[0] if kernel else '?'}"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
