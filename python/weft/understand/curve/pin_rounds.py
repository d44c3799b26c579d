"""The rounds in which sizes around a jump were compared, from the samples of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.base.statistics import Floats
from weft.runs.meta import RunMeta
from weft.runs.records.records import ChosenPhase, Role
from weft.understand.curve.curve import Ints, column

Compared = tuple[Role, tuple[int, ...]]
Rounds = dict[Compared, dict[int, Floats]]
"""By comparison and launch: the log time of each size (columns) in each round (rows)."""


@dataclass(frozen=True)
class JumpRounds:
    """The rounds of a jump so far, and the time spent on those that bisect it."""

    rounds: Rounds
    spent_ns: int

    def pooled(self, compared: Compared) -> Floats:
        """The rounds of all launches, concatenated."""
        found = list(self.rounds.get(compared, {}).values())
        return np.concatenate(found) if found else np.empty((0, len(compared[1])))

    @property
    def bisected_in(self) -> set[int]:
        """The launches that took part in the bisection."""
        return {
            launch
            for (role, _), found in self.rounds.items()
            if role != "confirms"
            for launch in found
        }


NOTHING = JumpRounds({}, 0)


def rounds_of(meta: RunMeta, samples: pa.Table, step: int) -> dict[tuple[int, ...], JumpRounds]:
    """The measurements of each jump of a step so far, by the jump's `start`; O(n log n) in the step's rows."""
    rows = _Rows.of(samples, step)
    rounds: dict[tuple[int, ...], Rounds] = {}
    spent_ns: dict[tuple[int, ...], int] = {}
    for first in _first_phases(meta, step):
        bisects, launch = first["bisects"], first["launch"]
        start, sizes, role = tuple(bisects["start"]), tuple(bisects["sizes"]), bisects["role"]
        trial = rows.of_trial(launch, first["phase"], len(sizes))
        if not len(trial.phase):
            continue
        found = rounds.setdefault(start, {}).setdefault((role, sizes), {})
        earlier = found.get(launch, np.empty((0, len(sizes))))
        found[launch] = np.concatenate([earlier, trial.rounds(first["phase"], len(sizes))])
        spent_ns[start] = spent_ns.get(start, 0) + trial.spent_ns * (role != "confirms")
    return {start: JumpRounds(found, spent_ns[start]) for start, found in rounds.items()}


def _first_phases(meta: RunMeta, step: int) -> Iterator[ChosenPhase]:
    """The first phase of each trial, which is the one of its first size."""
    for one in meta.phases:
        sizes = one["bisects"]["sizes"] if "bisects" in one else []
        if one["step"] == step and sizes[:1] == [one["size_bytes"]]:
            yield one


@dataclass(frozen=True)
class _Rows:
    """Batches whose messages arrived, sorted by `code`, which combines launch and phase."""

    code: Ints
    phase: Ints
    batch: Ints
    messages: Ints
    elapsed_ns: Ints

    @classmethod
    def of(cls, samples: pa.Table, step: int) -> _Rows:
        names = ("phase", "batch", "messages", "elapsed_ns")
        code = column(samples, "launch") << 32 | column(samples, "phase")
        rows = cls(code, *(column(samples, name) for name in names))
        kept = np.flatnonzero((column(samples, "step") == step) & (rows.messages > 0))
        return rows._only(kept[np.argsort(code[kept], kind="stable")])

    @property
    def spent_ns(self) -> int:
        return int(self.elapsed_ns.sum())

    def of_trial(self, launch: int, first: int, sizes: int) -> _Rows:
        """The rows of a launch in the `sizes` consecutive phases from `first`."""
        bounds = [launch << 32 | phase for phase in (first, first + sizes)]
        return self._only(slice(*np.searchsorted(self.code, bounds)))

    def rounds(self, first: int, sizes: int) -> Floats:
        """The log times (rounds x sizes) of the rounds that measured every size, in chronological order."""
        table = np.full((int(self.batch.max()) + 1, sizes), np.nan)
        times_ns = np.maximum(self.elapsed_ns, 1) / self.messages
        table[self.batch, self.phase - first] = np.log(times_ns)
        whole: Floats = table[~np.isnan(table).any(axis=1)]
        return whole

    def _only(self, rows: Ints | slice) -> _Rows:
        return _Rows(*(value[rows] for value in vars(self).values()))
