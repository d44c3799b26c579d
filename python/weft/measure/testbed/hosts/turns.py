"""Turns: so many logins at a time, of which those that hang do not hold up the rest."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

HOLD_S = 3.0
"""A login that takes longer makes room for the next one, as one that hangs does."""
USUAL_TIMES = 3.0
"""Where all logins are slow, one hangs when it takes so many times as long as the middle one of those that went well.

Else a machine that is the limit would get ever more of them at a time, until none ends in time.
"""


class Turns:
    """Lets `at_once` logins go on at a time."""

    def __init__(self, at_once: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._taken_s: list[float] = []

    async def take(self, start: Callable[[], Awaitable[T]]) -> T:
        """Start when there is a slot, and keep it until the end, or until this one seems to hang."""
        async with self._slots:
            begun_s = time.monotonic()
            task = asyncio.ensure_future(start())
            try:
                while not task.done() and (left_s := begun_s + self._hold_s - time.monotonic()) > 0:
                    await asyncio.wait({task}, timeout=left_s)
            except asyncio.CancelledError:
                task.cancel()
                raise
        result = await task
        self._taken_s.append(time.monotonic() - begun_s)
        return result

    @property
    def _hold_s(self) -> float:
        usual_s = statistics.median(self._taken_s) if self._taken_s else 0.0
        return max(HOLD_S, USUAL_TIMES * usual_s)
