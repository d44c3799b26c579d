"""What a reader of probes does not take: counted, and said."""

from __future__ import annotations

_LONGEST = 60


class SkippedProbes:
    """Lines that are no probes."""

    def __init__(self) -> None:
        self._count = 0
        self._first = ""

    def add(self, number: int, line: str) -> None:
        """A line, by its number."""
        self._count += 1
        self._first = self._first or f"line {number}: {line.strip()[:_LONGEST]!r}"

    def notes(self) -> list[str]:
        """How many there were, and the first of them."""
        if not self._count:
            return []
        lines = (
            "1 line is no probe and was"
            if self._count == 1
            else f"{self._count} lines are no probes and were"
        )
        return [f"{lines} passed over, first {self._first}"]
