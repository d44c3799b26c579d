"""Trials: the rates of concurrent transfers, read from a run's samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.statistics import Floats
from weft.runs.experiment import Experiment, experiments_of
from weft.runs.records.records import ChosenPhase
from weft.understand.curve.curve import Ints, column, group_slices, group_starts, joint_code
from weft.understand.xray.flows import Members, is_in

_LEAST_MBPS = 1e-3
"""The rate assumed for a flow that got nothing, for its logarithm."""


def logs(mbps: Floats) -> Floats:
    """Natural logarithms of rates."""
    found: Floats = np.log(np.maximum(mbps, _LEAST_MBPS))
    return found


@dataclass(frozen=True)
class FlowTrial:
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

    def without(self, lost: Members) -> FlowTrial:
        """The trial without some nodes and their flows."""
        kept = ~(is_in(lost)[self.src] | is_in(lost)[self.dst])
        experiments = tuple(
            Experiment(one.kind, one.group - lost, one.within - lost) for one in self.experiments
        )
        return replace(self._only(kept), experiments=experiments)

    def of(self, within: Members) -> FlowTrial:
        """The trial with only the flows that start in a set of nodes."""
        return self._only(is_in(within)[self.src])

    def _only(self, flows: npt.NDArray[np.bool_]) -> FlowTrial:
        return replace(self, src=self.src[flows], dst=self.dst[flows], mbps=self.mbps[flows])


def trials(samples: pa.Table, step: int, records: Iterable[ChosenPhase] = ()) -> list[FlowTrial]:
    """The phases of a step in order; `records` are the phases in run.json, which give their purposes.

    The rate of a transfer with several rows is all bytes over all time.
    """
    rows = samples.filter(pc.field("step") == step)
    purposes = {
        record["phase"]: experiments_of(record) for record in records if record["step"] == step
    }
    keys = [column(rows, name) for name in ("phase", "src", "dst")]
    bits = column(rows, "size_bytes") * column(rows, "messages") * 8e3
    order = np.argsort(joint_code(rows, ["phase", "src", "dst"]), kind="stable")
    phase, src, dst = (key[order] for key in keys)
    starts = group_starts(phase, src, dst)
    if len(starts) == 0:
        return []
    totals = [np.add.reduceat(each[order], starts) for each in (bits, column(rows, "elapsed_ns"))]
    # Within a phase flows keep the order of their first rows, on which the search's choices depend.
    seen = np.lexsort((order[starts], phase[starts]))
    phase, src, dst = (key[starts][seen] for key in (phase, src, dst))
    moved, elapsed_ns = (total[seen] for total in totals)
    return [
        FlowTrial(
            int(phase[of.start]),
            src[of],
            dst[of],
            moved[of] / np.maximum(elapsed_ns[of], 1),
            purposes.get(int(phase[of.start]), ()),
            float(np.median(elapsed_ns[of])) / 1e9,
        )
        for of in group_slices(phase)
    ]
