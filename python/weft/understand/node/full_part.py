"""Saturated parts of simulated nodes: from which size on, the benefit of a faster one, and the next limit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from weft.base.errors import WeftError
from weft.base.nodeset import fold
from weft.base.quantity import format_bytes, format_mbps
from weft.base.result import Documented
from weft.runs.folder import RunFolder
from weft.understand.node.faster import Faster, NodeModel, part_text
from weft.understand.node.occupation import Busy, occupation

FULL = 0.95
"""A part that is busy for at least this share of the time is full."""
MOST_BYTES = 16 << 20
"""The largest message with which a faster part is simulated, which takes about a second."""
_NEAR = 0.1
PATTERNS = ("pingpong", "stream")


@dataclass(frozen=True)
class FullPart(Documented):
    """A `part` of `nodes` that is busy for at least 95 % of the time at all sizes from `from_bytes` on, and for `share`
    of it at `size_bytes`. `faster` is the benefit of a faster part; None if it cannot be simulated."""

    DERIVED = ("text",)

    step: str
    part: str
    nodes: tuple[str, ...]
    from_bytes: int
    size_bytes: int
    share: float
    faster: Faster | None

    @property
    def text(self) -> str:
        """The finding in one sentence."""
        start = f"from {format_bytes(self.from_bytes)} on"
        share = f"{100 * min(self.share, 1.0):.1f} % of the time at {format_bytes(self.size_bytes)}"
        full = f"{part_text(self.part)} of {fold(self.nodes)} is full {start} ({share})"
        gain = f"; {gain_text(self.faster)}" if self.faster else ""
        return f"{self.step}: {full}{gain}."


def gain_text(faster: Faster) -> str:
    """The simulated rates with a faster part, and the next limit, in words."""
    if faster.brings == 1.0:
        return "simulated, a faster one alone brings nothing"
    is_near = abs(faster.much.times / faster.twice.times - 1) < _NEAR
    shown = [faster.much, faster.all] if is_near else [faster.twice, faster.much, faster.all]
    given = sorted(shown, key=lambda one: one.times)
    sped = ", ".join(f"{format_mbps(one.rate_mbps)} with {one.value}" for one in given)
    now = f"{format_mbps(faster.rate_mbps)} with {faster.now}"
    after = (
        f"{part_text(faster.next_part)} limits" if faster.next_part else "several limit together"
    )
    return f"messages of {format_bytes(faster.size_bytes)} get {now} and, simulated, {sped}; beyond, {after}"


def full_parts(run: RunFolder) -> list[FullPart]:
    """The full parts of a run, those first whose speed-up helps most; empty unless nodes were simulated."""
    if run.meta.testbed.get("kind") != "node":
        return []
    found = [one for index in _steps(run) for one in _of_step(run, index)]
    return sorted(found, key=lambda one: one.faster.brings if one.faster else 0.0, reverse=True)


def _steps(run: RunFolder) -> Iterator[int]:
    """The steps in which only the size of messages varies."""
    for index, step in enumerate(run.meta.plan.steps):
        if step.pattern.kind in PATTERNS and step.pattern.has_curve:
            yield index


def _of_step(run: RunFolder, index: int) -> Iterator[FullPart]:
    step = run.meta.plan.steps[index]
    by_part: dict[str, dict[str, list[Busy]]] = defaultdict(lambda: defaultdict(list))
    for busy in occupation(run):
        if busy.step == index:
            by_part[busy.part][busy.node].append(busy)
    for part, by_node in by_part.items():
        full = {name: _full_from(rows) for name, rows in by_node.items()}
        of = {name: rows for name, rows in full.items() if rows}
        if not of:
            continue
        first = min((rows for rows in of.values()), key=lambda rows: rows[0].size_bytes)
        yield FullPart(
            step.name,
            part,
            tuple(of),
            first[0].size_bytes,
            first[-1].size_bytes,
            first[-1].share,
            _faster(run, index, part, first),
        )


def _full_from(rows: list[Busy]) -> list[Busy]:
    """The largest sizes, in ascending order, at all of which the part is full."""
    found: list[Busy] = []
    for busy in sorted(rows, key=lambda one: one.size_bytes, reverse=True):
        if busy.share < FULL:
            break
        found.append(busy)
    return found[::-1]


def _faster(run: RunFolder, index: int, part: str, full: list[Busy]) -> Faster | None:
    """The benefit of a faster part; None if the run has no valid description of its machine, or if the part is full
    only with messages above MOST_BYTES."""
    asked = [one for one in full if one.size_bytes <= MOST_BYTES]
    if not asked or "machine" not in run.meta.testbed:
        return None
    step, busy = run.meta.plan.steps[index], asked[-1]
    try:
        return NodeModel(run.meta.testbed, step, busy.phase, busy.size_bytes).faster(part)
    except WeftError:
        return None
