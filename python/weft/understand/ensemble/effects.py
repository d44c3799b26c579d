"""What explains a matrix of rates: blocks of nodes, senders, receivers, and cells that stand out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.base.statistics import MAD_TO_SD, Floats
from weft.understand.curve.curve import Ints
from weft.understand.ensemble.blocks import (
    FEWEST_NODES,
    LEAST_EFFECT,
    are_clear,
    block_labels,
    block_logs,
)
from weft.understand.ensemble.matrix import RateMatrix

DEVIATIONS = 5.0
"""An outlier is at least this many robust standard deviations away, which noise alone almost never is."""

LEAST_PROBABILITY = 0.65
"""A node stands out only if one of its routes is slower than one of the others with at least this probability: in
rounds so short that many routes carried nothing, a node's median is zero as soon as slightly more of its routes are."""

_ZERO_BELOW_FASTEST = 1e4
_SWEEPS = 10


@dataclass(frozen=True)
class NodeEffect:
    """A node that sends ("out") or receives ("in") at `factor` times the rate of its peers."""

    node: str
    direction: str
    factor: float


@dataclass(frozen=True)
class Cell:
    """A single route that is slower than its sender, its receiver and its block explain."""

    src: str
    dst: str
    rate_mbps: float
    expected_mbps: float


@dataclass(frozen=True)
class Block:
    """The median rate from one group of nodes to another, or inside one group."""

    src: tuple[str, ...]
    dst: tuple[str, ...]
    rate_mbps: float


@dataclass(frozen=True)
class Effects:
    """A decomposed matrix: rate = block x sender x receiver x residual.

    `out_factors` and `in_factors` hold each node's effect, 1 for an ordinary node; `nodes`, `cells`
    and `blocks` are the outliers, the worst first. `blocks` is empty unless all blocks are clearly
    separated; the diagnosis looks for their limits.
    """

    step: int
    names: tuple[str, ...]
    out_factors: Floats
    in_factors: Floats
    nodes: list[NodeEffect]
    cells: list[Cell]
    blocks: list[Block]

    def to_json(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "out": dict(zip(self.names, self.out_factors.tolist(), strict=True)),
            "in": dict(zip(self.names, self.in_factors.tolist(), strict=True)),
            "nodes": self.nodes,
            "cells": self.cells,
            "blocks": self.blocks,
        }


def effects_of(matrix: RateMatrix) -> Effects | None:
    """Decompose a matrix; None if it has too few nodes, or fewer than half of its cells."""
    logs = _logs(matrix.mbps)
    if len(logs) < FEWEST_NODES or matrix.measured < matrix.asked / 2:
        return None
    labels = block_labels(logs)
    of_block = block_logs(logs, labels)
    rows, columns, left = median_polish(logs - of_block)
    return Effects(
        step=matrix.step,
        names=matrix.names,
        out_factors=np.exp(rows),
        in_factors=np.exp(columns),
        nodes=_standing_out(matrix.names, rows, columns, left),
        cells=_odd_cells(matrix, logs, labels, left),
        blocks=_blocks(matrix.names, of_block, labels) if are_clear(logs, labels) else [],
    )


