"""Keeps the server small. Imports nothing that imports Arrow, before which it must be called."""

from __future__ import annotations

import ctypes
import os

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Constants of <malloc.h>."""
_MAPPED_BYTES = 64 << 10
"""Larger blocks are mapped, and unmapped when they are freed."""


def save_memory() -> None:
    """Return memory to the system as soon as it is freed."""
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    c = ctypes.CDLL(None)
    c.mallopt(_M_ARENA_MAX, 1)
    c.mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
