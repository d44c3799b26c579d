"""The rate and latency of each route of a run; a route is one direction between two nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from weft.base.interval import Interval
from weft.runs.meta import RunMeta
from weft.understand.curve.curve import Ints, group_starts
from weft.understand.ensemble.rates import MedianRates


@dataclass(frozen=True)
class Route:
    """One direction between two nodes, in the phase and at the size at which it was fastest.

    `latency_us` is half the round trip of its smallest message (`latency_bytes`); None if round trips were not timed.
    """

    src: str
    dst: str
    size_bytes: int
    rate_mbps: Interval
    step: int
    phase: int
    latency_us: float | None
    latency_bytes: int | None


class Latency(NamedTuple):
    """The one-way time in µs of a message of `size_bytes`."""

    us: float | None
    size_bytes: int | None


NO_LATENCY = Latency(None, None)


def routes(meta: RunMeta, rates: MedianRates) -> list[Route]:
    """The measured routes of a run, by source and destination."""
    best = fastest_of_each_route(rates)
    latencies = latencies_of_each_route(meta, rates)
    names = [str(node["name"]) for node in meta.nodes]
    return [
        Route(
            names[best.src[i]],
            names[best.dst[i]],
            int(best.size[i]),
            Interval(float(best.mbps[i]), float(best.low_mbps[i]), float(best.high_mbps[i])),
            int(best.step[i]),
            int(best.phase[i]),
            *latencies.get((int(best.src[i]), int(best.dst[i])), NO_LATENCY),
        )
        for i in range(len(best))
    ]


def fastest_of_each_route(rates: MedianRates) -> MedianRates:
    """One row for each source and destination: the fastest."""
    return rates.where(_first_of_each_route(rates, -rates.mbps))


def transfers_json(meta: RunMeta, rates: MedianRates, steps: set[int]) -> list[dict[str, Any]]:
    """Every transfer of the given steps, for JSON: each route of each phase."""
    names = [str(node["name"]) for node in meta.nodes]
    kept = rates.where(np.isin(rates.step, sorted(steps)))
    ends = (kept.mbps, kept.low_mbps, kept.high_mbps)
    columns = (kept.step, kept.phase, kept.src, kept.dst, kept.size, *ends)
    return [
        {
            "step": int(step),
            "phase": int(phase),
            "src": names[src],
            "dst": names[dst],
            "size_bytes": int(size),
            "rate_mbps": Interval(float(median), float(low), float(high)),
        }
        for step, phase, src, dst, size, median, low, high in zip(*columns, strict=True)
    ]


def latencies_of_each_route(meta: RunMeta, rates: MedianRates) -> dict[tuple[int, int], Latency]:
    """The latency of the smallest message, by (source, destination), for routes whose round trips were timed."""
    timed = [i for i, step in enumerate(meta.plan.steps) if step.measures_latency]
    some = rates.where(np.isin(rates.step, timed))
    first = some.where(_first_of_each_route(some, some.size))
    ends = zip(first.src.tolist(), first.dst.tolist(), strict=True)
    found = map(Latency, first.time_us.tolist(), first.size.tolist())
    return dict(zip(ends, found, strict=True))


def _first_of_each_route(rates: MedianRates, preference: Any) -> Ints:
    """The row of each route with the least preference value; ties go to the first."""
    order = np.lexsort((preference, rates.dst, rates.src))
    chosen: Ints = order[group_starts(rates.src[order], rates.dst[order])]
    return chosen
