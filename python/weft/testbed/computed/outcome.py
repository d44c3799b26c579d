"""What the simulator answers: whole columns, which become arrays without being looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.run.digests import BOTTLENECKS_SCHEMA, PHASES_SCHEMA, RATES_SCHEMA, Digests
from weft.run.samples import SCHEMA
from weft.statistics import Floats

QUANTILES = ("slowest_mbps", "tenth_mbps", "median_mbps", "nine_tenths_mbps", "fastest_mbps")
"""What the simulator's quantiles are called, in its order."""


@dataclass(frozen=True)
class PhaseSummary:
    """One phase: when its transfers began, how long it took, and which of them (source, destination) never arrive."""

    index: int
    start_ns: int
    span_ns: int
    barrier_ns: int
    failed: list[tuple[int, int]]
    fingerprint: int


class Outcome:
    """Some phases of a step, from the start of the first one's barrier."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self._rows: dict[str, bytes] = answer["rows"]
        self._loads: dict[str, bytes] = answer["loads"]
        self.phases = [PhaseSummary(*phase) for phase in answer["phases"]]
        self.span_ns: int = answer["span_ns"]
        self.idle_s: float = answer["idle_s"]
        self.events: int = answer["events"]
        self._digests: dict[str, Any] = answer["digests"]
        self._tally: dict[str, bytes] = answer["tally"]
        self._occupation: dict[str, bytes] = answer.get("occupation", {})
        self._budgets: dict[str, bytes] = answer.get("budgets", {})
        self._categories: dict[str, bytes] = answer.get("categories", {})
        self._applications: dict[str, bytes] = answer.get("applications", {})
        self._responses: dict[str, bytes] = answer.get("responses", {})
        self._cache_hits: dict[str, bytes] = answer.get("cache_hits", {})
        self.failures: dict[int, str] = dict(answer.get("failures", []))
        """Why phases have no samples, where there is more to say than that there is no way."""

    def __len__(self) -> int:
        return len(self._rows["phase"]) // 4

    def samples(self, step: int, launch: int, clock_ns: int) -> pa.RecordBatch:
        """The rows as samples of a step and launch that begin at `clock_ns`."""
        columns = {
            "step": np.full(len(self), step, dtype=np.int32),
            "launch": np.full(len(self), launch, dtype=np.int32),
            "start_ns": pc.add(_array(self._rows["start_ns"], pa.int64()), clock_ns),
        }
        arrays = [
            pa.array(columns[field.name])
            if field.name in columns
            else _array(self._rows[field.name], field.type)
            for field in SCHEMA
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)

    def bottlenecks(self, step: int, names: pa.Array) -> pa.Table:
        """What held each transfer back, by step, phase, source and destination; `names` are the constraints'."""
        first = pc.equal(_array(self._rows["batch"], pa.int32()), 0)
        columns = {name: _array(self._rows[name], pa.int32()) for name in ("phase", "src", "dst")}
        named = _bottleneck_names(self._rows["bottleneck"], names)
        steps = pa.array(np.full(len(self), step, dtype=np.int32))
        table = pa.table({"step": steps, **columns, "bottleneck": named})
        return table.filter(first)

    def loads(self, step: int, clock_ns: int, names: pa.Array, capacities_mbps: Floats) -> pa.Table:
        """What each constraint carried in each phase: the mean over the phase, on the wire."""
        phase = np.frombuffer(self._loads["phase"], dtype=np.int32)
        constraint = np.frombuffer(self._loads["constraint"], dtype=np.uint32).astype(np.int32)
        known = np.array([one.index for one in self.phases], dtype=np.int32)
        at = np.searchsorted(known, phase)
        starts = np.array([one.start_ns for one in self.phases], dtype=np.int64)
        spans = np.array([one.span_ns for one in self.phases], dtype=np.int64)
        return pa.table(
            {
                "step": np.full(len(phase), step, dtype=np.int32),
                "phase": phase,
                "constraint": pa.DictionaryArray.from_arrays(pa.array(constraint), names),
                "start_ns": starts[at] + clock_ns,
                "elapsed_ns": spans[at],
                "mbps": np.frombuffer(self._loads["bits_per_s"]) / 1e6,
                "capacity_mbps": capacities_mbps[constraint],
            }
        )

    def digests(self, step: int, names: pa.Array) -> Digests:
        """Of phases that were condensed: what is known of all their transfers."""
        digests, tally = self._digests, self._tally
        phase = _array(digests["phase"], pa.int32())
        rates = dict(zip(QUANTILES, digests["quantiles_mbps"], strict=True)) | digests
        columns = {
            field.name: _array(rates[field.name], field.type)
            for field in PHASES_SCHEMA
            if field.name not in ("step", "phase")
        }
        phases = {"step": _filled(step, len(phase)), "phase": phase, **columns}
        first = self.phases[0].index if self.phases else 0
        least = _array(tally["least_mbps"], pa.float64())
        held = _bottleneck_names(tally["bottleneck"], names).cast(pa.string())
        return Digests(
            pa.table(phases, PHASES_SCHEMA),
            _counted(step, first, least, tally["rate_transfers"], RATES_SCHEMA),
            _counted(step, first, held, tally["bottleneck_transfers"], BOTTLENECKS_SCHEMA),
        )

    def occupation(self, step: int, names: Sequence[Sequence[str]]) -> pa.Table:
        """What nodes were busy with; `names` are those of nodes, of their parts, and of tasks, the last being none."""
        keys = zip(("node", "part", "task"), names, strict=True)
        named = {key: _named(self._occupation[key], known) for key, known in keys}
        phase = _array(self._occupation["phase"], pa.int32())
        return pa.table(
            {
                "step": np.full(len(phase), step, dtype=np.int32),
                "phase": phase,
                **named,
                "share": _array(self._occupation["share"], pa.float64()),
                "interrupts_per_s": _array(self._occupation["interrupts_per_s"], pa.float64()),
            }
        )

    def categories(self, step: int, names: Sequence[Sequence[str]]) -> pa.Table:
        """Cycles of a message by category; `names` are those of nodes and of categories."""
        keys = zip(("node", "category"), names, strict=True)
        named = {key: _named(self._categories[key], known) for key, known in keys}
        phase = _array(self._categories["phase"], pa.int32())
        return pa.table(
            {
                "step": np.full(len(phase), step, dtype=np.int32),
                "phase": phase,
                **named,
                "cycles": _array(self._categories["cycles"], pa.float64()),
            }
        )

    def cache_hits(self, step: int, names: Sequence[Sequence[str]]) -> pa.Table:
        """What caches had; `names` are those of nodes, of their parts, of caches, and of kinds of access."""
        keys = zip(("node", "part", "cache", "access"), names, strict=True)
        named = {key: _named(self._cache_hits[key], known) for key, known in keys}
        phase = _array(self._cache_hits["phase"], pa.int32())
        return pa.table(
            {
                "step": np.full(len(phase), step, dtype=np.int32),
                "phase": phase,
                **named,
                "accesses": _array(self._cache_hits["accesses"], pa.float64()),
                "hit_rate": _array(self._cache_hits["hit_rate"], pa.float64()),
            }
        )

    def budgets(self, step: int, stages: Sequence[str]) -> pa.Table:
        """Where messages' time went."""
        phase = _array(self._budgets["phase"], pa.int32())
        return pa.table(
            {
                "step": np.full(len(phase), step, dtype=np.int32),
                "phase": phase,
                "stage": _named(self._budgets["stage"], stages),
                "elapsed_ns": _array(self._budgets["elapsed_ns"], pa.float64()),
            }
        )

    def applications(self, step: int) -> pa.Table:
        """The application loads of a stream, and what LAWS needs of each."""
        return _numbers(step, self._applications, ("phase",))

    def responses(self, step: int) -> pa.Table:
        """What a web server's users waited."""
        return _numbers(step, self._responses, ("phase", "batch", "users"))


