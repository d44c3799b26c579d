"""Results that need not be computed again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Found = TypeVar("Found")


class TurnCache:
    """Keeps what was asked for in this turn and the one before; what a whole turn did not ask for is dropped."""

    def __init__(self) -> None:
        self._now: dict[Hashable, object] = {}
        self._before: dict[Hashable, object] = {}

    def turn(self) -> None:
        """Another turn begins."""
        self._before, self._now = self._now, {}

    def get(self, key: Hashable, work_out: Callable[[], Found]) -> Found:
        """What `work_out` gives, or gave for this key; the key says all that it depends on."""
        if key not in self._now:
            self._now[key] = self._before[key] if key in self._before else work_out()
        found: Found = self._now[key]  # type: ignore[assignment]
        return found
