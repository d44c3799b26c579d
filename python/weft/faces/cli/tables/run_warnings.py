"""Warnings of the runs behind a result, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from weft.faces.cli.tables.layout import titled
from weft.runs.run_warnings import RunWarning, lines


def print_run_warnings(console: Console, found: Sequence[RunWarning]) -> None:
    """Print each warning once; nothing if there are none."""
    if found:
        titled(console, "warnings of the measurements", *(f"  {line}" for line in lines(found)))