def _numbers(step: int, columns: dict[str, bytes], whole: Sequence[str]) -> pa.Table:
    """Columns of numbers, some of them whole, behind that of the step."""
    kinds = {name: pa.int32() if name in whole else pa.float64() for name in columns}
    arrays = {name: _array(column, kinds[name]) for name, column in columns.items()}
    count = len(arrays["phase"])
    return pa.table({"step": np.full(count, step, dtype=np.int32), **arrays})


def _bottleneck_names(column: bytes, names: pa.Array) -> pa.DictionaryArray:
    """Beyond the constraints there are two more: nothing at all, and the transfer's own cap."""
    number = _array(column, pa.uint32())
    last = pa.scalar(len(names) - 1, pa.uint32())
    own_cap = pa.scalar(2**32 - 1, pa.uint32())
    index = pc.if_else(pc.equal(number, own_cap), last, pc.min_element_wise(number, len(names) - 2))
    return pa.DictionaryArray.from_arrays(index.cast(pa.int32()), names)


def _counted(step: int, phase: int, keys: pa.Array, counts: bytes, schema: pa.Schema) -> pa.Table:
    ends = (_filled(step, len(keys)), _filled(phase, len(keys)))
    return pa.table([*ends, keys, _array(counts, pa.int64())], schema)


def _filled(number: int, count: int) -> pa.Array:
    return pa.array(np.full(count, number, dtype=np.int32))


def _named(column: bytes, names: Sequence[str]) -> pa.Array:
    index = _array(column, pa.int32())
    return pa.DictionaryArray.from_arrays(index, pa.array(names, pa.string()))


def _array(column: bytes, kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(
        kind, len(column) // (kind.bit_width // 8), [None, pa.py_buffer(column)]
    )
