"""The time of a message besides its bytes: start-up at the hosts, and delays of the links between switches.

Round trips of pairs, minus the frames' time on the wires at known rates, add up along the tree: a start-up for each
pair, and the delay of each link crossed. None of them is negative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.optimize import nnls

from weft import _core
from weft.base.frames import FULL
from weft.base.statistics import Floats
from weft.decisions.twin.draft import TwinElement
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.plan.load import load_plan
from weft.plan.pattern import MultiPair
from weft.plan.phases import Phase, Transfer
from weft.plan.plan import CountRule
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column

_PLAN = {
    "name": "trips",
    "steps": [
        {
            "name": "trips",
            "pattern": "matrix",
            "measure": "latency",
            "sizes": ["1 B"],
            "stop": {"rule": "count", "repeats": 1, "trials": 1},
        }
    ],
}


@dataclass(frozen=True)
class Trips:
    """Round trips of messages that fit into a frame: ends, size and half of the round trip, one entry each."""

    src: tuple[int, ...]
    dst: tuple[int, ...]
    size: tuple[int, ...]
    half_us: Floats
    rounds: int

    def __len__(self) -> int:
        return len(self.src)


@dataclass(frozen=True)
class StartUp:
    """In us: the start-up of a pair of hosts together, and the delay of each link; first the best estimate, then draws,
    as rows."""

    host_us: Floats
    link_us: Floats
    noise_us: float

    def overhead_us(self, least_message_us: float) -> Floats:
        """The time in us that each host needs for a message. Round trips do not separate it from delays: it is the
        simulator's default, or less if start-ups are shorter or messages followed each other faster."""
        usual_s = float(_core.Network.default_parameters()["overhead_s"] or 0.0)
        most = min(least_message_us, 1e6 * usual_s)
        overhead: Floats = np.minimum(self.host_us / 2, most)
        return overhead

    @property
    def are_known(self) -> list[bool]:
        """By link, whether nearly all draws give it a delay."""
        return [bool(np.quantile(one[1:], 0.05) > 0) for one in self.link_us.T]

    @property
    def known_link_us(self) -> list[float]:
        """The delays of links in us, 0 if not certain."""
        best = self.link_us[0].tolist()
        return [one if known else 0.0 for one, known in zip(best, self.are_known, strict=True)]


def trips_of(runs: Iterable[tuple[RunFolder, Sequence[int]]]) -> Trips:
    """The round trips of runs, each with its nodes' indices in the twin: the median of each pair and size."""
    found: dict[tuple[int, int, int], list[float]] = {}
    for run, places in runs:
        several = {index for index, *_ in run.meta.plan.steps_of(MultiPair)}
        for index, step in enumerate(run.meta.plan.steps):
            if not step.measures_latency or step.transport != "tcp" or index in several:
                continue
            rows = run.samples.filter(
                (pc.field("step") == index)
                & (pc.field("size_bytes") <= FULL.payload_bytes)
                & (pc.field("messages") > 0)
            )
            _collect(rows, places, found)
    keys = sorted(found)
    src, dst, size = zip(*keys, strict=True) if keys else ((), (), ())
    halves = np.array([float(np.median(found[key])) for key in keys])
    return Trips(src, dst, size, halves, sum(map(len, found.values())))


def _collect(
    rows: pa.Table, places: Sequence[int], found: dict[tuple[int, int, int], list[float]]
) -> None:
    trips_us = column(rows, "elapsed_ns") / column(rows, "messages") / 1e3
    keys = (column(rows, name).tolist() for name in ("src", "dst", "size_bytes"))
    for src, dst, size, trip_us in zip(*keys, trips_us.tolist(), strict=True):
        a, b = sorted((places[src], places[dst]))
        found.setdefault((a, b, size), []).append(trip_us / 2)


def start_up_of(
    trips: Trips, network: SimulatedNetwork, links: Sequence[TwinElement], draws: int, seed: int
) -> StartUp:
    """The start-up and delays that explain round trips best; `network` has the rates, but no start-up and no delays."""
    rest_us = trips.half_us - _on_the_wires_us(trips, network)
    src, dst = np.array(trips.src), np.array(trips.dst)
    crossed = [one.crossed_by(src, dst) | one.crossed_by(dst, src) for one in links]
    design = np.column_stack([np.ones(len(trips)), *crossed]).astype(float)
    best = _solved(design, rest_us)
    rng = np.random.default_rng(seed)
    found = [best]
    for _ in range(draws):
        drawn = rng.integers(0, len(trips), len(trips))
        found.append(_solved(design[drawn], rest_us[drawn]))
    noise = float(np.median(np.abs(rest_us - design @ best)))
    values = np.array(found)
    return StartUp(values[:, 0], values[:, 1:], noise)


def _solved(design: Floats, measured_us: Floats) -> Floats:
    """Least absolute deviations, by iteratively reweighted least squares: a trip that had to wait is an outlier."""
    weights = np.ones(len(measured_us))
    for _ in range(6):
        root = np.sqrt(weights)
        values: Floats = nnls(design * root[:, np.newaxis], measured_us * root)[0]
        weights = 1 / np.maximum(np.abs(measured_us - design @ values), 1.0)
    return values


def _on_the_wires_us(trips: Trips, network: SimulatedNetwork) -> Floats:
    """Half of each round trip in a network without delays, in us."""
    (step,) = load_plan(_PLAN, []).steps
    ends = zip(trips.src, trips.dst, trips.size, strict=True)
    phases = [
        Phase(at, size, "pingpong", (Transfer(src, dst, size),), stop=CountRule(1, 1))
        for at, (src, dst, size) in enumerate(ends)
    ]
    rows = pa.Table.from_batches([network.simulate_chosen(step, phases).samples(0, 0, 0)])
    took_us = column(rows, "elapsed_ns") / np.maximum(column(rows, "messages"), 1) / 1e3
    found = np.full(len(trips), np.nan)
    found[column(rows, "phase")] = took_us / 2
    return found
