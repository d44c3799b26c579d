"""Sizes at which a curve of times changes: jumps, kinks and dips, located between measured sizes.

A curve is divided into straight pieces (`weft.network.model.partition`). Pieces of few sizes between two that lie on
one line are dips. At each other border, the lines of both sides through the nearest sizes are compared in each launch:
if they differ in level, it is a jump; if they meet but differ in slope, a kink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from weft.base.interval import Interval
from weft.base.statistics import Floats, has_interval
from weft.network.model.noisy_curve import LogContrast, NoisyCurve
from weft.network.model.partition import (
    PARAMETERS,
    TimeLine,
    fit_line,
    line_weights,
    misfits,
    partition,
    places,
)

FALSE_FINDS = 0.005
"""The share of curves without thresholds, with noise as modelled, in which one may be found."""
LEAST_JUMP = 0.02
"""Minimum relative height: lower jumps are too small to act on, and no curve is exactly straight."""
LEAST_DIP = 0.05
LEAST_KINK = 0.10
"""Minimum relative deviation from the line of the smaller sizes, at KINK_REACH times the size at the latest."""
KINK_REACH = 4.0
MOST_DIP = 3
"""Maximum number of distinct sizes in a dip."""
NEAREST = 6
"""Number of sizes on each side that determine the line: farther off, the curve may be bent."""
LEAST_SIDE = 3
"""Minimum number of places on each side of a threshold: with fewer, it is unknown whether the curve returns."""

Kind = Literal["jump", "kink", "dip"]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ThresholdCandidate:
    """A threshold between two measured sizes.

    `last_before` and `first_after` are the sizes on either side: adjacent ones at a jump and usually at a kink, and
    those around a dip, whose own sizes are `inside`. `height` is relative, with its interval over launches (0.38: 38 %
    longer): at a jump where both lines are closest, at a dip from the line, at a kink from the line of the smaller
    sizes; at the size `height_at_bytes`. `before` and `after` predict the time of a message of any size nearby, below
    and above the threshold.
    """

    kind: Kind
    last_before: int
    first_after: int
    inside: tuple[int, ...]
    height: Interval
    height_at_bytes: int
    before: TimeLine
    after: TimeLine

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "last_before_bytes": self.last_before,
            "first_after_bytes": self.first_after,
            "inside_bytes": self.inside,
            "height": self.height,
            "height_at_bytes": self.height_at_bytes,
            "before": vars(self.before),
            "after": vars(self.after),
        }


def candidates(
    sizes: npt.ArrayLike, times_us: npt.ArrayLike, false_finds: float = FALSE_FINDS
) -> list[ThresholdCandidate]:
    """The thresholds of a curve, by size; none at its first and last sizes, where they cannot be detected.

    `times_us` has one-way times of shape (sizes, launches), NaN if a launch did not measure a size; sizes ascend. A
    curve without thresholds gets one with probability `false_finds`. O(n^2) in the sizes.
    """
    if np.asarray(times_us).shape[0] < 2 * LEAST_SIDE:
        return []
    curve = NoisyCurve.of(sizes, times_us)
    return _Search(curve, false_finds / len(curve.sizes)).run()


@dataclass(frozen=True)
class _Search:
    """`alpha` is the error probability of each border."""

    curve: NoisyCurve
    alpha: float

    def run(self) -> list[ThresholdCandidate]:
        """Remove dips from the curve until none is left, since the sizes around a dip are one piece; then classify the
        borders."""
        rows = np.arange(len(self.curve.sizes))
        dips: list[ThresholdCandidate] = []
        while True:
            pieces = self._partition(rows)
            found = self._dip(pieces)
            if found is None:
                break
            inside, dip = found
            dips += [dip] if dip else []
            rows = np.setdiff1d(rows, inside)
        sides = [at for at, piece in enumerate(pieces) if self._is_side(piece)]
        borders = [one for i, j in pairwise(sides) for one in self._between(pieces[i : j + 1])]
        return sorted([*dips, *borders], key=lambda one: one.last_before)

    def _partition(self, rows: Indices) -> list[Indices]:
        curve = self.curve
        pieces = partition(curve.sizes[rows], curve.levels_us[rows], curve.errors[rows])
        return [rows[list(piece)] for piece in pieces]

    def _is_side(self, rows: Indices) -> bool:
        return _places(self.curve.sizes[rows]) >= LEAST_SIDE

    def _dip(self, pieces: Sequence[Indices]) -> tuple[Indices, ThresholdCandidate | None] | None:
        """The first short piece between two that one line fits, and its threshold; None if there is none."""
        for before, inside, after in zip(pieces, pieces[1:], pieces[2:], strict=False):
            is_short = len(inside) <= MOST_DIP or _places(self.curve.sizes[inside]) == 1
            if is_short and self._is_one_line(before, after):
                return inside, self._measured_dip(before, inside, after)
        return None

    def _is_one_line(self, before: Indices, after: Indices) -> bool:
        if not (self._is_side(before) and self._is_side(after)):
            return False
        apart = self._misfit(before) + self._misfit(after)
        allowed = PARAMETERS * np.log(len(self.curve.sizes))
        return bool(self._misfit(np.concatenate([before, after])) <= apart + allowed)

    def _misfit(self, rows: Indices) -> float:
        curve = self.curve
        return float(misfits(curve.sizes[rows], curve.levels_us[rows], curve.errors[rows])[0, -1])

    def _measured_dip(
        self, before: Indices, inside: Indices, after: Indices
    ) -> ThresholdCandidate | None:
        around = np.concatenate([before[-NEAREST:], after[:NEAREST]])
        line, apart = self._off_line(inside, around)
        if not self._is_change(apart, LEAST_DIP):
            return None
        sizes = self.curve.sizes[inside]
        said = tuple(int(size) for size in sizes)
        return self._candidate("dip", before, after, apart, float(sizes.mean()), (line, line), said)

    def _off_line(self, rows: Indices, around: Indices) -> tuple[TimeLine, LogContrast]:
        """The line around some sizes, and their distance from it."""
        sizes = self.curve.sizes[rows]
        line = self._line(around)
        weights = -self._log_weights(around, float(sizes.mean()))
        weights[rows] = 1 / len(rows)
        expected = np.maximum(line.predict(sizes), np.finfo(np.float64).tiny)
        value = float(np.mean(np.log(self.curve.levels_us[rows] / expected)))
        return line, self.curve.contrast(weights, value)

    def _is_change(self, apart: LogContrast, least: float) -> bool:
        return apart.is_sure(self.alpha) and abs(np.expm1(apart.value)) >= least

    def _between(self, pieces: Sequence[Indices]) -> list[ThresholdCandidate]:
        """The thresholds between the first and the last of some pieces, of which the inner ones are short."""
        if len(pieces) == 3 and (steps := self._stairs(*pieces)):
            return steps
        found = self._border(pieces[0], pieces[-1])
        return [found] if found else []

    def _stairs(self, before: Indices, middle: Indices, after: Indices) -> list[ThresholdCandidate]:
        """Two jumps in one direction with a few sizes between them; empty if these have no level of their own."""
        below, up = self._off_line(middle, before[-NEAREST:])
        above, down = self._off_line(middle, after[:NEAREST])
        is_one_way = up.value * down.value < 0
        if not (is_one_way and all(self._is_change(one, LEAST_JUMP) for one in (up, down))):
            return []
        ends = (self.curve.sizes[middle[0]], self.curve.sizes[middle[-1]])
        lines = (below, below.times(np.exp(up.value))), (above.times(np.exp(down.value)), above)
        return [
            self._candidate("jump", before, middle, up, float(ends[0]), lines[0]),
            self._candidate("jump", middle, after, down.reversed(), float(ends[1]), lines[1]),
        ]

    def _border(self, before: Indices, after: Indices) -> ThresholdCandidate | None:
        """The threshold between two pieces; None if there is none."""
        near = before[-NEAREST:], after[:NEAREST]
        lines = self._line(near[0]), self._line(near[1])
        last, first = float(self.curve.sizes[before[-1]]), float(self.curve.sizes[after[0]])
        at_last, at_first = (self._step(near, lines, at) for at in (last, first))
        if at_last is None or at_first is None:
            return None
        is_one_way = at_last.value * at_first.value > 0
        at, step = min((last, at_last), (first, at_first), key=lambda end: abs(end[1].value))
        if is_one_way and self._is_change(step, LEAST_JUMP):
            return self._candidate("jump", before, after, step, at, lines)
        return self._kink(before, after)

    def _kink(self, before: Indices, after: Indices) -> ThresholdCandidate | None:
        """A kink where two lines meet, if that is between the two pieces.

        One or two launches prove none: a temporary disturbance of a launch bends its curve too.
        """
        sizes = self.curve.sizes
        sides = before[-2 * NEAREST :], after[: 2 * NEAREST]
        lines = self._line(sides[0]), self._line(sides[1])
        steeper = lines[1].us_per_byte - lines[0].us_per_byte
        meets = (lines[0].start_up_us - lines[1].start_up_us) / steeper if steeper else np.inf
        if not sizes[before[-NEAREST:][0]] <= meets <= sizes[after[:NEAREST][-1]]:
            return None
        at = float(min(sizes[after[-1]], KINK_REACH * meets))
        bend = self._step(sides, lines, at)
        if bend is None or not has_interval(len(bend.launches)):
            return None
        if not self._is_change(bend, LEAST_KINK):
            return None
        before = before[sizes[before] <= meets]
        after = after[sizes[after] >= meets]
        return self._candidate("kink", before, after, bend, at, lines)

    def _candidate(
        self,
        kind: Kind,
        before: Indices,
        after: Indices,
        height: LogContrast,
        at_bytes: float,
        lines: tuple[TimeLine, TimeLine],
        inside: tuple[int, ...] = (),
    ) -> ThresholdCandidate:
        last, first = (int(self.curve.sizes[row]) for row in (before[-1], after[0]))
        found = height.interval
        relative = Interval(
            *(float(np.expm1(one)) for one in (found.median, found.low, found.high))
        )
        return ThresholdCandidate(kind, last, first, inside, relative, round(at_bytes), *lines)

    def _step(
        self, sides: tuple[Indices, Indices], lines: tuple[TimeLine, TimeLine], at_bytes: float
    ) -> LogContrast | None:
        """The distance between the lines of two sides at a size; None if one is negative there."""
        below, above = (float(line.predict(at_bytes)) for line in lines)
        if min(below, above) <= 0:
            return None
        weights = self._log_weights(sides[1], at_bytes) - self._log_weights(sides[0], at_bytes)
        return self.curve.contrast(weights, float(np.log(above / below)))

    def _line(self, rows: Indices) -> TimeLine:
        curve = self.curve
        return fit_line(curve.sizes[rows], curve.levels_us[rows], curve.errors[rows])

    def _log_weights(self, rows: Indices, at_bytes: float) -> Floats:
        """The relative change of the line's value at a size by a relative change of each level."""
        curve = self.curve
        levels = curve.levels_us[rows]
        shares = line_weights(curve.sizes[rows], levels, curve.errors[rows], at_bytes) * levels
        found = np.zeros(len(curve.sizes))
        found[rows] = shares / shares.sum()
        return found


def _places(sizes: Floats) -> int:
    return int(places(sizes)[-1]) if len(sizes) else 0
