"""The simulator's results: whole columns, which become arrays without being inspected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field

from weft.base.statistics import Floats
from weft.runs.columns.tables import ACTIVITIES_NAME, LAPS_NAME, SCHEMAS, TRAFFIC_NAME
from weft.runs.digests import BOTTLENECKS_SCHEMA, PHASES_SCHEMA, RATES_SCHEMA, Digests
from weft.runs.samples import SCHEMA

Columns: TypeAlias = dict[str, bytes]
"""Columns of a table by name, as numbers in memory layout."""
_WHOLE = ("phase", "batch", "users")
"""Integer columns of the tables beside the samples."""


class PhaseSummary(Struct, frozen=True, array_like=True):
    """One phase: when its transfers began, its duration, and the transfers (source, destination) that never arrive."""

    index: int
    start_ns: int
    span_ns: int
    barrier_ns: int
    failed: list[tuple[int, int]]
    fingerprint: int


class SimulatedPhases(Struct, frozen=True, kw_only=True):
    """Some phases of a step, from the start of the first phase's barrier, as `weft._core` gives them. `failures` are
    phases without samples and their reasons, unless the reason is only a missing route."""

    phases: list[PhaseSummary]
    span_ns: int
    idle_s: float
    events: int
    rows: Columns
    carried: Columns = field(name="loads")
    condensed: Columns = field(name="digests")
    tally: Columns
    occupation: Columns = {}
    budgets: Columns = {}
    categories: Columns = {}
    applications: Columns = {}
    responses: Columns = {}
    cache_hits: Columns = {}
    delivered: Columns = field(name="deliveries", default_factory=dict)
    activities: Columns = {}
    laps: Columns = {}
    traffic: Columns = {}
    messages: int | None = None
    """For programs, the number of messages; rows may cover only some of them."""
    failures: list[tuple[int, str]] = []

    @classmethod
    def of(cls, answer: object) -> SimulatedPhases:
        """Convert an answer of `weft._core`."""
        return msgspec.convert(answer, cls)

    def __len__(self) -> int:
        return len(self.rows["phase"]) // 4

    def samples(self, step: int, launch: int, clock_ns: int) -> pa.RecordBatch:
        """The rows as samples of a step and launch that starts at `clock_ns`."""
        columns = {"step": _filled(step, len(self)), "launch": _filled(launch, len(self))}
        columns |= _typed(self.rows, SCHEMA)
        columns["start_ns"] = pc.add(columns["start_ns"], clock_ns)
        return pa.RecordBatch.from_pydict(columns, schema=SCHEMA)

    def deliveries(self) -> list[dict[str, int]]:
        """The delivery of the messages of each batch, if some may be lost."""
        columns = {name: _array(column, pa.int64()) for name, column in self.delivered.items()}
        rows: list[dict[str, int]] = pa.table(columns).to_pylist()
        return [row | {"duplicated": 0, "reordered": 0} for row in rows]

    def bottlenecks(self, step: int, names: pa.Array) -> pa.Table:
        """What limited each transfer, by step, phase, source and destination; `names` are those of the constraints."""
        first = pc.equal(_array(self.rows["batch"], pa.int32()), 0)
        columns = {name: _array(self.rows[name], pa.int32()) for name in ("phase", "src", "dst")}
        named = _bottleneck_names(self.rows["bottleneck"], names)
        steps = _filled(step, len(self))
        return pa.table({"step": steps, **columns, "bottleneck": named}).filter(first)

    def loads(self, step: int, clock_ns: int, names: pa.Array, capacities_mbps: Floats) -> pa.Table:
        """The mean load of each constraint in each phase, on the wire."""
        phase = np.frombuffer(self.carried["phase"], dtype=np.int32)
        constraint = np.frombuffer(self.carried["constraint"], dtype=np.uint32).astype(np.int32)
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
                "mbps": np.frombuffer(self.carried["bits_per_s"]) / 1e6,
                "capacity_mbps": capacities_mbps[constraint],
            }
        )

    def nodes(self, step: int) -> pa.Table:
        """How nodes spent their time in each phase that is a program."""
        return _with_key(step, self.activities, SCHEMAS[ACTIVITIES_NAME])

    def timed(self, step: int) -> pa.Table:
        """Times of nodes in each interference phase."""
        return _with_key(step, self.laps, SCHEMAS[LAPS_NAME])

    def driven(self, step: int) -> pa.Table:
        """The state of cars after each traffic phase."""
        return _with_key(step, self.traffic, SCHEMAS[TRAFFIC_NAME])

    def digests(self, step: int, names: pa.Array) -> Digests:
        """Digests of condensed phases: what is known of all their transfers."""
        digests, tally = self.condensed, self.tally
        columns = _typed(digests, PHASES_SCHEMA)
        phases = {"step": _filled(step, len(columns["phase"])), **columns}
        first = self.phases[0].index if self.phases else 0
        least = _array(tally["least_mbps"], pa.float64())
        held = _bottleneck_names(tally["bottleneck"], names).cast(pa.string())
        return Digests(
            pa.table(phases, PHASES_SCHEMA),
            _counted(step, first, least, tally["rate_transfers"], RATES_SCHEMA),
            _counted(step, first, held, tally["bottleneck_transfers"], BOTTLENECKS_SCHEMA),
        )


def side_table(step: int, columns: Columns, names: Mapping[str, Sequence[str]]) -> pa.Table:
    """Columns with a step column in front; columns in `names` are indices into these lists, all others numbers."""
    arrays = {
        name: _named(column, names[name])
        if name in names
        else _array(column, pa.int32() if name in _WHOLE else pa.float64())
        for name, column in columns.items()
    }
    return pa.table({"step": _filled(step, len(arrays["phase"])), **arrays})


def _with_key(step: int, columns: Columns, schema: pa.Schema) -> pa.Table:
    """Columns as a table of a schema; a simulation runs once, in the first launch."""
    if not columns:
        return schema.empty_table()
    typed = _typed(columns, schema)
    count = len(typed["phase"])
    key = {"step": _filled(step, count)}
    key |= {name: _filled(0, count) for name in ("launch", "trial") if name in schema.names}
    return pa.table({**key, **typed}, schema)


def _typed(columns: Columns, schema: pa.Schema) -> dict[str, pa.Array]:
    """The columns of a schema that exist."""
    there = (field for field in schema if field.name in columns)
    return {field.name: _array(columns[field.name], field.type) for field in there}


def _bottleneck_names(column: bytes, names: pa.Array) -> pa.DictionaryArray:
    """Besides the constraints there are two more limits: none at all, and the transfer's own cap."""
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
