"""Telling people how far a run is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol


class Progress(Protocol):
    """Hears how far the run is."""

    def start(self, phases: int) -> None: ...
    def grow(self, phases: int) -> None: ...
    def advance(self, phases: int) -> None: ...
    def describe(self, text: str) -> None: ...


class StepProgress:
    """Shows which phase of a step runs."""

    def __init__(self, progress: Progress, where: str, phases: int) -> None:
        self._progress = progress
        self._where = where
        self._total = phases
        self._over = 0
        self._describe()

    def grow(self, phases: int) -> None:
        """More phases were chosen."""
        self._total += phases
        self._progress.grow(phases)
        self._describe()

    def over(self, phases: Collection[int]) -> None:
        """Phases are over."""
        self._over += len(phases)
        self._progress.advance(len(phases))
        self._describe()

    def _describe(self) -> None:
        current = min(self._over + 1, self._total)
        self._progress.describe(f"{self._where}, phase {current} of {self._total}")
