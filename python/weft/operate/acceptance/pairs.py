"""Measurements between pairs: all of them once, in rounds, and some again, each alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.operate.acceptance.declared import Promise, Route
from weft.operate.acceptance.lost_share import LossCounts
from weft.plan.plan import Step
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.understand.ensemble.rates import MedianRates

SCREEN, AGAIN = "pairs", "again"
"""Names of the plans: every pair once, in rounds of disjoint pairs; some pairs several times, each alone."""
SENT, RESENT = "nstat:TcpExtTCPOrigDataSent", "nstat:TcpRetransSegs"
"""The sender's segments with data, and its retransmissions."""
NEEDLESS = "nstat:TcpExtTCPDSACKRecvSegs"
"""Retransmissions that the receiver reports as duplicates: the segment was late, not lost."""
BURSTS = 0.1
"""This share of a node's routes, those with most retransmissions, is left out of its count."""
FULL_SHARE = 0.9
"""A route with this share of the usual rate crossed no full shared limit."""


@dataclass(frozen=True)
class PairMatrix:
    """Rates in Mb/s and one-way times in us, a row for each sender and a column for each receiver.

    `mbps` and `times_us` (by message size) are from the rounds, NaN where nothing was measured. `expected_mbps` is the
    rate that a declared fabric allows a route in its round, `sharing` its ratio to the route's rate alone (1 if none is
    declared). `calm` marks routes on which no shared limit was full. `again_mbps` and `again_us` have a value for each
    launch. `sent` and `resent` count segments in the rounds; with the prefix `again_`, those of pairs measured alone.
    """

    names: tuple[str, ...]
    mbps: Floats
    expected_mbps: Floats
    sharing: Floats
    calm: npt.NDArray[np.bool_]
    times_us: dict[int, Floats] = field(default_factory=dict)
    again_mbps: dict[Route, Floats] = field(default_factory=dict)
    again_us: dict[tuple[Route, int], Floats] = field(default_factory=dict)
    sent: Floats | None = None
    resent: Floats | None = None
    again_sent: Floats | None = None
    again_resent: Floats | None = None
    is_exact: bool = False

    @property
    def count(self) -> int:
        return len(self.names)

    def again(self, route: Route) -> Interval:
        """The rate of a route measured alone, in Mb/s."""
        return self._interval(self.again_mbps[route])

    def again_time(self, route: Route, size_bytes: int) -> Interval:
        """The one-way time of a route measured alone, in us."""
        return self._interval(self.again_us[route, size_bytes])

    def lost_and_sent(self, node: int, calm: bool) -> tuple[LossCounts, LossCounts] | None:
        """Retransmitted and sent segments, from the node (first) and to it; None if they were not counted.

        If `calm`, rounds count only on routes on which no shared limit was full, because a full queue drops segments by
        design.
        """
        if self.sent is None or self.resent is None:
            return None
        assert self.again_sent is not None and self.again_resent is not None
        counted = self.calm if calm else np.ones_like(self.calm)
        out, into = (node, slice(None)), (slice(None), node)
        return self._segments(out, counted), self._segments(into, counted)

    def _segments(
        self, way: tuple[int | slice, int | slice], counted: npt.NDArray[np.bool_]
    ) -> LossCounts:
        """Segments without the routes that lost most: new connections lose a burst when they overshoot."""
        assert self.sent is not None and self.resent is not None
        assert self.again_sent is not None and self.again_resent is not None
        lost, sent = self.resent[way], self.sent[way]
        kept = np.argsort(lost)[: len(lost) - math.ceil(BURSTS * len(lost))]
        kept = kept[counted[way][kept]]
        return LossCounts(
            np.concatenate([lost[kept], self.again_resent[way]]),
            np.concatenate([sent[kept], self.again_sent[way]]),
        )

    def _interval(self, values: Floats) -> Interval:
        return median_interval(values)


def pairs_of(
    names: Sequence[str], runs: Sequence[RunFolder], promise: Promise | None, is_exact: bool
) -> PairMatrix | None:
    """The measurements in runs of the two plans; None if there is no run of SCREEN."""
    screens = [run for run in runs if run.meta.plan.name == SCREEN and run.samples.num_rows]
    if not screens:
        return None
    made = _Maker(tuple(names), promise)
    for run in runs:
        if run.meta.plan.name in (SCREEN, AGAIN) and run.samples.num_rows:
            made.add(run)
    return made.pairs(is_exact)


_NOWHERE = -1
_TABLES = ("sent", "resent", "again_sent", "again_resent")


