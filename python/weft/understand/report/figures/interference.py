"""Interference: the slow-down of a victim beside each congestor."""

from __future__ import annotations

from weft.base.quantity import format_bytes
from weft.understand.kinds.interference.kind import INTERFERENCE
from weft.understand.kinds.interference.slow_down import SlowDown
from weft.understand.report.figures.drawing.figure import Figure
from weft.understand.report.figures.forest import FAINT, STRONG, Forest, Twig
from weft.understand.report.material import ReportMaterial


def interference_figures(material: ReportMaterial) -> list[Figure]:
    """A row for each run, size and congestor; faint if the interval includes 1."""
    steps = material.of_kind(INTERFERENCE)
    several = len(steps) > 1
    twigs = [_twig(step.label if several else "", one) for step in steps for one in step.results]
    if not twigs:
        return []
    caption = "Times as long as alone, by the median of its times, with the interval by launches. Faint: may be 1."
    title = "Interference: slow-down of a victim beside congestors"
    return [Forest("interference", title, caption, "Times as long as alone", twigs).figure()]


def _twig(label: str, one: SlowDown) -> Twig:
    name = f"{one.victim} {format_bytes(one.size_bytes)} beside {one.congestor}"
    may_be_one = one.slow_down.low <= 1.0 <= one.slow_down.high
    colour = FAINT if may_be_one else STRONG
    return Twig(f"{label}: {name}" if label else name, one.slow_down, colour)
