"""The tables of a run, each with its columns. An interval is three columns: the median, `low` and `high`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NoReturn, Self

import pyarrow as pa

from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.base.table import ResultTable
from weft.faces.api.columns.table import Table, interval
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA
from weft.understand.curve.curve import Ints
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.routes import (
    NO_LATENCY,
    fastest_of_each_route,
    latencies_of_each_route,
)

_NAMED = pa.dictionary(pa.int32(), pa.string())


class Tables(dict[str, Table]):
    """Tables by name. An unknown name raises RequestError, which lists the known ones."""

    @classmethod
    def of_results(cls, found: Mapping[str, ResultTable]) -> Self:
        """Each table of results under its name."""
        return cls({name: Table.of_results(name, table) for name, table in found.items()})

    def __missing__(self, name: str) -> NoReturn:
        raise RequestError(f"no table {name!r}", known_names(str(name), list(self)) if self else "")


class Samples(Table):
    """Every timed batch (shape: batches). `src` and `dst` are indices into `run.nodes`.

    Columns: step, phase, launch, batch, src, dst, size_bytes, messages, start_ns, elapsed_ns.
    """

    SCHEMA: ClassVar[pa.Schema] = SCHEMA


class Routes(Table):
    """Each direction between two nodes (shape: routes), in the phase and at the size at which it was fastest.

    `latency_us` is half the round trip of its smallest message, which has `latency_bytes` and not the row's
    `size_bytes`; both are null if none was timed.
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
    def of(cls, meta: RunMeta, rates: MedianRates) -> Routes:
        """The routes of a run, by source and destination."""
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


def _named(positions: Ints, names: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(positions, pa.int32()), names)
