"""Interference: the slow-down of a victim beside each congestor."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.quantity import format_bytes
from weft.understand.drawing.figure import Figure
from weft.understand.drawing.forest import FAINT, STRONG, Forest, Twig
from weft.understand.kinds.interference.slow_down import SlowDown
from weft.understand.kinds.kind import ApplicationStep


def interference_figures(steps: Sequence[ApplicationStep], _: Sequence[str]) -> list[Figure]:
    """A row for each run, size and congestor; faint if the interval includes 1."""
    several = len(steps) > 1
    twigs = [_twig(step.label if several else "", one) for step in steps for one in step.results]
    caption = "Times as long as alone, by the median of its times, with the interval by launches. Faint: may be 1."
    title = "Interference: slow-down of a victim beside congestors"
    return [Forest("interference", title, caption, "Times as long as alone", twigs).figure()]


def _twig(label: str, one: SlowDown) -> Twig:
    name = f"{one.victim} {format_bytes(one.size_bytes)} beside {one.congestor}"
    may_be_one = one.slow_down.low <= 1.0 <= one.slow_down.high
    colour = FAINT if may_be_one else STRONG
    return Twig(f"{label}: {name}" if label else name, one.slow_down, colour)
