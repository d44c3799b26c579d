"""Probes of one link in one direction: what all of `diagnosis.links` works on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.statistics import Floats
from weft.links.analysis.local_time import USUAL
from weft.runs.probes import KINDS

_GAP_INTERVALS = 5
"""So many usual intervals without a probe, lost or not, are a gap: nothing was measured."""
_RANDOM_GAP_INTERVALS = 20
"""The same where the times of probes are a Poisson process, as owamp's are: by chance so long once in a million."""


_ORDER = tuple(map(KINDS.index, ("one-way", "icmp", "udp-echo", "tcp-echo", "tcp-connect")))
"""Which kind is analysed: what the kernel sends once and answers itself first, what it sends again last."""
_FEWEST_ANSWERS = 0.5
"""Of those of the kind that answers most; a kind with fewer is left for the next."""
_FIRST_WINDOW_BYTES = 10 * 1220
"""Ten segments, which a connection sends at once behind a pause (RFC 5681, 4.1; RFC 6928), with IPv6's least MTU."""

_LEAST_PAUSES = 3
_MOST_OF_A_ROUND = 100
"""Pauses between rounds are at least so many, alike, and one in so many steps: gaps are few."""


def link_name(src: str, dst: str, network: str) -> str:
    """Such as "a -> b", with the network where it is not the usual one."""
    return f"{src} -> {dst}" + (f" ({network})" if network else "")


@dataclass(frozen=True)
class Mark:
    """Something besides probes, such as "agent-stop", "clock-step" or "suspend"; in seconds since the series' start."""

    what: str
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class ProbeSeries:
    """Probes in the order of time. All arrays have one entry a probe.

    `start` is Unix time in seconds; `time_s` counts from it; `rtt_s` is NaN where nothing came back; `kind` has
    positions in `weft.runs.probes.KINDS`; `network` is "" for the usual one; hours of the week are of the
    `timezone`. Where answers were thinned, a probe `stands` for so many of its kind and size, itself and those behind
    it, which took `span_s`, 0 where it is one.
    """

    src: str
    dst: str
    start: float
    time_s: Floats
    rtt_s: Floats
    size_bytes: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int8]
    network: str = ""
    marks: tuple[Mark, ...] = ()
    stands: npt.NDArray[np.int64] | None = None
    span_s: Floats | None = None
    timezone: str = USUAL

    def __len__(self) -> int:
        return len(self.time_s)

    @property
    def lost(self) -> npt.NDArray[np.bool_]:
        """Whether nothing came back."""
        return np.isnan(self.rtt_s)

    @property
    def count(self) -> int:
        """Probes, those that were thinned among them."""
        return len(self) if self.stands is None else int(self.stands.sum())

    @property
    def answered(self) -> float:
        """The share of probes that were answered; those that were thinned were."""
        return 1 - float(self.lost.sum()) / max(self.count, 1)

    @cached_property
    def interval_s(self) -> float:
        """The usual time from one probe to the next; 0 for fewer than two."""
        if len(self) < 2:
            return 0.0
        if self.stands is None:
            return float(np.median(np.diff(self.time_s)))
        # Probes of several kinds and sizes: their rates add up.
        rates = [
            _rate(part.time_s, part.stands)
            for part in self.groups().values()
            if part.stands is not None
        ]
        return 1 / sum(rates) if sum(rates) else 0.0

    def positions(self) -> npt.NDArray[np.int64]:
        """For each probe about how many were before it, those that were thinned among them."""
        if self.stands is None:
            return np.arange(len(self))
        return np.asarray(np.cumsum(self.stands) - self.stands)

    def steps_s(self) -> Floats:
        """From each probe to the next, without what was thinned between."""
        if self.span_s is None:
            return np.diff(self.time_s)
        ends = np.maximum.accumulate(self.time_s + self.span_s)
        return np.asarray(np.maximum(self.time_s[1:] - ends[:-1], 0.0))

    def where(self, chosen: npt.NDArray[np.bool_]) -> ProbeSeries:
        """Only these probes."""
        return self.at(np.flatnonzero(chosen))

    def at(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64] | slice) -> ProbeSeries:
        """Only the probes at these positions; those of a slice are not copied."""
        return replace(
            self,
            time_s=self.time_s[chosen],
            rtt_s=self.rtt_s[chosen],
            size_bytes=self.size_bytes[chosen],
            kind=self.kind[chosen],
            stands=None if self.stands is None else self.stands[chosen],
            span_s=None if self.span_s is None else self.span_s[chosen],
        )

    def groups(self) -> dict[tuple[int, int], ProbeSeries]:
        """The probes of each kind and size, most answered ones first, small ones first among equals."""
        sizes = _distinct(self.size_bytes)
        names = [(kind, size) for kind in _distinct(self.kind) for size in sizes]
        found = [
            self.where((self.kind == kind) & (self.size_bytes == size)) for kind, size in names
        ]
        answered = [one.count - int(one.lost.sum()) for one in found]
        order = sorted(range(len(names)), key=lambda at: (-answered[at], *names[at][::-1]))
        return {names[at]: found[at] for at in order if len(found[at])}

    def main_kind(self) -> ProbeSeries:
        """The probes of the kind that `usual_kind` takes, whose times are the path's."""
        kind = usual_kind(self.kind, self.size_bytes, self.lost, self.stands)
        chosen = (self.kind == kind) & tells_beta(self.kind, self.size_bytes)
        return self if chosen.all() else self.where(chosen)

    def smallest(self) -> ProbeSeries:
        """The smallest probes of the main kind: those that show the path's own time."""
        main = self.main_kind()
        return main.where(main.size_bytes == main.size_bytes.min(initial=np.iinfo(np.int64).max))

    @property
    def longest_step_s(self) -> float:
        """The longest time between probes that is no gap: five usual intervals (of rounds, where probes come in such),
        twenty if all are one-way."""
        is_random = bool(np.all(self.kind == KINDS.index("one-way")))
        intervals = _RANDOM_GAP_INTERVALS if is_random else _GAP_INTERVALS
        return intervals * max(self.interval_s, self.between_rounds_s, 1e-9)

    @cached_property
    def between_rounds_s(self) -> float:
        """From the last probe of a round to the first of the next, where a few probes follow each other at once, as
        those of `ping -c 3` once in four minutes; 0 where they do not."""
        steps_s = self.steps_s()
        pauses_s = steps_s[steps_s > _GAP_INTERVALS * max(self.interval_s, 1e-9)]
        if len(pauses_s) < max(_LEAST_PAUSES, len(steps_s) / _MOST_OF_A_ROUND):
            return 0.0
        low, middle, high = np.quantile(pauses_s, [0.1, 0.5, 0.75])
        return float(middle) if low > middle / 1.5 and high < middle * 1.5 else 0.0

    def gaps(self) -> list[tuple[float, float]]:
        """From which probe (and the pause behind its round) to which there were none for longer than that."""
        found = np.flatnonzero(self.steps_s() > self.longest_step_s)
        pause_s = self.between_rounds_s
        return [(float(self.time_s[i]) + pause_s, float(self.time_s[i + 1])) for i in found]

    def stretches(self) -> npt.NDArray[np.int64]:
        """For each probe the number of gaps before it."""
        steps = np.append(0.0, self.steps_s())[: len(self)]
        return np.cumsum(steps > self.longest_step_s, dtype=np.int64)

    @property
    def measured_s(self) -> float:
        """The time that probes cover: first to last without gaps."""
        if len(self) < 2:
            return 0.0
        return float(self.time_s[-1] - self.time_s[0] - sum(e - b for b, e in self.gaps()))


