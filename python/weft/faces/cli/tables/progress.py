"""A progress bar on a terminal: the step, the share that is done, the time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from weft.faces.cli.tables.layout import Terminal
from weft.measure.execute.progress import Reporter

EVERY_S = 10.0
"""Without a terminal, the least time between two lines about what is running."""


class Bar(Reporter):
    """A progress bar that counts phases."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._total = 0
        self._task = bar.add_task("starting", total=None)

    def start(self, phases: int) -> None:
        self._total = phases
        self._bar.update(self._task, total=phases)

    def grow(self, phases: int) -> None:
        self.start(self._total + phases)

    def advance(self, phases: int) -> None:
        self._bar.advance(self._task, phases)

    def describe(self, text: str) -> None:
        self._bar.update(self._task, description=text)

    def announce(self, text: str) -> None:
        self._bar.console.print(text, soft_wrap=True, markup=False, highlight=False)


class LineProgress(Reporter):
    """Without a terminal: announcements, and what is running at most every EVERY_S seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said_s = monotonic()

    def describe(self, text: str) -> None:
        if monotonic() - self._said_s >= EVERY_S:
            self.announce(text)
            self._said_s = monotonic()

    def announce(self, text: str) -> None:
        self._console.print(text, soft_wrap=True, markup=False, highlight=False)


@contextmanager
def progress(unit: str = "phases") -> Iterator[Reporter]:
    """A reporter that shows progress in this unit, if standard error is a terminal."""
    console = Terminal(stderr=True)
    if not console.is_terminal:
        yield LineProgress(console)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}, left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield Bar(bar)
