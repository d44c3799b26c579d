"""Verdicts on what many nodes share: limits, bisections, all-to-all."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from statistics import harmonic_mean

import numpy as np
from msgspec.structs import replace

from weft.base.condition import Fact
from weft.base.nodeset import fold
from weft.base.quantity import format_mbps
from weft.base.statistics import Floats
from weft.operate.acceptance.decide import Case, case, decide, settled, undecided
from weft.operate.acceptance.declared import Promise
from weft.operate.acceptance.requirements import Requirement
from weft.operate.acceptance.verdict import Direction, RequirementVerdict, Symptom
from weft.plan.pattern import Search
from weft.runs.folder import RunFolder
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.waiting import waiting_share
from weft.understand.limits.diagnosis import study_of
from weft.understand.limits.differences import FabricDifference, differences, unobservable
from weft.understand.limits.wording import cut_text, may_be_the_machine
from weft.understand.xray.study import SearchStudy

LONGER = "a longer search: `weft run xray` with --set steps.search.time='600 s'"
NO_FABRIC = "a declared fabric: --fabric FABRIC"
QUIETER = "a quieter machine or a lower --scale: the lab's own processors may be the limit"
BUSY_SHARE = 0.25
"""Agents that wait for processors for this share of the time do not fill a network."""
PARTS: dict[str, Direction] = {"out": "out", "in": "in", "inside": "inside"}


def limit_verdicts(
    wanted: Sequence[Requirement], run: RunFolder, promise: Promise | None
) -> list[RequirementVerdict]:
    """Verdicts on the requirements that the search for limits decides."""
    if promise is None:
        return [undecided(one, NO_FABRIC) for one in wanted]
    study = study_of(run)
    names = [str(node["name"]) for node in run.meta.nodes]
    told = differences(promise.network, study, names)
    return [
        _places(one, told)
        if one.key == "network.places"
        else _limits(one, told, study, run, promise)
        for one in wanted
    ]


def _places(wanted: Requirement, told: Sequence[FabricDifference]) -> RequirementVerdict:
    """The verdict on nodes whose round trips put them into other groups than the declared ones."""
    moved = [one for one in told if one.kind == "moved"]
    symptoms = [
        Symptom("cabling", one.nodes, fold(one.nodes), None, {"swapped": len(one.nodes) == 2})
        for one in moved
    ]
    return settled(wanted, symptoms, [one.text for one in moved])


def _limits(
    wanted: Requirement,
    told: Sequence[FabricDifference],
    study: SearchStudy,
    run: RunFolder,
    promise: Promise,
) -> RequirementVerdict:
    limits = [one for one in told if one.kind == "limit"]
    doubted = [one for one in limits if _may_be_the_machine(one, run)]
    doubted += [
        one
        for limit in study.limits
        if may_be_the_machine(limit, study.survey.nodes, run.meta)
        for one in limits
        if set(one.nodes) == set(promise.names)
    ]
    cases = [case for one in limits if one not in doubted and (case := _narrow(one, promise))]
    evidence = [one.text for one in limits]
    more = QUIETER if doubted or _waiting_share(run) > BUSY_SHARE else LONGER
    if cases:
        return decide(wanted, cases, evidence, more)
    if doubted or study.requests or study.undecided:
        return replace(undecided(wanted, more), evidence=tuple(evidence))
    hidden = unobservable(promise.network)
    unseen = [f"wider than the nodes can fill, so not tried: {fold(hidden)}"] if hidden else []
    said = [f"{len(study.limits)} shared limits found, as declared", cut_text(study), *unseen]
    return settled(wanted, [], [text for text in said if text])


def _may_be_the_machine(one: FabricDifference, run: RunFolder) -> bool:
    """Whether an undeclared limit may be the processors that a lab's agents share."""
    is_lab = run.meta.testbed.get("kind") == "lab"
    return is_lab and one.declared_mbps is None and _waiting_share(run) > BUSY_SHARE


def _waiting_share(run: RunFolder) -> float:
    """The share of the search's time in which agents waited for a processor."""
    return waiting_share(run, [at for at, *_ in run.meta.plan.steps_of(Search)])


def _narrow(one: FabricDifference, promise: Promise) -> Case | None:
    """A limit below the declared rate or, if none is declared, below what the ports would send."""
    should = one.declared_mbps or one.offered_mbps
    if one.kind != "limit" or one.measured_mbps is None or not should:
        return None
    share = one.measured_mbps.map_decreasing(lambda mbps: 100 * (1 - mbps / should))
    if share.median < 0:
        return None
    facts: dict[str, Fact] = {
        "capacity_mbps": one.measured_mbps.median,
        "share_of_expected": one.measured_mbps.median / should,
        "declared": one.declared_mbps is not None,
        "all_of_leaf": True,
    }
    name = _limit_name(one, promise)
    direction = PARTS.get(one.direction or "")
    symptom = Symptom("limit-narrow", one.nodes, name, direction, facts)
    what = f"{name}, {format_mbps(one.measured_mbps.median)} of {format_mbps(should)}, narrower by"
    return Case(what, share, symptom=symptom)


def _limit_name(one: FabricDifference, promise: Promise) -> str:
    """The declared link or switch of these nodes, or the nodes themselves."""
    sides = [set(one.nodes), set(promise.names) - set(one.nodes)]
    for limit in promise.shared:
        if set(promise.member_names(limit)) in sides:
            what = "uplink of" if limit.kind == "link" else "inside of"
            return f"{what} {limit.name} {one.direction}"
    return f"{fold(one.nodes)} {one.direction}"


def bisection_verdict(
    wanted: Requirement, run: RunFolder, usual_mbps: float, is_exact: bool
) -> RequirementVerdict:
    """The verdict on random bisections, relative to the rates of single pairs."""
    rates = MedianRates.of(run)
    shares = [float(rates.mbps[rows].mean()) / usual_mbps for rows in rates.by_phase()]
    return _share_verdict(wanted, run, np.array(shares), is_exact, "random bisections")


def all_to_all_verdict(
    wanted: Requirement, run: RunFolder, usual_mbps: float, is_exact: bool
) -> RequirementVerdict:
    """The verdict on an all-to-all in phases, each of which lasts as long as its slowest route."""
    rates = MedianRates.of(run)
    slowest = np.array([np.nanmin(rates.by_launch_mbps[rows], axis=0) for rows in rates.by_phase()])
    shares = [harmonic_mean(launch.tolist()) / usual_mbps for launch in slowest.T]
    return _share_verdict(wanted, run, np.array(shares), is_exact, "all-to-all")


def _share_verdict(
    wanted: Requirement, run: RunFolder, shares: Floats, is_exact: bool, what: str
) -> RequirementVerdict:
    names = tuple(str(node["name"]) for node in run.meta.nodes)
    facts: dict[str, Fact] = {"share_of_expected": float(np.median(shares))}
    symptom = Symptom("limit-narrow", names, f"{what} of {len(names)} nodes", "inside", facts)
    one = case(f"{what}, of what pairs reach alone", 100 * shares, is_exact, symptom)
    again = shlex.join(["weft", "run", f"{run.directory}.toml", "--on", run.meta.testbed["spec"]])
    more = f"more of the same on a quiet network: `{again}`"
    return decide(wanted, [one], more=more)
