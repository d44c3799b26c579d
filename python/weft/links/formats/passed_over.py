"""Lines that a reader of probes skips, counted and reported."""

from __future__ import annotations

_LONGEST = 60


class SkippedProbes:
    """Counts lines that are no probes."""

    def __init__(self) -> None:
        self._count = 0
        self._first = ""

    def add(self, number: int, line: str) -> None:
        """Count a line with this number."""
        self._count += 1
        self._first = self._first or f"line {number}: {line.strip()[:_LONGEST]!r}"

    def notes(self) -> list[str]:
        """A note with the number of skipped lines and the first of them; none if there are none."""
        if not self._count:
            return []
        lines = (
            "1 line is no probe and was"
            if self._count == 1
            else f"{self._count} lines are no probes and were"
        )
        return [f"{lines} passed over, first {self._first}"]
