"""Findings about the inside of a network, with the names of nodes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.knobs.recommendation import Recommendation
from weft.understand.curve.thresholds import Threshold
from weft.understand.explain.finding import Explanation
from weft.understand.grey.report import GreyReport
from weft.understand.multi_pair.pair_order import PairOrder
from weft.understand.node.full_part import FullPart
from weft.understand.paths.report import PathReport
from weft.understand.studies.study import SettingStudy


@dataclass(frozen=True)
class LimitFinding:
    """A capacity that `members` share, in payload of all of them together.

    kind: "uplink" (traffic that leaves or enters the members), "switch" (all that they send, and likewise all
    that they receive), "trunk" (an uplink between the two halves of the network), "core" (traffic between the
    parts of the members). `demand_mbps` is what the nodes' ports could send through it. `network` is its network,
    numbered from 1; None if nodes have only one.
    """

    kind: str
    members: tuple[str, ...]
    against: tuple[str, ...] | None
    direction: str
    capacity_mbps: Interval
    demand_mbps: float
    confidence: float
    evidence: str
    network: int | None = None

    @property
    def oversubscription(self) -> float:
        """The ratio of demand to capacity."""
        return self.demand_mbps / self.capacity_mbps.median

    def felt_by(self, group: Collection[str]) -> LimitFinding | None:
        """This limit as seen from a group; a trunk limits both of its halves. None if it does not limit the group."""
        if set(group) == set(self.members):
            return self
        if self.kind != "trunk" or set(group) != set(self.against or ()):
            return None
        direction = {"in": "out", "out": "in"}[self.direction]
        return replace(self, members=tuple(group), against=self.members, direction=direction)

    def to_json(self) -> dict[str, Any]:
        """The limit as `weft diagnose --json` prints it."""
        return {**_known(self), "oversubscription": self.oversubscription}


@dataclass(frozen=True)
class SlowPart:
    """A slow "node", one slow "direction" of a node, or a slow "route" (from, to). `network` is numbered from 1; None
    if nodes have only one."""

    kind: str
    nodes: tuple[str, ...]
    direction: str | None
    rate_mbps: Interval
    expected_mbps: float
    evidence: str
    network: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The part as `weft diagnose --json` prints it."""
        return _known(self)

    @property
    def name(self) -> str:
        """For example "n1 to n2" or "n[1-4]"."""
        return " to ".join(self.nodes) if self.kind == "route" else fold(self.nodes)


@dataclass(frozen=True)
class LimitFindings:
    """All findings of a diagnosis.

    `groups` are nested or disjoint, largest first; `unobservable` are declared limits that the nodes cannot saturate.
    If nodes have several networks, `networks` has the findings of each, numbered from 1, and only these have `paths`
    and `grey`. With several paths between leaves, limits are those of all paths together. `full_parts` are saturated
    parts of simulated nodes.
    """

    verdict: str
    groups: list[tuple[str, ...]] = field(default_factory=list)
    limits: list[LimitFinding] = field(default_factory=list)
    slow: list[SlowPart] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    unobservable: list[str] = field(default_factory=list)
    full_rate_mbps: Interval | None = None
    pairs: list[PairOrder] = field(default_factory=list)
    thresholds: list[Threshold] = field(default_factory=list)
    explanations: list[Explanation] = field(default_factory=list)
    studies: list[SettingStudy] = field(default_factory=list)
    recommendations: list[Recommendation] = field(default_factory=list)
    paths: PathReport | None = None
    grey: GreyReport | None = None
    network: int | None = None
    networks: list[LimitFindings] = field(default_factory=list)
    has_several_paths: bool = False
    full_parts: list[FullPart] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The document of `weft diagnose --json`."""
        limits = [limit.to_json() for limit in self.limits]
        pairs = [one.to_json() for one in self.pairs]
        thresholds = [one.to_json() for one in self.thresholds]
        explanations = [one.to_json() for one in self.explanations]
        recommendations = [one.to_json() for one in self.recommendations]
        own = {"limits": limits, "pairs": pairs, "thresholds": thresholds}
        own["slow"] = [one.to_json() for one in self.slow]
        own["full_parts"] = [one.to_json() for one in self.full_parts]
        own["studies"] = [one.to_json() for one in self.studies]
        own_paths = self.paths.to_json() if self.paths else None
        said = {"explanations": explanations, "recommendations": recommendations}
        grey = self.grey.to_json() if self.grey else None
        document = {**_known(self), **own, **said, "paths": own_paths, "grey": grey}
        document.pop("networks")
        if self.networks:
            document["networks"] = [one.to_json() for one in self.networks]
        return document


def _known(found: LimitFinding | SlowPart | LimitFindings) -> dict[str, Any]:
    """The fields of a finding, without the network if nodes have only one."""
    return {
        name: value for name, value in vars(found).items() if name != "network" or value is not None
    }
