"""Probes of one link in one direction, the input of `weft.links.analysis`."""

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
"""A gap (nothing was measured) is this many usual intervals without a probe, lost or not."""
_RANDOM_GAP_INTERVALS = 20
"""Gap length if probe times are a Poisson process, as with owamp: one in a million intervals is as long by chance."""


_ORDER = tuple(map(KINDS.index, ("one-way", "icmp", "udp-echo", "tcp-echo", "tcp-connect")))
"""Preference of kinds for analysis: first those that the kernel sends once and answers itself, last those that it
retransmits."""
_FEWEST_ANSWERS = 0.5
"""Minimum answered share relative to the best kind; otherwise the next kind is used."""
_FIRST_WINDOW_BYTES = 10 * 1220
"""Ten segments, the initial window of a connection after an idle time (RFC 5681, 4.1; RFC 6928), with IPv6's minimum
MTU."""

_LEAST_PAUSES, _MOST_OF_A_ROUND = 3, 100
"""Pauses count as those between rounds if they are similar and at least one in this many steps; gaps are rarer."""


def link_name(src: str, dst: str, network: str) -> str:
    """Such as "a -> b", with the network unless it is the default one."""
    return f"{src} -> {dst}" + (f" ({network})" if network else "")


@dataclass(frozen=True)
class Mark:
    """An event besides probes, such as "agent-stop", "clock-step" or "suspend"; in seconds since the series' start."""

    what: str
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class ProbeSeries:
    """Probes in order of time; arrays have one entry a probe.

    `start` is Unix time in seconds; `time_s` counts from it; `rtt_s` is NaN for lost probes; `kind` has indices into
    `weft.runs.probes.KINDS`; `network` is "" for the default one; hours of the week are those of `timezone`. If answers
    were thinned, a probe `stands` for that many of its kind and size, itself and those after it, which span `span_s` (0
    for one).
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
        """Whether each probe was lost."""
        return np.isnan(self.rtt_s)

    @property
    def count(self) -> int:
        """Number of probes, including those that were thinned."""
        return len(self) if self.stands is None else int(self.stands.sum())

    @property
    def answered(self) -> float:
        """The share of probes that were answered; thinned probes were."""
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
        """For each probe, the approximate number before it, including those that were thinned."""
        if self.stands is None:
            return np.arange(len(self))
        return np.asarray(np.cumsum(self.stands) - self.stands)

    def steps_s(self) -> Floats:
        """Seconds from each probe to the next, without the span of thinned probes between."""
        if self.span_s is None:
            return np.diff(self.time_s)
        ends = np.maximum.accumulate(self.time_s + self.span_s)
        return np.asarray(np.maximum(self.time_s[1:] - ends[:-1], 0.0))

    def where(self, chosen: npt.NDArray[np.bool_]) -> ProbeSeries:
        """Only these probes."""
        return self.at(np.flatnonzero(chosen))

    def at(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64] | slice) -> ProbeSeries:
        """Only the probes at these positions; a slice is not copied."""
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
        """The probes of each kind and size, by answered share (highest first), then size (smallest first)."""
        sizes = _distinct(self.size_bytes)
        names = [(kind, size) for kind in _distinct(self.kind) for size in sizes]
        found = [
            self.where((self.kind == kind) & (self.size_bytes == size)) for kind, size in names
        ]
        answered = [one.count - int(one.lost.sum()) for one in found]
        order = sorted(range(len(names)), key=lambda at: (-answered[at], *names[at][::-1]))
        return {names[at]: found[at] for at in order if len(found[at])}

    def main_kind(self) -> ProbeSeries:
        """The probes of the kind that `usual_kind` selects, whose times are those of the path."""
        kind = usual_kind(self.kind, self.size_bytes, self.lost, self.stands)
        chosen = (self.kind == kind) & tells_beta(self.kind, self.size_bytes)
        return self if chosen.all() else self.where(chosen)

    def smallest(self) -> ProbeSeries:
        """The smallest probes of the main kind, which show the path's own time."""
        main = self.main_kind()
        return main.where(main.size_bytes == main.size_bytes.min(initial=np.iinfo(np.int64).max))

    @property
    def longest_step_s(self) -> float:
        """The longest time between probes that is no gap: five usual intervals (of rounds, if probes come in rounds),
        twenty if all probes are one-way."""
        is_random = bool(np.all(self.kind == KINDS.index("one-way")))
        intervals = _RANDOM_GAP_INTERVALS if is_random else _GAP_INTERVALS
        return intervals * max(self.interval_s, self.between_rounds_s, 1e-9)

    @cached_property
    def between_rounds_s(self) -> float:
        """The time from the last probe of a round to the first of the next, if probes come in rounds, as those of `ping
        -c 3` every four minutes; else 0."""
        steps_s = self.steps_s()
        pauses_s = steps_s[steps_s > _GAP_INTERVALS * max(self.interval_s, 1e-9)]
        if len(pauses_s) < max(_LEAST_PAUSES, len(steps_s) / _MOST_OF_A_ROUND):
            return 0.0
        low, middle, high = np.quantile(pauses_s, [0.1, 0.5, 0.75])
        return float(middle) if low > middle / 1.5 and high < middle * 1.5 else 0.0

    def gaps(self) -> list[tuple[float, float]]:
        """Spans without probes that are longer than `longest_step_s`, from one probe (plus the pause after its round)
        to the next."""
        found = np.flatnonzero(self.steps_s() > self.longest_step_s)
        pause_s = self.between_rounds_s
        return [(float(self.time_s[i]) + pause_s, float(self.time_s[i + 1])) for i in found]

    def stretches(self) -> npt.NDArray[np.int64]:
        """For each probe, the number of gaps before it."""
        steps = np.append(0.0, self.steps_s())[: len(self)]
        return np.cumsum(steps > self.longest_step_s, dtype=np.int64)

    @property
    def measured_s(self) -> float:
        """The time that probes cover: first to last, without gaps."""
        if len(self) < 2:
            return 0.0
        return float(self.time_s[-1] - self.time_s[0] - sum(e - b for b, e in self.gaps()))


