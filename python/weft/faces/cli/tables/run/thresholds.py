"""Thresholds as text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from weft.faces.cli.tables.layout import titled
from weft.runs.meta import RunMeta
from weft.understand.curve.thresholds import Threshold, resolution_text, threshold_lines


def print_thresholds(found: Sequence[Threshold], meta: RunMeta, console: Console) -> None:
    """Print the thresholds of each curve, by size."""
    for step in sorted({one.step for one in found}):
        of_step = [one for one in found if one.step == step]
        first = of_step[0]
        title = f"thresholds of {first.pattern} over {first.transport}, {resolution_text(meta)}"
        titled(console, title, *(f"  {line}" for line in threshold_lines(of_step)))
