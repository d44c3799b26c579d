"""The scores of a race's candidates in each block."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from weft.plan.plan import Plan, Race
from weft.runs.meta import RunMeta
from weft.understand.curve.curve import column, group_starts, reduce_sorted

Scores = dict[str, float]
"""The log score of each candidate in a block, so that a difference of two is the logarithm of a ratio."""
_Times = dict[int, dict[tuple[int, int], float]]
"""The time of a message in ns, by launch, then (step, phase)."""
_OfCandidate = dict[tuple[int, int], float]
"""The time of a message of one candidate in a block, by (number of its step, phase)."""


def scores(meta: RunMeta, samples: pa.Table) -> list[Scores]:
    """The scores of each block, of the candidates that completed it."""
    plan, race = meta.plan, meta.plan.race
    if not race:
        return []
    times, done = _times(samples), set(map(tuple, meta.done))
    blocks = range(1 + max((launch for _, launch in done), default=-1))
    return [_block(plan, race, times, done, block) for block in blocks]


def _block(plan: Plan, race: Race, times: _Times, done: set[tuple[int, ...]], block: int) -> Scores:
    found: dict[str, _OfCandidate] = {}
    for one in race.candidates:
        if all((step, block) in done for step in one.steps):
            numbers = {step: number for number, step in enumerate(one.steps)}
            found[one.name] = {
                (numbers[step], phase): time
                for (step, phase), time in times.get(block, {}).items()
                if step in numbers
            }
    # Sizes that a slow candidate left out are not compared at all.
    common = set.intersection(*map(set, found.values())) if found else set()
    first = [plan.steps[step] for step in race.candidates[0].steps]
    trips = {key for key in common if first[key[0]].measures_latency}
    return {name: _score(race.measure, mine, trips, common - trips) for name, mine in found.items()}


def _score(
    measure: str, times: _OfCandidate, trips: set[tuple[int, int]], rates: set[tuple[int, int]]
) -> float:
    """The log score by `measure`; in "mixed", latency and throughput have equal weight, whatever their number of
    sizes."""
    if measure == "time":
        return _log(sum(times[key] for key in trips | rates))
    kinds = {"throughput": [rates], "latency": [trips], "mixed": [trips, rates]}[measure]
    return float(
        np.mean([np.mean([_log(times[key]) for key in kind]) if kind else 0.0 for kind in kinds])
    )


def _times(samples: pa.Table) -> _Times:
    """Medians over batches; for a phase between many nodes, that of the slowest route."""
    keys = ["launch", "step", "phase", "src", "dst"]
    messages, elapsed_ns = column(samples, "messages"), column(samples, "elapsed_ns")
    time_ns = np.full(len(messages), np.inf)
    np.divide(elapsed_ns, messages, out=time_ns, where=messages > 0)
    labels = [column(samples, key) for key in keys]
    order = np.lexsort((time_ns, *labels[::-1]))
    labels = [label[order] for label in labels]
    starts = group_starts(*labels)
    middles = reduce_sorted(time_ns[order], starts, "median")
    found: _Times = {}
    for at, time in zip(starts.tolist(), middles.tolist(), strict=True):
        launch, step, phase = (int(label[at]) for label in labels[:3])
        phases = found.setdefault(launch, {})
        phases[step, phase] = max(time, phases.get((step, phase), 0.0))
    return found


def _log(time_ns: float) -> float:
    """The log score of a time: less is better; minus infinity if no message arrived."""
    return -math.log(time_ns) if 0 < time_ns < math.inf else -math.inf
