"""Trials: what concurrent transfers got, read from a run's samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.diagnose.curve import Ints, column
from weft.diagnose.xray.experiment import Experiment, Members
from weft.statistics import Floats

_LEAST_MBPS = 1e-3
"""A flow that got nothing is taken for so much."""


def logs(mbps: Floats) -> Floats:
    """Natural logarithms of rates."""
    found: Floats = np.log(np.maximum(mbps, _LEAST_MBPS))
    return found


@dataclass(frozen=True)
class Trial:
    """One phase: flow i went from `src[i]` to `dst[i]` at `mbps[i]`, all at the same time, for `seconds`."""

    phase: int
    src: Ints
    dst: Ints
    mbps: Floats
    experiments: tuple[Experiment, ...] = ()
    seconds: float = 0.0

    @property
    def flows(self) -> list[tuple[int, int]]:
        return list(zip(self.src.tolist(), self.dst.tolist(), strict=True))

    def without(self, lost: Members) -> Trial:
        """The trial as if some nodes had never been there."""
        kept = ~(np.isin(self.src, list(lost)) | np.isin(self.dst, list(lost)))
        experiments = tuple(
            Experiment(one.kind, one.group - lost, one.within - lost) for one in self.experiments
        )
        return replace(self._only(kept), experiments=experiments)

    def of(self, within: Members) -> Trial:
        """The flows that start in a set of nodes."""
        return self._only(np.isin(self.src, list(within)))

    def _only(self, flows: npt.NDArray[np.bool_]) -> Trial:
        return replace(self, src=self.src[flows], dst=self.dst[flows], mbps=self.mbps[flows])


def trials(samples: pa.Table, step: int, records: Iterable[dict[str, Any]] = ()) -> list[Trial]:
    """The phases of a step in order; `records` are run.json's phases, which say what each was for.

    A transfer with several rows, of one launch or several, counts with all bytes over all time.
    """
    rows = samples.filter(pc.field("step") == step)
    purposes = {
        record["phase"]: tuple(Experiment.parse(text) for text in record["purpose"].split("; "))
        for record in records
        if record["step"] == step
    }
    sums: dict[int, dict[tuple[int, int], Floats]] = defaultdict(dict)
    moved = column(rows, "size_bytes") * column(rows, "messages") * 8e3
    keys = zip(
        *(column(rows, name).tolist() for name in ("phase", "src", "dst")),
        moved.tolist(),
        column(rows, "elapsed_ns").tolist(),
        strict=True,
    )
    for phase, src, dst, bits, elapsed_ns in keys:
        total = sums[phase].setdefault((src, dst), np.zeros(2))
        total += (bits, elapsed_ns)
    return [_trial(phase, sums[phase], purposes.get(phase, ())) for phase in sorted(sums)]


def _trial(
    phase: int, sums: dict[tuple[int, int], Floats], experiments: tuple[Experiment, ...]
) -> Trial:
    ends = np.array(list(sums), dtype=np.int64)
    totals = np.array(list(sums.values()))
    rates = totals[:, 0] / np.maximum(totals[:, 1], 1)
    seconds = float(np.median(totals[:, 1])) / 1e9
    return Trial(phase, ends[:, 0], ends[:, 1], rates, experiments, seconds)
