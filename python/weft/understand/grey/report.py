"""Grey failures, from a run of round trips and of rounds with random partners."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

import pyarrow as pa

from weft.base.nodeset import fold
from weft.plan.plan import Plan, TimeRule
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.ensemble.leaves import leaves_of
from weft.understand.grey.blame import LITTLE, GreyVerdict, judge
from weft.understand.grey.observations import ElementMap, GreyElement, Side, SuspectElement, Symptom
from weft.understand.grey.symptoms import late, lossy, slow, stalled
from weft.understand.host.resent import segments
from weft.understand.xray.survey import survey_of
from weft.understand.xray.trial import FlowTrial, trials


class AccusedEntry(TypedDict):
    """A node or leaf that differs from the others: `shown` of its `looks` showed the symptom, elsewhere `usual_share`
    of them did; `log_e` is the logarithm of the e-value."""

    nodes: list[str]
    side: str
    symptom: str
    shown: int
    looks: int
    usual_share: float
    log_e: float


@dataclass(frozen=True)
class GreyReport:
    """The nodes and leaves that differ from the others; `undecided` counts those that need more rounds. Without
    `has_counters` losses are unknown. `leaves` have positions of nodes."""

    names: tuple[str, ...]
    rounds: int
    judgement: GreyVerdict[GreyElement]
    has_counters: bool
    leaves: tuple[tuple[int, ...], ...] = ()

    @property
    def accused(self) -> list[SuspectElement[GreyElement]]:
        """The accused elements, without symptoms that another explains: slow links are also late, because frames take
        longer, and slow or lossy links also stall."""
        found = self.judgement.accused
        by_symptom: dict[Symptom, set[tuple[int, ...]]] = {}
        for one in found:
            by_symptom.setdefault(one.symptom, set()).add(one.element.nodes)
        slow, lossy = (by_symptom.get(what, set()) for what in ("is slow", "loses frames"))
        explained = {"is late": slow, "stalls at times": slow | lossy}
        return [one for one in found if one.element.nodes not in explained.get(one.symptom, ())]

    @property
    def undecided(self) -> int:
        """The number of undecided links; lateness is left out, because round trips are measured before the rounds."""
        return sum(count for what, count in self.judgement.undecided.items() if what != "is late")

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        count, rounds = len(self.names), self.rounds
        said = [self._text(one, sides) for one, sides in self._by_fault()]
        if not said and not self.undecided:
            said = [
                f"Every node and leaf is like the others, in {rounds} rounds over {count} nodes: one that shows a "
                f"symptom in {100 * LITTLE.cleared:.0f} % of its looks would have been found in 99 % of such runs."
            ]
        elif not said:
            said = [f"No node or leaf is known to differ after {rounds} rounds over {count} nodes."]
        if self.undecided:
            said.append(f"{self.undecided} links are not decided; more rounds would tell.")
        if not self.has_counters:
            said.append("Whether frames are lost is not known: no node counted what it sent again.")
        return " ".join(said)

    def to_json(self) -> list[AccusedEntry]:
        """The accused as `weft diagnose --json` prints them."""
        return [
            {
                "nodes": [self.names[node] for node in one.element.nodes],
                "side": one.element.side,
                "symptom": one.symptom,
                "shown": one.shown,
                "looks": one.looks,
                "usual_share": one.usual_share,
                "log_e": one.log_e,
            }
            for one in self.accused
        ]

    def _by_fault(self) -> Iterable[tuple[SuspectElement[GreyElement], set[Side]]]:
        """Each symptom of an element once, on the side with the most evidence, with all sides on which it shows."""
        sides: dict[tuple[tuple[int, ...], Symptom], set[Side]] = {}
        first: dict[tuple[tuple[int, ...], Symptom], SuspectElement[GreyElement]] = {}
        for one in self.accused:
            key = one.element.nodes, one.symptom
            first.setdefault(key, one)
            sides.setdefault(key, set()).add(one.element.side)
        return ((one, sides[key]) for key, one in first.items())

    def _text(self, one: SuspectElement[GreyElement], sides: set[Side]) -> str:
        way = "both ways" if sides != {"out"} and sides != {"in"} else _WAYS[one.element.side]
        usual = f"{100 * one.usual_share:.0f} %" if one.usual_share >= 0.01 else "less than 1 %"
        return (
            f"{self._name(one.element)} {one.symptom}, {way}: seen in {one.shown} of {one.looks} looks, elsewhere in "
            f"{usual}."
        )

    def _name(self, element: GreyElement) -> str:
        name = fold(self.names[node] for node in element.nodes)
        return f"Node {name}" if len(element.nodes) == 1 else f"The leaf of {name}"


_WAYS: dict[Side, str] = {"out": "sending", "in": "receiving"}


def is_health_check(plan: Plan, network: int = 0) -> bool:
    """Whether a plan consists, on a network, of round trips and rounds with random partners only."""
    kinds = [
        (step.pattern.kind, step.measures_latency)
        for step in plan.steps
        if step.on_network == network
    ]
    return kinds in ([("matrix", True), ("health", False)], [("matrix", True), ("random", False)])


def grey_report(run: RunFolder, step: int) -> GreyReport:
    """The report of grey failures from a run's step of rounds."""
    return examine(run.meta, step, run.samples, run.side_table(EVIDENCE_NAME))


def examine(meta: RunMeta, step: int, samples: pa.Table, evidence: pa.Table) -> GreyReport:
    """The report from all rounds of a step so far, a pure function of them."""
    names, lost = tuple(meta.node_names), meta.lost_nodes
    survey = survey_of(samples, meta, step, lost)
    rounds = [one.without(lost) for one in trials(samples, step)]
    alive = frozenset(range(len(names))) - lost
    leaves = tuple(leaf.members for leaf in leaves_of(survey.round_trip_us, alive))
    where = ElementMap(len(names), leaves)
    counted = segments(evidence, step)
    losses = lossy(rounds, counted, where)
    together = _began_together(rounds, step, meta)
    stalls = stalled(together, counted, where)
    seen = [slow(together, where), stalls, late(survey, where), *losses]
    judgement = judge([one for one in seen if len(one.shown)])
    return GreyReport(names, len(rounds), judgement, bool(losses), leaves)


def _began_together(rounds: list[FlowTrial], step: int, meta: RunMeta) -> list[FlowTrial]:
    """The rounds whose nodes began together. In others, nodes waited at the barrier for more than half a window, so
    that some began when others were done, and routes seem to stall."""
    stop = meta.plan.steps[step].stop
    if not isinstance(stop, TimeRule):
        return rounds
    late = {
        one["phase"]
        for one in meta.barriers
        if one["step"] == step and one["barrier_us"] * 1e3 > stop.trial_ns / 2
    }
    return [one for one in rounds if one.phase not in late]
