"""Verdicts on single pairs: rates, latency, retransmitted segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.condition import Fact
from weft.base.statistics import Floats
from weft.operate.acceptance.decide import Case, case, decide, status_of, undecided
from weft.operate.acceptance.declared import Promise, Route
from weft.operate.acceptance.locate import SharedElement, locate, route_element
from weft.operate.acceptance.lost_share import LossCounts, joined, lost_share
from weft.operate.acceptance.pairs import PairMatrix
from weft.operate.acceptance.requirements import Requirement
from weft.operate.acceptance.suspects import (
    late_nodes,
    lossy_nodes,
    node_times,
    slow_nodes,
    usual_mbps,
    usual_us,
)
from weft.operate.acceptance.verdict import Direction, RequirementVerdict, Symptom

MORE = "more launches of the pairs that were measured alone, on a quieter machine"
NO_RUN = "a run of all pairs: none came to an end"
SEGMENT_BYTES = 1448
FULL = 0.9
AS_DECLARED = 0.95
"""A route that carries this share of the declared rate is not slow: others may be faster."""
Facts = Callable[[int], dict[str, Fact]]
"""Gives the facts about a node, by its number, for symptoms."""


@dataclass(frozen=True)
class PairJudge:
    """Judges measurements between pairs; `facts` are added to symptoms about one node."""

    pairs: PairMatrix
    promise: Promise | None
    facts: Facts

    def verdict(self, wanted: Requirement) -> RequirementVerdict:
        """The verdict on one requirement."""
        if wanted.size_bytes:
            return self._decided(wanted, self._latencies(wanted))
        cases = {
            "rate.pair": self._rates,
            "rate.node": self._node_rates,
            "rate.below_declared": self._below_declared,
            "rate.asymmetry": self._asymmetries,
            "nodes.slower": self._slower,
            "nodes.later": self._later,
            "loss.retransmits": self._losses,
        }[wanted.key](wanted)
        return self._decided(wanted, cases)

    def _decided(self, wanted: Requirement, cases: Sequence[Case]) -> RequirementVerdict:
        if not cases and wanted.key == "loss.retransmits":
            return undecided(wanted, "kernels that count segments sent again (nstat), over TCP")
        return decide(wanted, cases, [self._method], MORE)

    @property
    def _method(self) -> str:
        many = np.count_nonzero(~np.isnan(self.pairs.mbps))
        alone = len({frozenset(route) for route in self.pairs.again_mbps})
        return f"{many} routes in rounds of disjoint pairs; {alone} pairs alone, those that looked worst among them"

    def _rates(self, wanted: Requirement) -> list[Case]:
        return [self._rate_case(route, values) for route, values in self.pairs.again_mbps.items()]

    def _rate_case(self, route: Route, values: Floats) -> Case:
        return self._case(self._route_name(route), values, self._slow_symptom(route))

    def _below_declared(self, wanted: Requirement) -> list[Case]:
        if self.promise is None:
            return []
        found = []
        for route, values in self.pairs.again_mbps.items():
            alone = self.promise.alone_mbps(route)
            if not np.isfinite(alone):
                continue
            below = 100 * (1 - values / alone)
            found.append(self._case(self._route_name(route), below, self._slow_symptom(route)))
        return found

    def _asymmetries(self, wanted: Requirement) -> list[Case]:
        found = []
        for (src, dst), values in self.pairs.again_mbps.items():
            back = self.pairs.again_mbps.get((dst, src))
            if src < dst and back is not None:
                count = min(len(values), len(back))
                ratio = values[:count] / back[:count]
                less = ratio if np.median(ratio) <= 1 else 1 / ratio
                slower = (src, dst) if np.median(ratio) <= 1 else (dst, src)
                symptom = self._slow_symptom(slower, "asymmetry")
                found.append(self._case(self._route_name(slower), 100 * (1 - less), symptom))
        return found

    def _node_rates(self, wanted: Requirement) -> list[Case]:
        return [
            self._case(f"{self.pairs.names[node]} {way}", values, self._slow_symptom(route))
            for node, way, route, values in self._best_of_nodes(range(self.pairs.count))
        ]

    def _slower(self, wanted: Requirement) -> list[Case]:
        share = (wanted.limit or 0.0) / 100
        return [
            self._case(
                f"{self.pairs.names[node]} {'sends' if way == 'out' else 'receives'}",
                100 * (1 - values / self._usual_mbps),
                self._slow_symptom(route),
            )
            for node, way, route, values in self._best_of_nodes(slow_nodes(self.pairs, share))
        ]

    def _best_of_nodes(
        self, nodes: Sequence[int] | range
    ) -> list[tuple[int, Direction, Route, Floats]]:
        """Of nodes that were measured alone, the fastest route in each direction."""
        found: list[tuple[int, Direction, Route, Floats]] = []
        ways: tuple[tuple[Direction, int], ...] = (("out", 0), ("in", 1))
        for node in nodes:
            for way, end in ways:
                mine = {r: v for r, v in self.pairs.again_mbps.items() if r[end] == node and len(v)}
                if mine:
                    best = max(mine, key=lambda route: float(np.median(mine[route])))
                    found.append((node, way, best, mine[best]))
        return found

    @cached_property
    def _usual_mbps(self) -> float:
        return usual_mbps(self.pairs)

    def _latencies(self, wanted: Requirement) -> list[Case]:
        return [
            self._case(self._route_name(route), values, self._late_symptom(route, size))
            for (route, size), values in self.pairs.again_us.items()
            if size == wanted.size_bytes and route[0] < route[1]
        ]

    def _later(self, wanted: Requirement) -> list[Case]:
        size = min(self.pairs.times_us, default=0)
        mine = {r: v for (r, s), v in self.pairs.again_us.items() if s == size}
        if not mine:
            return []
        usual = usual_us(self.pairs, size)
        found = []
        for node in late_nodes(self.pairs, (wanted.limit or 0.0) / 100):
            own = [(r, v) for r, v in mine.items() if r[0] == node]
            if own:
                route, values = min(own, key=lambda one: float(np.median(one[1])))
                symptom = self._late_symptom(route, size, node)
                found.append(
                    self._case(self.pairs.names[node], 100 * (values / usual - 1), symptom)
                )
        return found

    def _losses(self, wanted: Requirement) -> list[Case]:
        """For each suspect, the share of retransmitted segments among all that it sent and received."""
        found = []
        for node in lossy_nodes(self.pairs, (wanted.limit or 0.0) / 100):
            counts = [self.pairs.lost_and_sent(node, calm) for calm in (False, True)]
            cases = [self._loss_case(node, *one) for one in counts if one]
            # If all losses are within the limit, those of full queues need not be separated.
            found += [one for one in cases if status_of(one, wanted) == "met"][:1] or cases[1:]
        return found

    def _loss_case(self, node: int, sending: LossCounts, receiving: LossCounts) -> Case:
        share = lost_share((sending, receiving), of_nodes=self.pairs.count)
        symptom = self._loss_symptom(node, sending, receiving)
        return Case(self.pairs.names[node], share, symptom=symptom)

    def _loss_symptom(self, node: int, sending: LossCounts, receiving: LossCounts) -> Symptom:
        name = self.pairs.names[node]
        out, into = sending.share, receiving.share
        all_ = joined((sending, receiving))
        facts: dict[str, Fact] = {
            "lost_share": all_.share,
            "retransmits_per_mb": 1e6 * all_.share / SEGMENT_BYTES,
            "lost_sending_share": float(sending.lost.sum() / max(1.0, all_.lost.sum())),
            "one_direction": min(out, into) < 0.1 * max(out, into),
            **self.facts(node),
        }
        direction: Direction = "both"
        if facts["one_direction"]:
            direction = "out" if out > into else "in"
        return Symptom("loss", (name,), name, direction, facts)

    def _slow_symptom(self, route: Route, kind: str = "rate-low") -> Symptom:
        element = self._element_of(route)
        rate = float(np.median(self.pairs.again_mbps[route]))
        facts: dict[str, Fact] = {
            "rate_mbps": rate,
            "share_of_group": rate / self._usual_mbps,
            "one_direction": element.direction not in (None, "both") or self._is_one_way(route),
            "all_of_leaf": element.shared,
            "single_route": element.direction is None,
        }
        if self.promise and (expected := rate / self.promise.alone_mbps(route)) < AS_DECLARED:
            facts["share_of_expected"] = expected
        if len(element.nodes) == 1:
            facts |= self.facts(self.pairs.names.index(element.nodes[0]))
        kind = "limit-narrow" if element.shared and kind == "rate-low" else kind
        return Symptom(kind, element.nodes, element.name, element.direction, facts)

    def _is_one_way(self, route: Route) -> bool:
        back = self.pairs.again_mbps.get(route[::-1])
        return back is not None and bool(
            np.median(self.pairs.again_mbps[route]) < 0.8 * np.median(back)
        )

    def _element_of(self, route: Route) -> SharedElement:
        for one in self._elements:
            if one.crossed[route]:
                return one
        return route_element(self.pairs, route)

    @cached_property
    def _elements(self) -> list[SharedElement]:
        """What the routes that were slow alone too have in common."""
        shares = [float(np.median(v)) / self._usual_mbps for v in self.pairs.again_mbps.values()]
        worst = min(shares, default=1.0)
        return locate(self.pairs, self.promise, float(np.sqrt(worst))) if worst < 1 else []

    def _late_symptom(self, route: Route, size: int, node: int | None = None) -> Symptom:
        times = {r: float(np.median(v)) for (r, s), v in self.pairs.again_us.items() if s == size}
        usual = usual_us(self.pairs, size)
        facts: dict[str, Fact] = {
            "latency_us": times[route],
            "added_us": times[route] - usual,
            "share_of_group": times[route] / usual,
            "spread_share": _spread(self.pairs.again_us[route, size]),
        }
        if (mbps := self.pairs.again_mbps.get(route)) is not None:
            facts["rate_is_full"] = bool(np.median(mbps) > FULL * self._usual_mbps)
        node = self._late_end(route) if node is None else node
        if node is None:
            names = self.pairs.names[route[0]], self.pairs.names[route[1]]
            return Symptom("latency-high", names, self._route_name(route), "both", facts)
        name = self.pairs.names[node]
        return Symptom("latency-high", (name,), name, "both", facts | self.facts(node))

    def _late_end(self, route: Route) -> int | None:
        """The end of a route that is late with all other nodes too."""
        times = node_times(self.pairs)
        if times is None or self.pairs.count < 3:
            return None
        late = [node for node in route if times[node] > 1.25 * np.nanmedian(times)]
        return max(late, key=lambda node: float(times[node]), default=None)

    def _case(self, name: str, values: Floats, symptom: Symptom) -> Case:
        return case(name, values, self.pairs.is_exact, symptom)

    def _route_name(self, route: Route) -> str:
        return f"{self.pairs.names[route[0]]} to {self.pairs.names[route[1]]}"


def _spread(values: Floats) -> float:
    """The interquartile range relative to the median."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return float((high - low) / middle)
