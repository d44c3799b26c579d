"""Telling people how far a run is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass


class Reporter:
    """Hears how far the run is; this one shows nothing of it."""

    def start(self, phases: int) -> None:
        """So many are to be run."""

    def grow(self, phases: int) -> None:
        """So many more."""

    def advance(self, phases: int) -> None:
        """So many are over."""

    def describe(self, text: str) -> None:
        """What runs now."""

    def announce(self, text: str) -> None:
        """What a user may want to know before it goes on, such as how long it will take."""


Showing = Callable[[str], AbstractContextManager[Reporter]]
"""Shows a user how far what is named is."""


@contextmanager
def silent(what: str) -> Iterator[Reporter]:
    """Shows nothing."""
    yield Reporter()


@dataclass
class StepProgress:
    """Shows which phase of a step runs."""

    _reporter: Reporter
    _where: str
    _total: int
    _over: int = 0

    def __post_init__(self) -> None:
        self._describe()

    def grow(self, phases: int) -> None:
        """More phases were chosen."""
        self._total += phases
        self._reporter.grow(phases)
        self._describe()

    def over(self, phases: Collection[int]) -> None:
        """Phases are over."""
        self._over += len(phases)
        self._reporter.advance(len(phases))
        self._describe()

    def _describe(self) -> None:
        current = min(self._over + 1, self._total)
        self._reporter.describe(f"{self._where}, phase {current} of {self._total}")
