"""Reports the progress of a run to the user."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass


class Reporter:
    """Receives the progress of a run; this base class shows nothing."""

    def start(self, phases: int) -> None:
        """A run with this many phases starts."""

    def grow(self, phases: int) -> None:
        """Add this many phases."""

    def advance(self, phases: int) -> None:
        """This many phases are over."""

    def describe(self, text: str) -> None:
        """Show what is running now."""

    def announce(self, text: str) -> None:
        """Show what a user may want to know before the run goes on, such as its duration."""


Showing = Callable[[str], AbstractContextManager[Reporter]]
"""Shows the progress of a named task to the user."""


@contextmanager
def silent(what: str) -> Iterator[Reporter]:
    """A reporter that shows nothing."""
    yield Reporter()


@dataclass
class StepProgress:
    """Shows which phase of a step is running."""

    _reporter: Reporter
    _where: str
    _total: int
    _over: int = 0

    def __post_init__(self) -> None:
        self._describe()

    def grow(self, phases: int) -> None:
        """Add phases that were chosen."""
        self._total += phases
        self._reporter.grow(phases)
        self._describe()

    def over(self, phases: Collection[int]) -> None:
        """Note that phases are over."""
        self._over += len(phases)
        self._reporter.advance(len(phases))
        self._describe()

    def _describe(self) -> None:
        current = min(self._over + 1, self._total)
        self._reporter.describe(f"{self._where}, phase {current} of {self._total}")
