"""The tables of a run, each with its columns. An interval is three columns: the median, `low` and `high`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

import pyarrow as pa

from weft.api.table import Table, interval
from weft.diagnosis.curve import Ints
from weft.diagnosis.ensemble.rates import Rates
from weft.diagnosis.ensemble.routes import (
    NO_LATENCY,
    fastest_of_each_route,
    latencies_of_each_route,
)
from weft.diagnosis.evidence import PointEvidence
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA

_NAMED = pa.dictionary(pa.int32(), pa.string())


class Samples(Table):
    """Every timed batch (shape: batches). `src` and `dst` are positions in `run.nodes`.

    Columns: step, phase, launch, batch, src, dst, size_bytes, messages, start_ns, elapsed_ns.
    """

    SCHEMA: ClassVar[pa.Schema] = SCHEMA


class Routes(Table):
    """Each direction between two nodes (shape: routes), in the phase and at the size at which it was fastest.

    `latency_us` is half the round trip of its smallest message, which has `latency_bytes` and not the row's
    `size_bytes`; both are null where none was timed.
    """

    SCHEMA: ClassVar[pa.Schema] = pa.schema(
        {
            "src": _NAMED,
            "dst": _NAMED,
            "size_bytes": pa.int64(),
            **interval("rate_mbps"),
            "step": pa.int32(),
            "phase": pa.int32(),
            "latency_us": pa.float64(),
            "latency_bytes": pa.int64(),
        }
    )

    @classmethod
    def of(cls, meta: RunMeta, rates: Rates) -> Routes:
        """Those of a run, by source and destination."""
        best, timed = fastest_of_each_route(rates), latencies_of_each_route(meta, rates)
        ends = zip(best.src.tolist(), best.dst.tolist(), strict=True)
        latencies = [timed.get(one, NO_LATENCY) for one in ends]
        names = pa.array([str(node["name"]) for node in meta.nodes], pa.string())
        return cls.of_columns(
            {
                "src": _named(best.src, names),
                "dst": _named(best.dst, names),
                "size_bytes": pa.array(best.size, pa.int64()),
                "rate_mbps": best.mbps,
                "rate_low_mbps": best.low_mbps,
                "rate_high_mbps": best.high_mbps,
                "step": pa.array(best.step, pa.int32()),
                "phase": pa.array(best.phase, pa.int32()),
                "latency_us": pa.array([one.us for one in latencies], pa.float64()),
                "latency_bytes": pa.array([one.size_bytes for one in latencies], pa.int64()),
            }
        )


class Evidence(Table):
    """What a node did at each size while batches were timed (shape: sizes x nodes x measures), medians over launches.

    `kind` is "measure" or "counter"; the unit of a measure is in its name, such as "system_ns" of one message. Counters
    are those of one message too, and of gauges the value. `part` says which phase of the size it is, where several are.
    """

    SCHEMA: ClassVar[pa.Schema] = pa.schema(
        {
            "step": pa.int32(),
            "phase": pa.int32(),
            "size_bytes": pa.int64(),
            "part": pa.string(),
            "node": pa.string(),
            "launches": pa.int32(),
            "kind": pa.string(),
            "name": pa.string(),
            **interval("value"),
        }
    )

    @classmethod
    def of(cls, points: Iterable[PointEvidence]) -> Evidence:
        """That of a run."""
        return cls.of_rows(row for one in points for row in _evidence_rows(one))


def _evidence_rows(one: PointEvidence) -> Iterator[dict[str, object]]:
    for kind, values in (("measure", one.measures), ("counter", one.counters)):
        for name, value in values.items():
            yield vars(one) | {"kind": kind, "name": name, "value": value}


def _named(positions: Ints, names: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(positions, pa.int32()), names)
