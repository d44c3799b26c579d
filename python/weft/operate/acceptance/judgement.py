"""Verdicts as a pure function of the requirements, the record of the check and the measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from weft.base.condition import Fact
from weft.operate.acceptance.check_verdicts import check_verdict, usable, with_lost
from weft.operate.acceptance.decide import undecided
from weft.operate.acceptance.declared import Promise
from weft.operate.acceptance.faults import with_causes
from weft.operate.acceptance.host_load import above_others
from weft.operate.acceptance.network_verdicts import (
    all_to_all_verdict,
    bisection_verdict,
    limit_verdicts,
)
from weft.operate.acceptance.node_facts import node_facts
from weft.operate.acceptance.pair_verdicts import NO_RUN, PairJudge
from weft.operate.acceptance.pairs import AGAIN, SCREEN, PairMatrix, pairs_of
from weft.operate.acceptance.requirements import Requirement, requirement
from weft.operate.acceptance.suspects import usual_mbps
from weft.operate.acceptance.verdict import RequirementVerdict
from weft.operate.preflight.record import ClusterRecord
from weft.runs.folder import RunFolder
from weft.runs.run_warnings import doubts, of_runs
from weft.understand.host.disturbed import not_usable

DEFAULTS = {
    "nodes.same": "all",
    "mtu.path": True,
    "clocks.offset": "10 ms",
    "loss.retransmits": "0.1 %",
    "nodes.later": "50 %",
    "nodes.slower": "10 %",
    "rate.below_declared": "10 %",
    "network.places": True,
    "network.limits": "15 %",
}
"""Requirements if there is no file, besides that all nodes answer: equal nodes, and what a fabric declares."""
_RESTS_ON = {
    "pairs": (SCREEN, AGAIN),
    "bisection": (SCREEN, AGAIN, "bisection"),
    "all-to-all": (SCREEN, AGAIN, "all-to-all"),
    "limits": ("limits",),
}
"""For each source, the plans whose runs decide; shares are relative to the rates of single pairs."""
_OF_REAL = ("nodes.same", "mtu.path", "clocks.offset", "loss.retransmits")
_OF_FABRICS = ("rate.below_declared", "network.places", "network.limits")


@dataclass(frozen=True)
class AcceptanceData:
    """The data so far. `names` are all nodes of the testbed; `record` is None for a simulator."""

    names: tuple[str, ...]
    record: ClusterRecord | None
    promise: Promise | None
    runs: Mapping[str, RunFolder]

    @property
    def is_exact(self) -> bool:
        """Whether results are simulated, so that every launch gives the same."""
        return self.record is None

    @cached_property
    def usable(self) -> tuple[str, ...]:
        """The nodes that can be measured."""
        return usable(self.record) if self.record else self.names

    @cached_property
    def pairs(self) -> PairMatrix | None:
        """The measurements between pairs; None if there are none."""
        promise = self.promise
        if promise is not None and promise.names != self.usable:
            promise = Promise(promise.fabric, self.usable)
        return pairs_of(self.usable, list(self.runs.values()), promise, self.is_exact)

    def node_facts(self, name: str) -> dict[str, Fact]:
        """What the check and the kernel's counters show about a node."""
        return {**node_facts(self.record, name), **self._above_others.get(name, {})}

    @cached_property
    def _above_others(self) -> dict[str, dict[str, float]]:
        return above_others(self.runs[SCREEN]) if SCREEN in self.runs else {}

    @property
    def lost(self) -> dict[str, str]:
        """The nodes that failed while they were measured, and why."""
        entries = (entry for run in self.runs.values() for entry in run.meta.lost)
        return {entry["node"]: entry["reason"] for entry in entries}

    def doubts(self, wanted: Requirement) -> tuple[str, ...]:
        """Why a verdict on this requirement is in doubt."""
        return doubts(of_runs(self.deciding(wanted).values()))

    def deciding(self, wanted: Requirement) -> dict[str, RunFolder]:
        """The runs that decide a requirement."""
        plans = _RESTS_ON.get(wanted.kind.source, ())
        return {name: run for name, run in self.runs.items() if run.meta.plan.name in plans}

    @property
    def usual_mbps(self) -> float | None:
        """The usual rate of a pair measured alone, in Mb/s; None if unknown."""
        return usual_mbps(self.pairs) if self.pairs and self.pairs.again_mbps else None


