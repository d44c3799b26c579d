"""Which rows measured a rate: a time window may have been too short, or have had no message."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.plan.plan import Step, TimeRule
from weft.runs.meta import RunMeta

LEAST_SHARE = 0.5
"""Minimum length of a window relative to the plan's. Agents guarantee it; those of earlier versions counted data that
had waited for a busy machine as if it had arrived within microseconds."""

CODE = "windows-empty"


def are_measured(
    steps: Sequence[Step], samples: pa.Table | pa.RecordBatch
) -> npt.NDArray[np.bool_]:
    """For each row, whether it is a measurement, O(n). A row of a step between many nodes is not if no whole message
    arrived, or its window is shorter than LEAST_SHARE of the plan's; it stays in the table, but counts in no rate."""
    least = np.array([_least(step) for step in steps] or [(0, 0.0)])
    messages, elapsed_ns = least[np.minimum(samples["step"].to_numpy(), len(least) - 1)].T
    found: npt.NDArray[np.bool_] = samples["messages"].to_numpy() >= messages
    found &= samples["elapsed_ns"].to_numpy() >= elapsed_ns
    return found


def warn_of_unmeasured(meta: RunMeta, samples: pa.Table) -> None:
    """Add a warning with the number of rows that are in no rate, and the first of them.

    A search repeats what it lacks, so there it only matters if no row of a step measured a node.
    """
    measured = are_measured(meta.plan.steps, samples)
    if meta.plan.is_search and not measured.all():
        measured = _have_another(samples, measured)
    unmeasured = np.flatnonzero(~measured)
    if not len(unmeasured):
        return
    first = samples.slice(int(unmeasured[0]), 1).to_pylist()[0]
    names = dict(enumerate(node["name"] for node in meta.nodes))
    src, dst = (names.get(first[end], "?") for end in ("src", "dst"))
    meta.warn(
        CODE,
        f"{len(unmeasured):,} of {len(samples):,} rows measured no rate, since their window of time was too short or "
        f"no whole message came in it: first {src} to {dst} in phase {first['phase']} of "
        f"{meta.plan.steps[first['step']].name}",
        "they are in samples.parquet, but in no rate, scale or sum; give the trials more time",
    )


def _have_another(samples: pa.Table, measured: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """For each row, whether its step measured something from its source, and something to its destination. O(n)."""
    step = samples["step"].to_numpy().astype(np.int64)
    found = np.ones(len(step), dtype=np.bool_)
    for end in ("src", "dst"):
        nodes = samples[end].to_numpy()
        code = step * (int(nodes.max()) + 1) + nodes
        found &= np.bincount(code, measured)[code] > 0
    return found


def _least(step: Step) -> tuple[int, float]:
    """Minimum number of messages and time (ns) of a measurement; no minimum time if the step is adaptive, since each of
    its phases has its own."""
    if not step.is_ensemble:
        return 0, 0.0
    if step.measures_latency or step.is_adaptive or not isinstance(step.stop, TimeRule):
        return 1, 0.0
    return 1, LEAST_SHARE * step.stop.trial_ns
