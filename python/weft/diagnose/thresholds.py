"""What a run says of sizes at which its curves change: where, how, how far, and what is known to end there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.diagnose.curve import Curve, curves
from weft.diagnose.known_sizes import known_sizes, name_of
from weft.model.thresholds import Candidate, candidates
from weft.quantity import format_bytes, significant
from weft.run.folder import Run
from weft.run.meta import RunMeta

MOST_LISTED = 5
"""Of more thresholds in a curve the highest are listed and the others counted."""


@dataclass(frozen=True)
class Threshold:
    """A threshold of a step's curve. `name` is what is known to end between its sizes, None where nothing agrees."""

    step: int
    pattern: str
    transport: str
    found: Candidate
    name: str | None

    @property
    def text(self) -> str:
        """Such as: between 4,096 B and 4,099 B: jump of +38 % (36 to 41)."""
        found = self.found
        place = f"between {found.last_before:,} B and {found.first_after:,} B"
        if found.inside:
            place = f"at {' to '.join(f'{size:,}' for size in sorted({*found.inside[:1], *found.inside[-1:]}))} B"
        at = f" at {format_bytes(found.height_at_bytes)}" if found.kind == "kink" else ""
        named = f": {self.name}" if self.name else ""
        return f"{place}: {found.kind}, {height_text(found)}{at}{named}"

    def to_json(self) -> dict[str, object]:
        """As `weft show --json` and `weft diagnose --json` print it."""
        own = {name: value for name, value in vars(self).items() if name != "found"}
        return own | self.found.to_json()


def height_text(found: Candidate) -> str:
    """The height in percent with its interval."""
    low, middle, high = (
        significant(100 * one, 3)
        for one in (found.height.low, found.height.median, found.height.high)
    )
    sign = "+" if found.height.median > 0 else ""
    return f"{sign}{middle} % ({low} to {high})"


def thresholds(run: Run) -> list[Threshold]:
    """The thresholds of all curves of a run, by step, then size."""
    return [one for curve in curves(run) for one in curve_thresholds(run.meta, curve)]


def curve_thresholds(meta: RunMeta, curve: Curve) -> list[Threshold]:
    """The thresholds of one curve, by size."""
    known = known_sizes(meta, curve.step)
    return [
        Threshold(curve.step, curve.pattern, curve.transport, one, name_of(one, known))
        for one in candidates(curve.sizes, curve.times_us)
    ]


def highest(found: Sequence[Threshold]) -> tuple[list[Threshold], list[Threshold]]:
    """The highest of a curve's thresholds, by size, and the others."""
    by_height = sorted(found, key=lambda one: -abs(one.found.height.median))
    listed, others = by_height[:MOST_LISTED], by_height[MOST_LISTED:]
    return sorted(listed, key=lambda one: one.found.last_before), others


def threshold_lines(found: Sequence[Threshold]) -> list[str]:
    """A line for each threshold of one curve, or for the highest of many."""
    listed, others = highest(found)
    lines = [one.text for one in listed]
    if others:
        most = 100 * abs(others[0].found.height.median)
        lines.append(f"and {len(others)} more, of {significant(most, 2)} % at most")
    return lines


def resolution_text(meta: RunMeta) -> str:
    """How exactly thresholds are known."""
    return "to the next size of this file" if meta.source else "to the next size measured"
