"""Limits the number of logins at a time, without letting logins that hang hold up the rest."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

HOLD_S = 3.0
"""A login that takes longer no longer counts as running, so that the next one can start."""
USUAL_TIMES = 3.0
"""If all logins are slow, one counts as hanging when it takes this many times the median of successful logins.

Otherwise a machine that is the bottleneck would get more and more of them at a time, until none ended in time.
"""


class Turns:
    """Lets at most `at_once` logins run at a time."""

    def __init__(self, at_once: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._taken_s: list[float] = []

    async def take(self, start: Callable[[], Awaitable[T]]) -> T:
        """Start when there is a slot, and hold it until the end or until this login seems to hang."""
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