def median_polish(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Effects of rows, effects of columns, and residuals of a table, in which missing cells are NaN.

    Medians of rows and columns are subtracted in turn, so that a few outlying cells have no influence (J. W. Tukey,
    "Exploratory Data Analysis", 1977, chapter 11). Effects are relative to their own median, the ordinary node.
    """
    left = values.copy()
    rows, columns = np.zeros(len(left)), np.zeros(left.shape[1])
    for _ in range(_SWEEPS):
        step = _medians(left, 1)
        left -= step[:, np.newaxis]
        rows += step
        step = _medians(left, 0)
        left -= step
        columns += step
    return rows - np.median(rows), columns - np.median(columns), left


def _logs(mbps: Floats) -> Floats:
    """Logarithms of rates; a rate of zero counts as a small fraction of the fastest."""
    fastest = np.nanmax(mbps, initial=0.0) or 1.0
    logs: Floats = np.log(np.maximum(mbps, fastest / _ZERO_BELOW_FASTEST))
    return logs


def _medians(values: Floats, axis: int) -> Floats:
    """Medians along an axis, ignoring NaN; zero if all are NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        middle = np.nanmedian(values, axis=axis)
    return np.nan_to_num(middle)


def _threshold(values: Floats) -> float:
    """How far below zero a value must lie to be an outlier."""
    return max(LEAST_EFFECT, deviation(values))


def deviation(values: Floats) -> float:
    """How far from the median a value must lie to be an outlier, by the median absolute deviation."""
    known = values[~np.isnan(values)]
    return DEVIATIONS * MAD_TO_SD * float(np.median(np.abs(known - np.median(known))))


def _standing_out(
    names: tuple[str, ...], rows: Floats, columns: Floats, left: Floats
) -> list[NodeEffect]:
    found = [
        NodeEffect(names[i], direction, math.exp(effects[i]))
        for direction, effects, rest in (("out", rows, left), ("in", columns, left.T))
        for i in np.flatnonzero(
            (effects < -_threshold(effects))
            & (_probability_below(effects[:, np.newaxis] + rest) > LEAST_PROBABILITY)
        )
    ]
    return sorted(found, key=lambda effect: effect.factor)


def _probability_below(values: Floats) -> Floats:
    """For each row the probability that a random cell of it is below a random cell of the other rows.

    Source: A. Vargha and H. D. Delaney, "A Critique and Improvement of the CL Common Language Effect Size
    Statistics", Journal of Educational and Behavioral Statistics 25, 2000.
    """
    # Imported here to keep start-up fast.
    from scipy.stats import rankdata

    known = ~np.isnan(values)
    own = np.maximum(known.sum(axis=1), 1)
    ranks = np.nansum(rankdata(values, nan_policy="omit", axis=None).reshape(values.shape), axis=1)
    others = np.maximum(known.sum() - own, 1)
    below: Floats = 1 - (ranks - own * (own + 1) / 2) / (own * others)
    return below


def _odd_cells(matrix: RateMatrix, logs: Floats, labels: Ints, left: Floats) -> list[Cell]:
    """Cells far below what their sender and their receiver reach in that block, and what concurrent routes reach.

    The least of the three is the expected rate: limits do not multiply, since a slow sender is no slower behind a slow
    uplink. Routes of the same phase between the same blocks share that uplink, and their number varies by phase.
    """
    of_nodes = np.minimum(_reached(logs, labels), _reached(logs.T, labels).T)
    expected = np.fmin(of_nodes, _beside(logs, labels, matrix.phase))
    odd = np.argwhere(logs < expected - _threshold(left))
    cells = [
        Cell(
            matrix.names[src],
            matrix.names[dst],
            float(matrix.mbps[src, dst]),
            math.exp(expected[src, dst]),
        )
        for src, dst in odd
    ]
    return sorted(cells, key=lambda cell: cell.rate_mbps)


def _reached(logs: Floats, labels: Ints) -> Floats:
    """For each cell, the median of its row over the columns in the block of its receiver."""
    reached = np.zeros_like(logs)
    for each in np.unique(labels):
        reached[:, labels == each] = _medians(logs[:, labels == each], 1)[:, np.newaxis]
    return reached


def _beside(logs: Floats, labels: Ints, phase: Ints) -> Floats:
    """For each cell, the median of the other cells of its phase and blocks; NaN if there are none."""
    beside = np.full_like(logs, np.nan)
    pair_of_blocks = labels[:, np.newaxis] * (labels.max() + 1) + labels
    shared = phase * (pair_of_blocks.max() + 1) + pair_of_blocks
    known = np.flatnonzero(phase >= 0)
    order = known[np.argsort(shared.flat[known], kind="stable")]
    for cells in np.split(order, np.flatnonzero(np.diff(shared.flat[order])) + 1):
        values = logs.flat[cells]
        for at, cell in enumerate(cells):
            if len(cells) > 1:
                beside.flat[cell] = np.median(np.delete(values, at))
    return beside


def _blocks(names: tuple[str, ...], of_block: Floats, labels: Ints) -> list[Block]:
    choices = np.unique(labels)
    members = {each: np.flatnonzero(labels == each) for each in choices}
    return [
        Block(
            tuple(names[i] for i in members[src]),
            tuple(names[i] for i in members[dst]),
            float(math.exp(of_block[members[src][0], members[dst][0]])),
        )
        for src in choices
        for dst in choices
    ]