def usual_kind(
    kind: npt.NDArray[np.int8],
    size_bytes: npt.NDArray[np.int64],
    lost: npt.NDArray[np.bool_],
    stands: npt.NDArray[np.int64] | None = None,
) -> int:
    """The kind to analyse: the first of a fixed order that answers at least half as much as the best, by its smallest
    probes, since large ones may be filtered alone.

    Which of two kinds answers more hangs on single losses, and TCP is sent again by the kernel.
    """
    asked = _count(kind, stands, slice(None))
    answers = np.full(len(KINDS), -1.0)
    for size in _distinct(size_bytes):
        small = size_bytes == size
        sent, answered = _count(kind, stands, small), _count(kind, stands, small & ~lost)
        is_new = (answers < 0) & (sent > 0)
        # As if all sizes of a kind were answered as its smallest is.
        answers[is_new] = (asked * answered)[is_new] / sent[is_new]
    enough = _FEWEST_ANSWERS * answers.max()
    return next((one for one in _ORDER if answers[one] >= max(enough, 0.0)), _ORDER[0])


def _count(
    kind: npt.NDArray[np.int8],
    stands: npt.NDArray[np.int64] | None,
    chosen: npt.NDArray[np.bool_] | slice,
) -> Floats:
    """Probes of each kind, those that were thinned among them."""
    weights = None if stands is None else stands[chosen]
    return np.bincount(kind[chosen], weights, len(KINDS)).astype(np.float64)


def tells_beta(
    kind: npt.NDArray[np.int8], size_bytes: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Whether each probe takes one round trip: not where TCP waits for acknowledgements, as it must behind a pause."""
    return np.asarray((kind != KINDS.index("tcp-echo")) | (size_bytes <= _FIRST_WINDOW_BYTES))


def _distinct(values: npt.NDArray[np.integer]) -> list[int]:
    """The values there are, in order; hashing is much faster than sorting where they are few."""
    return sorted(pc.unique(pa.array(values)).to_pylist())


def _rate(time_s: Floats, stands: npt.NDArray[np.int64]) -> float:
    """Usual probes a second of one kind and size: the median step, each as often as there were probes in it."""
    if len(time_s) < 2:
        return 0.0
    steps_s = np.diff(time_s) / stands[:-1]
    order = np.argsort(steps_s)
    behind = np.cumsum(stands[:-1][order])
    return 1 / max(float(steps_s[order][np.searchsorted(behind, behind[-1] / 2)]), 1e-9)
