"""The thresholds of a run's curves: sizes of jumps, dips and kinks, their height, and the known limit there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.base.interval import Interval
from weft.base.quantity import format_bytes, significant
from weft.base.statistics import has_interval
from weft.network.model.thresholds import ThresholdCandidate, candidates
from weft.plan.plan import CONFIRMING_LAUNCHES
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.runs.missing import COMPUTED
from weft.understand.curve.curve import Curve, curves
from weft.understand.curve.known_sizes import KnownSize, known_sizes, name_of
from weft.understand.curve.pinning import Pin, curve_pins

MOST_LISTED = 5
"""The highest thresholds of a curve that are listed; the others are only counted."""


@dataclass(frozen=True)
class Threshold:
    """A threshold of a step's curve. `name` is the known limit between its sizes, None if there is none. `pin` is set
    for jumps of a step that pins them; `found` then has the sizes and the height of the pin."""

    step: int
    pattern: str
    transport: str
    found: ThresholdCandidate
    name: str | None
    pin: Pin | None = None

    @property
    def text(self) -> str:
        """For example "between 4,096 B and 4,099 B: jump, +38 % (36 to 41)"."""
        found = self.found
        named = f": {self.name}" if self.name else ""
        if self.pin:
            return f"{_place_of_pin(self.pin)}: jump, {height_text(found.height)}{_verdict(self.pin)}{named}"
        place = f"between {found.last_before:,} B and {found.first_after:,} B"
        if found.inside:
            place = f"at {' to '.join(f'{size:,}' for size in sorted({*found.inside[:1], *found.inside[-1:]}))} B"
        at = f" at {format_bytes(found.height_at_bytes)}" if found.kind == "kink" else ""
        return f"{place}: {found.kind}, {height_text(found.height)}{at}{named}"

    def to_json(self) -> dict[str, object]:
        """The threshold as `weft show --json` and `weft diagnose --json` print it."""
        own = {name: value for name, value in vars(self).items() if name not in ("found", "pin")}
        pinned = self.pin.to_json() if self.pin else {}
        return own | self.found.to_json() | pinned


def _place_of_pin(pin: Pin) -> str:
    """The first size after the jump if it is known to the byte, else the two sizes that enclose it."""
    if pin.state in ("confirmed", "pinned"):
        return f"{pin.after:,} B"
    return f"between {pin.before:,} B and {pin.after:,} B"


def _verdict(pin: Pin) -> str:
    if pin.state == "confirmed":
        return ", sure"
    if pin.state == "open":
        return ", not pinned: nothing more was decided in its time"
    count = len(pin.launches)
    again = (
        "it was not there"
        if pin.state == "refuted"
        else f"{count} of {CONFIRMING_LAUNCHES} found it again"
    )
    return f", not sure: of the later launches {again}"


def height_text(height: Interval) -> str:
    """The height in percent with its interval."""
    low, middle, high = (
        significant(100 * one, 3) for one in (height.low, height.median, height.high)
    )
    sign = "+" if height.median > 0 else ""
    return f"{sign}{middle} % ({low} to {high})"


def thresholds(run: RunFolder) -> list[Threshold]:
    """The thresholds of all curves of a run, by step, then size."""
    return [one for curve in curves(run) for one in curve_thresholds(run, curve)]


def curve_thresholds(run: RunFolder, curve: Curve) -> list[Threshold]:
    """The thresholds of one curve, by size, without jumps that the bisection did not find again.

    Dips are left out if the step pins jumps and only one or two launches measured all sizes: a brief disturbance of
    one launch looks like a dip, and dips are not measured again.
    """
    known = known_sizes(run.meta, curve.step)
    pins = {one.jump.candidate: one for one in curve_pins(run, curve)}
    is_coarse = _pins(run, curve.step) and not has_interval(len(curve.launches))
    found = ((one, pins.get(one)) for one in candidates(curve.sizes, curve.times_us))
    return [
        _threshold(curve, pin.as_candidate() if pin else one, pin, known)
        for one, pin in found
        if not (pin and pin.state == "absent") and not (one.kind == "dip" and is_coarse)
    ]


def _pins(run: RunFolder, step: int) -> bool:
    """Whether a step measures its jumps again; simulators do not, because nothing disturbs them."""
    return bool(run.meta.plan.steps[step].pin_ns) and run.meta.testbed.get("kind") not in COMPUTED


def _threshold(
    curve: Curve, found: ThresholdCandidate, pin: Pin | None, known: Sequence[KnownSize]
) -> Threshold:
    name = name_of(found, known)
    return Threshold(curve.step, curve.pattern, curve.transport, found, name, pin)


def highest(found: Sequence[Threshold]) -> tuple[list[Threshold], list[Threshold]]:
    """The highest of a curve's thresholds, by size, and the others."""
    by_height = sorted(found, key=lambda one: -abs(one.found.height.median))
    listed, others = by_height[:MOST_LISTED], by_height[MOST_LISTED:]
    return sorted(listed, key=lambda one: one.found.last_before), others


def threshold_lines(found: Sequence[Threshold]) -> list[str]:
    """A line for each of the highest thresholds of one curve, and one that counts the others."""
    listed, others = highest(found)
    lines = [one.text for one in listed]
    if others:
        most = 100 * abs(others[0].found.height.median)
        lines.append(f"and {len(others)} more, of {significant(most, 2)} % at most")
    return lines


def resolution_text(meta: RunMeta) -> str:
    """The resolution of thresholds, in words."""
    if any("bisects" in one for one in meta.phases):
        return "jumps to the byte"
    return "to the next size of this file" if meta.source else "to the next size measured"
