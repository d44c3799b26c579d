"""What can be said of the inside of a network, by the nodes' names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

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
    """A capacity that nodes share; all of `members` together, payload.

    kind: "uplink" (what leaves or enters the members), "switch" (all that they send, and likewise all
    that they receive), "trunk" (an uplink between the two halves of the network), "core" (what passes
    between the parts of the members). `demand_mbps` is what the nodes' ports would send through it. `network` is the
    one that it is in, from 1, where nodes have several.
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
        """How many times its capacity could be asked of it."""
        return self.demand_mbps / self.capacity_mbps.median

    def felt_by(self, group: Collection[str]) -> LimitFinding | None:
        """This limit as seen from a group: a trunk limits both of its halves. None where it limits other nodes."""
        if set(group) == set(self.members):
            return self
        if self.kind != "trunk" or set(group) != set(self.against or ()):
            return None
        direction = {"in": "out", "out": "in"}[self.direction]
        return replace(self, members=tuple(group), against=self.members, direction=direction)

    def to_json(self) -> dict[str, object]:
        """As `weft diagnose --json` has it."""
        return {**_known(self), "oversubscription": self.oversubscription}


@dataclass(frozen=True)
class SlowPart:
    """Something slow by itself: a "node", one "direction" of a node, or a "route" (from, to); in a `network`, from 1,
    where nodes have several."""

    kind: str
    nodes: tuple[str, ...]
    direction: str | None
    rate_mbps: Interval
    expected_mbps: float
    evidence: str
    network: int | None = None

    def to_json(self) -> dict[str, object]:
        """As `weft diagnose --json` has it."""
        return _known(self)

    @property
    def name(self) -> str:
        """Such as "n1 to n2" or "n[1-4]"."""
        return " to ".join(self.nodes) if self.kind == "route" else fold(self.nodes)


@dataclass(frozen=True)
class LimitFindings:
    """Everything that can be said; `groups` are nested or apart, largest first, `unobservable` are declared limits that
    the nodes cannot fill. Where nodes have several networks, `networks` are the findings of each, with its number from
    1, and paths and what fails a little are only there. With several paths between leaves, limits are what flows over
    all of them had together. `full_parts` are those of simulated nodes."""

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

    def to_json(self) -> dict[str, object]:
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


def _known(found: LimitFinding | SlowPart | LimitFindings) -> dict[str, object]:
    """What is to be said, without the network where nodes have only one."""
    return {
        name: value for name, value in vars(found).items() if name != "network" or value is not None
    }