def usual_kind(
    kind: npt.NDArray[np.int8],
    size_bytes: npt.NDArray[np.int64],
    lost: npt.NDArray[np.bool_],
    stands: npt.NDArray[np.int64] | None = None,
) -> int:
    """The kind to analyse: the first in `_ORDER` whose smallest probes are answered at least half as often as those of
    the best kind. Large probes may be filtered, so they do not count.

    The best kind alone would depend on single losses, and TCP hides losses by retransmission.
    """
    asked = _count(kind, stands, slice(None))
    answers = np.full(len(KINDS), -1.0)
    for size in _distinct(size_bytes):
        small = size_bytes == size
        sent, answered = _count(kind, stands, small), _count(kind, stands, small & ~lost)
        is_new = (answers < 0) & (sent > 0)
        # As if all sizes of a kind were answered as often as the smallest.
        answers[is_new] = (asked * answered)[is_new] / sent[is_new]
    enough = _FEWEST_ANSWERS * answers.max()
    return next((one for one in _ORDER if answers[one] >= max(enough, 0.0)), _ORDER[0])


def _count(
    kind: npt.NDArray[np.int8],
    stands: npt.NDArray[np.int64] | None,
    chosen: npt.NDArray[np.bool_] | slice,
) -> Floats:
    """Probes of each kind, including those that were thinned."""
    weights = None if stands is None else stands[chosen]
    return np.bincount(kind[chosen], weights, len(KINDS)).astype(np.float64)


def tells_beta(
    kind: npt.NDArray[np.int8], size_bytes: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Whether each probe takes one round trip; not if TCP must wait for acknowledgements, as after an idle time."""
    return np.asarray((kind != KINDS.index("tcp-echo")) | (size_bytes <= _FIRST_WINDOW_BYTES))


def _distinct(values: npt.NDArray[np.integer]) -> list[int]:
    """The distinct values, sorted; hashing is much faster than sorting if they are few."""
    return sorted(pc.unique(pa.array(values)).to_pylist())


def _rate(time_s: Floats, stands: npt.NDArray[np.int64]) -> float:
    """Usual probes a second of one kind and size: from the median step, weighted by the probes that it stands for."""
    if len(time_s) < 2:
        return 0.0
    steps_s = np.diff(time_s) / stands[:-1]
    order = np.argsort(steps_s)
    behind = np.cumsum(stands[:-1][order])
    return 1 / max(float(steps_s[order][np.searchsorted(behind, behind[-1] / 2)]), 1e-9)