def default_requirements(
    names: Sequence[str], promise: Promise | None, is_computed: bool
) -> list[Requirement]:
    """The requirements that these nodes can be tested for if the user gives none."""
    found = [] if is_computed else [requirement("nodes.count", len(names))]
    for key, value in DEFAULTS.items():
        one = requirement(key, value)
        fits = len(names) >= one.kind.least_nodes
        fits &= not (is_computed and key in _OF_REAL)
        fits &= (promise is not None and bool(promise.network.limits)) or key not in _OF_FABRICS
        if fits and (one.kind.source != "limits" or promise is None or promise.shared):
            found.append(one)
    return found


def verdicts(
    requirements: Sequence[Requirement], measured: AcceptanceData
) -> list[RequirementVerdict]:
    """The verdicts on the requirements, in their order."""
    found = {verdict.requirement: verdict for verdict in _verdicts(requirements, measured)}
    told = [
        replace(_unless_disturbed(found[one.key], one, measured), doubts=measured.doubts(one))
        for one in requirements
    ]
    return with_causes(told)


def _unless_disturbed(
    found: RequirementVerdict, wanted: Requirement, measured: AcceptanceData
) -> RequirementVerdict:
    """The verdict, or "not decided" if in a run that it depends on the machine was the limit."""
    for name, run in measured.deciding(wanted).items():
        if reason := not_usable(run.meta):
            open_ = undecided(wanted, "the same, measured when the machine is quiet")
            return replace(open_, evidence=(f"{name}: {reason}",))
    return found


def _verdicts(
    requirements: Sequence[Requirement], measured: AcceptanceData
) -> Iterator[RequirementVerdict]:
    enough = []
    for one in requirements:
        least = one.kind.least_nodes
        if one.key == "nodes.count":
            yield with_lost(check_verdict(one, measured.record), measured.lost)
        elif one.kind.source == "check":
            yield check_verdict(one, measured.record)
        elif len(measured.usable) < least:
            have = len(measured.usable)
            yield undecided(one, f"{least} nodes that can be measured: there are {have}")
        else:
            enough.append(one)
    yield from _of_pairs([one for one in enough if one.kind.source == "pairs"], measured)
    limits = [one for one in enough if one.kind.source == "limits"]
    if "limits" in measured.runs:
        yield from limit_verdicts(limits, measured.runs["limits"], measured.promise)
    else:
        yield from (undecided(one, "a search for limits: none came to an end") for one in limits)
    for one in enough:
        if one.kind.source in ("bisection", "all-to-all"):
            yield _of_rounds(one, measured)


def _of_pairs(
    wanted: Sequence[Requirement], measured: AcceptanceData
) -> Iterator[RequirementVerdict]:
    pairs = measured.pairs
    if pairs is None:
        yield from (undecided(one, NO_RUN) for one in wanted)
        return
    judge = PairJudge(pairs, measured.promise, lambda node: measured.node_facts(pairs.names[node]))
    yield from map(judge.verdict, wanted)


def _of_rounds(wanted: Requirement, measured: AcceptanceData) -> RequirementVerdict:
    run, usual = measured.runs.get(wanted.kind.source), measured.usual_mbps
    if run is None or usual is None or not run.samples.num_rows:
        return undecided(wanted, f"a run of {wanted.kind.source}: none came to an end")
    judge = bisection_verdict if wanted.kind.source == "bisection" else all_to_all_verdict
    return judge(wanted, run, usual, measured.is_exact)
