"""Documents about a run that change while it measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.base.statistics import Floats
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.ensemble.matrix import RateMatrix, matrices
from weft.understand.ensemble.rates import MedianRates

Document = dict[str, object]

MOST_ROWS = 256
"""A larger matrix is shown by blocks of nodes, each by its slowest route."""


def matrix_document(run: RunFolder) -> Document:
    """The rates between nodes measured so far, a matrix for each step between many."""
    if not run.samples.num_rows:
        return {"matrices": []}
    found = matrices(run, MedianRates.of(run), least_share=0.0)
    return {"matrices": [_matrix(run.meta, one) for one in found]}


def _matrix(meta: RunMeta, one: RateMatrix) -> Document:
    block = -(-len(one.members) // MOST_ROWS)
    latency = None if one.latency_us is None else _blocks(one.latency_us, block, np.nanmax)
    return {
        "step": one.step,
        "name": meta.plan.steps[one.step].name,
        "pattern": one.pattern,
        "size_bytes": one.size_bytes,
        "nodes": list(one.names[::block]),
        "members": one.members[::block].tolist(),
        "nodes_per_row": block,
        "asked": one.asked,
        "measured": one.measured,
        "rate_mbps": _blocks(one.mbps, block, np.nanmin),
        "latency_us": latency,
    }


def _blocks(values: Floats, block: int, worst: Any) -> list[list[float | None]]:
    """Rows of rounded values, null if missing; the worst value of each block of nodes."""
    if block > 1:
        count = -(-len(values) // block)
        padded = np.full((count * block,) * 2, np.nan)
        padded[: len(values), : len(values)] = values
        parts = padded.reshape(count, block, count, block).swapaxes(1, 2).reshape(count, count, -1)
        none = np.isnan(parts).all(axis=2)
        parts[none] = 0.0
        values = np.where(none, np.nan, worst(parts, axis=2))
    return [[None if value != value else float(f"{value:.6g}") for value in row] for row in values]
