"""A bench before the other work of its machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

FIRST = -15
"""Nice value of the bench and of all that it starts."""
AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


@contextmanager
def precedence() -> Iterator[None]:
    """Needs root. A kernel that shares processors among sessions (autogroup) heeds nice inside of one only, and each
    agent has its own: it is told not to meanwhile, which is the whole machine's."""
    os.nice(FIRST)
    with kernel_setting(AUTOGROUP, "0") if AUTOGROUP.exists() else nullcontext():
        yield


@contextmanager
def kernel_setting(path: Path, value: str) -> Iterator[None]:
    """One that is put back at the end."""
    before = path.read_text()
    try:
        path.write_text(value)
        yield
    finally:
        path.write_text(before)
