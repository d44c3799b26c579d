"""The outlines in a map of all pairs, and the sentences that explain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from weft.base.alike import listed
from weft.base.statistics import Floats
from weft.understand.drawing.figure import Row
from weft.understand.ensemble.matrix import RateMatrix
from weft.understand.report.ensemble import EnsembleRun, EnsembleStep

MOST_NAMED = 8
Ends: TypeAlias = tuple[str | None, str | None]
"""Sender and receiver; None means all."""
Route: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class RemeasuredMap:
    """Results of measurements after a map. `mbps` and, by message size, one-way `times_us` are those of routes that
    were measured again, alone; the ends `at_fault` are outlined instead of those that first looked slow."""

    mbps: Mapping[Route, float] = field(default_factory=dict)
    times_us: Mapping[tuple[Route, int], float] = field(default_factory=dict)
    at_fault: Sequence[Ends] = ()

    def of(self, matrix: RateMatrix) -> dict[Route, float]:
        """The second values of a map's routes, in its unit."""
        if matrix.latency_us is None:
            return dict(self.mbps)
        return {
            route: time
            for (route, size), time in self.times_us.items()
            if size == matrix.size_bytes
        }


@dataclass(frozen=True)
class OutlinedEnds:
    """Ends that are outlined for the same reason; `why` begins the sentence that names them."""

    why: str
    ends: Sequence[Ends]

    @property
    def text(self) -> str:
        return f"{self.why}: {listed(list(map(_name, self.ends)), MOST_NAMED)}."


def outlined(
    one: EnsembleRun, step: EnsembleStep, second: RemeasuredMap | None
) -> list[OutlinedEnds]:
    """The slow ends of a map of rates, by reason; empty for a map of latencies."""
    if step.is_latency:
        return []
    if second is not None:
        found = [OutlinedEnds("Outlined in red is what is at fault", second.at_fault)]
    else:
        slow = list(dict.fromkeys(_slow_ends(one)))
        odd = [ends for ends in _odd_ends(one, step) if ends not in slow]
        alone = (
            "Outlined in red is a route that is slower than its sender and receiver are with others"
        )
        found = [OutlinedEnds("Outlined in red is what is slow", slow), OutlinedEnds(alone, odd)]
    return [each for each in found if each.ends]


def rectangles(ends: Sequence[Ends], names: Sequence[str]) -> list[Row]:
    """Rectangles around these ends, by the order of the names; ends of other nodes are left out."""
    place = {name: i for i, name in enumerate(names)}
    return [mark for each in dict.fromkeys(ends) if (mark := _rectangle(each, place, len(names)))]


def replaced(values: Floats, second: Mapping[Route, float], names: Sequence[str]) -> Floats:
    """A map's values, with those that were measured again replaced."""
    place, found = {name: i for i, name in enumerate(names)}, values.copy()
    for (src, dst), value in second.items():
        if src in place and dst in place and np.isfinite(value):
            found[place[src], place[dst]] = value
    return found


def _slow_ends(one: EnsembleRun) -> Iterator[Ends]:
    for slow in one.findings.slow:
        if slow.kind == "route":
            yield slow.nodes[0], slow.nodes[-1]
            continue
        for node in slow.nodes:
            yield from node_ends(node, slow.direction)


def node_ends(node: str, direction: str | None) -> Iterator[Ends]:
    """A node's row for "out", its column for "in", else both."""
    if direction != "in":
        yield node, None
    if direction != "out":
        yield None, node


def _odd_ends(one: EnsembleRun, step: EnsembleStep) -> Iterator[Ends]:
    # A search has repeated every odd cell alone, so those that it does not name were due to chance.
    was_searched = any(each.kind == "xray" for each in one.steps)
    for cell in step.effects.cells if step.effects and not was_searched else ():
        yield cell.src, cell.dst


def _name(ends: Ends) -> str:
    src, dst = ends
    if src is not None and dst is not None:
        return f"{src} to {dst}"
    return f"all that {dst} receives" if src is None else f"all that {src} sends"


def _rectangle(ends: Ends, place: Mapping[str, int], count: int) -> Row | None:
    if not all(end is None or end in place for end in ends):
        return None
    (top, bottom), (left, right) = (
        (0, count) if end is None else (place[end], place[end] + 1) for end in ends
    )
    return {"left": left, "right": right, "top": top, "bottom": bottom}
