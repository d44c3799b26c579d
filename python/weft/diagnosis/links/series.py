"""Probes of one link in one direction: what all of `diagnosis.links` works on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from weft.runs.probes import KINDS
from weft.statistics import Floats

_GAP_INTERVALS = 5
"""So many usual intervals without a probe, lost or not, are a gap: nothing was measured."""
_RANDOM_GAP_INTERVALS = 20
"""The same where the times of probes are a Poisson process, as owamp's are: by chance so long once in a million."""


@dataclass(frozen=True)
class Mark:
    """Something besides probes, such as "agent-stop", "clock-step" or "suspend"; in seconds since the series' start."""

    what: str
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class Series:
    """Probes in the order of time. All arrays have one entry a probe.

    `start` is Unix time in seconds; `time_s` counts from it; `rtt_s` is NaN where nothing came back; `kind` has
    positions in `weft.runs.probes.KINDS`; `network` is "" for the usual one.
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

    def __len__(self) -> int:
        return len(self.time_s)

    @property
    def lost(self) -> npt.NDArray[np.bool_]:
        """Whether nothing came back."""
        return np.isnan(self.rtt_s)

    @property
    def interval_s(self) -> float:
        """The usual time from one probe to the next; 0 for fewer than two."""
        return float(np.median(np.diff(self.time_s))) if len(self) > 1 else 0.0

    def where(self, chosen: npt.NDArray[np.bool_]) -> Series:
        """Only these probes."""
        return self.at(chosen)

    def at(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64] | slice) -> Series:
        """Only the probes at these positions; those of a slice are not copied."""
        return replace(
            self,
            time_s=self.time_s[chosen],
            rtt_s=self.rtt_s[chosen],
            size_bytes=self.size_bytes[chosen],
            kind=self.kind[chosen],
        )

    def groups(self) -> dict[tuple[int, int], Series]:
        """The probes of each kind and size, most answered ones first, small ones first among equals."""
        keys, group = np.unique(
            np.stack([self.kind.astype(np.int64), self.size_bytes]), axis=1, return_inverse=True
        )
        answered = np.bincount(group.ravel()[~self.lost], minlength=keys.shape[1])
        order = sorted(range(keys.shape[1]), key=lambda one: (-answered[one], *keys[::-1, one]))
        return {
            (int(keys[0, one]), int(keys[1, one])): self.where(group.ravel() == one)
            for one in order
        }

    def main_kind(self) -> Series:
        """The probes of the kind with most answers."""
        answered = np.bincount(self.kind[~self.lost], minlength=len(KINDS))
        return self.where(self.kind == int(np.argmax(answered)))

    def smallest(self) -> Series:
        """The smallest probes of the main kind: those that show the path's own time."""
        main = self.main_kind()
        return main.where(main.size_bytes == main.size_bytes.min(initial=np.iinfo(np.int64).max))

    @property
    def longest_step_s(self) -> float:
        """The longest time between probes that is no gap: five usual intervals, twenty if all are one-way."""
        is_random = bool(np.all(self.kind == KINDS.index("one-way")))
        intervals = _RANDOM_GAP_INTERVALS if is_random else _GAP_INTERVALS
        return intervals * max(self.interval_s, 1e-9)

    def gaps(self) -> list[tuple[float, float]]:
        """From which probe to which there were none for longer than that."""
        found = np.flatnonzero(np.diff(self.time_s) > self.longest_step_s)
        return [(float(self.time_s[i]), float(self.time_s[i + 1])) for i in found]

    def stretches(self) -> npt.NDArray[np.int64]:
        """For each probe the number of gaps before it."""
        steps = np.diff(self.time_s, prepend=self.time_s[:1])
        return np.cumsum(steps > self.longest_step_s, dtype=np.int64)

    @property
    def measured_s(self) -> float:
        """The time that probes cover: first to last without gaps."""
        if len(self) < 2:
            return 0.0
        return float(self.time_s[-1] - self.time_s[0] - sum(e - b for b, e in self.gaps()))
