"""The evidence of one step as arrays: the growth of each counter in each stretch, and the time of a message there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.statistics import Floats
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Ints, column, group_slices, message_times_us

HOST_WIDE = ("cpu_", "softirq_", "softnet_", "system_", "pressure_", "interrupts:")
"""Prefixes of counters that the nodes of one host share."""
NO_CPU = -1

Key = tuple[int, str, int]
"""Node, counter, and processor or NO_CPU."""


@dataclass(frozen=True)
class Stretches:
    """The stretches of a step, sorted by phase, launch and first batch; all arrays have one entry per stretch.

    `time_us` is the one-way time of a message, `values` the growth of each counter that changed.
    """

    step: int
    phase: Ints
    launch: Ints
    time_us: Floats
    messages: Floats
    values: dict[Key, Floats]

    def __len__(self) -> int:
        return len(self.phase)

    def of(self, node: int, counter: str) -> Floats:
        """The growth of a counter, summed over processors; zeros if it did not change."""
        parts = [self.values[key] for key in self.keys(node, counter)]
        return np.sum(parts, axis=0) if parts else np.zeros(len(self))

    def keys(self, node: int, counter: str) -> list[Key]:
        """The keys of a counter, one for each processor; a trailing `*` matches any suffix."""
        start = counter.removesuffix("*")
        is_family = start != counter
        matches = (key for key in self.values if key[0] == node)
        return [
            key
            for key in matches
            if key[1] == start or (is_family and key[1][: len(start)] == start)
        ]

    def elapsed_ns(self, node: int) -> Floats:
        """The durations of the stretches at a node, at least 1."""
        return np.maximum(self.of(node, "elapsed_ns"), 1)

    def total(self, node: int, counter: str) -> float:
        """The growth of a counter over all stretches."""
        return float(self.of(node, counter).sum())


def of_step(run: RunFolder, evidence: pa.Table, step: int) -> Stretches | None:
    """The stretches of a step; None if nothing was recorded, or none has samples."""
    rows = evidence.filter(pc.equal(evidence["step"], step))
    if rows.num_rows == 0:
        return None
    code = _code(rows)
    codes, first, at = np.unique(code, return_index=True, return_inverse=True)
    ends = codes + column(rows, "batches")[first]
    time_us, messages = _times(run, step, codes, ends)
    measured = messages > 0
    if not measured.any():
        return None
    return Stretches(
        step,
        column(rows, "phase")[first][measured],
        column(rows, "launch")[first][measured],
        time_us[measured],
        messages[measured],
        {key: values[measured] for key, values in _values(rows, at, len(codes))},
    )


def _code(table: pa.Table) -> Ints:
    """Phase, launch and batch packed into one number with the same order."""
    phase, launch, batch = (column(table, name) for name in ("phase", "launch", "batch"))
    return (phase << 40) | (launch << 24) | batch


def _times(run: RunFolder, step: int, codes: Ints, ends: Ints) -> tuple[Floats, Floats]:
    """The one-way time of a message, and the number of messages, in each stretch."""
    of_step = column(run.samples, "step") == step
    samples = run.samples.filter(of_step)
    code, sent = _code(samples), column(samples, "messages").astype(float)
    took_us = message_times_us(run)[of_step] * np.maximum(sent, 1)
    at = np.searchsorted(codes, code, side="right") - 1
    inside = (at >= 0) & (code < ends[at]) & np.isfinite(took_us)
    total_us = np.bincount(at[inside], took_us[inside], len(codes))
    messages = np.bincount(at[inside], sent[inside], len(codes)).astype(float)
    return total_us / np.maximum(messages, 1), messages


def _values(rows: pa.Table, at: Ints, count: int) -> Iterator[tuple[Key, Floats]]:
    """The growth of each counter in each of `count` stretches; `at` is the stretch of each row."""
    names = pc.unique(rows["counter"].cast(pa.string()))
    name = pc.index_in(rows["counter"].cast(pa.string()), value_set=names).to_numpy()
    cpu = pc.fill_null(rows["cpu"], NO_CPU).to_numpy().astype(np.int64)
    node, value = column(rows, "node"), column(rows, "value")
    order = np.lexsort((cpu, name, node))
    for part in group_slices(node[order], name[order], cpu[order]):
        own = order[part]
        key = (int(node[own[0]]), names[int(name[own[0]])].as_py(), int(cpu[own[0]]))
        yield key, np.bincount(at[own], value[own].astype(float), count).astype(float)