class _Maker:
    """Collects measurements from runs."""

    def __init__(self, names: tuple[str, ...], promise: Promise | None) -> None:
        count = len(names)
        self._names, self._promise = names, promise
        self._mbps = np.full((count, count), np.nan)
        self._expected = np.full((count, count), np.nan)
        self._sharing = np.ones((count, count))
        self._fills = np.zeros((count, count), dtype=bool)
        self._times: dict[int, Floats] = {}
        self._again_mbps: dict[Route, list[float]] = defaultdict(list)
        self._again_us: dict[tuple[Route, int], list[float]] = defaultdict(list)
        self._segments = {
            (plan, name): np.zeros((count, count))
            for plan in (SCREEN, AGAIN)
            for name in (SENT, RESENT)
        }
        self._counts = False
        self._launches = 0

    def add(self, run: RunFolder) -> None:
        rates = MedianRates.of(run)
        if run.meta.plan.name == AGAIN:
            self._launches += run.meta.plan.launches
        known = {name: at for at, name in enumerate(self._names)}
        # Nodes that cannot be measured are in no step.
        place = np.array([known.get(str(node["name"]), _NOWHERE) for node in run.meta.nodes])
        for index, step in enumerate(run.meta.plan.steps):
            mine = rates.where(rates.step == index)
            if run.meta.plan.name == SCREEN:
                self._screen(step, mine, place)
            else:
                self._repeat(step, mine, place)
            self._nothing(run, step, place)
            if not step.measures_latency:
                self._count(run, index, mine, place)

    def _nothing(self, run: RunFolder, step: Step, place: Floats) -> None:
        """Routes without a rate carried nothing, if the run came to its end."""
        if run.meta.status != "complete" or step.measures_latency:
            return
        chosen = place[list(step.chosen_nodes or range(len(place)))].tolist()
        for route in permutations(chosen, 2):
            if run.meta.plan.name == SCREEN:
                self._mbps[route] = np.nan_to_num(self._mbps[route])
            else:
                values = self._again_mbps[route]
                values += [0.0] * (self._launches - len(values))

    def _screen(self, step: Step, rates: MedianRates, place: Floats) -> None:
        src, dst = place[rates.src], place[rates.dst]
        if step.measures_latency:
            for size in np.unique(rates.size):
                rows = rates.size == size
                table = self._times.setdefault(int(size), np.full_like(self._mbps, np.nan))
                table[src[rows], dst[rows]] = table[dst[rows], src[rows]] = rates.time_us[rows]
            return
        self._mbps[src, dst] = rates.mbps
        if self._promise:
            for rows in rates.by_phase():
                flows = list(zip(src[rows].tolist(), dst[rows].tolist(), strict=True))
                self._fills[src[rows], dst[rows]] = self._promise.fills(flows)
                rates_mbps = self._promise.rates_mbps(flows)
                self._expected[src[rows], dst[rows]] = rates_mbps
                alone = self._promise.each_alone_mbps(flows)
                self._sharing[src[rows], dst[rows]] = np.divide(
                    rates_mbps, alone, out=np.ones_like(alone), where=np.isfinite(alone)
                )

    def _repeat(self, step: Step, rates: MedianRates, place: Floats) -> None:
        for row in range(len(rates)):
            route = (int(place[rates.src[row]]), int(place[rates.dst[row]]))
            mbps = rates.by_launch_mbps[row]
            known = mbps[~np.isnan(mbps)]
            if not step.measures_latency:
                self._again_mbps[route] += known.tolist()
                continue
            size = int(rates.size[row])
            times = (8 * size / known).tolist()
            self._again_us[route, size] += times
            self._again_us[route[::-1], size] += times

    def _count(self, run: RunFolder, step: int, rates: MedianRates, place: Floats) -> None:
        """Count the segments sent and retransmitted by the sender of each phase."""
        evidence = run.side_table(EVIDENCE_NAME)
        if not any(
            SENT in one["counters"] and RESENT in one["counters"] for one in run.meta.evidence
        ):
            return
        self._counts = True
        route = {
            (int(phase), int(src)): (place[src], place[dst])
            for phase, src, dst in zip(rates.phase, rates.src, rates.dst, strict=True)
        }
        mine = evidence.filter(pc.equal(evidence["step"], step))
        for name, sign in ((SENT, 1), (RESENT, 1), (NEEDLESS, -1)):
            table = self._segments[run.meta.plan.name, SENT if name == SENT else RESENT]
            is_it = pc.equal(mine["counter"].cast(pa.string()), name)
            rows = mine.filter(is_it).select(["phase", "node", "value"])
            for phase, node, value in zip(*(one.to_pylist() for one in rows.columns), strict=True):
                if (phase, node) in route:
                    table[route[phase, node]] += sign * value

    @property
    def _calm(self) -> npt.NDArray[np.bool_]:
        if self._promise:
            return ~self._fills
        calm: npt.NDArray[np.bool_] = self._mbps >= FULL_SHARE * np.nanquantile(self._mbps, 0.75)
        return calm

    def pairs(self, is_exact: bool) -> PairMatrix:
        return PairMatrix(
            self._names,
            self._mbps,
            self._expected,
            self._sharing,
            self._calm,
            self._times,
            {route: np.array(values) for route, values in self._again_mbps.items()},
            {key: np.array(values) for key, values in self._again_us.items()},
            is_exact=is_exact,
            **(dict(zip(_TABLES, self._segments.values(), strict=True)) if self._counts else {}),
        )
