"""A cache of results between turns of a search."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Found = TypeVar("Found")


class TurnCache:
    """Keeps results that were used in this turn or the previous one."""

    def __init__(self) -> None:
        self._now: dict[Hashable, object] = {}
        self._before: dict[Hashable, object] = {}

    def turn(self) -> None:
        """Begins a new turn."""
        self._before, self._now = self._now, {}

    def get(self, key: Hashable, work_out: Callable[[], Found]) -> Found:
        """The result of `work_out`, cached by a key that must include all of its inputs."""
        if key not in self._now:
            self._now[key] = self._before[key] if key in self._before else work_out()
        found: Found = self._now[key]  # type: ignore[assignment]
        return found
