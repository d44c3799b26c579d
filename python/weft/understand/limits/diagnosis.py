"""The diagnosis of a network from a run: shared limits, slow nodes and routes, with their confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft.base.interval import Interval
from weft.base.quantity import range_mbps, range_us
from weft.base.statistics import median_interval
from weft.plan.pattern import ManyNodes, Search, Xray
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.digests import sampled_steps
from weft.runs.experiment import MOST_NODES
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.advice.advise import recommendations
from weft.understand.curve.signature import signature
from weft.understand.curve.thresholds import thresholds
from weft.understand.explain.explain import explain
from weft.understand.grey.report import grey_report, is_health_check
from weft.understand.host.other_traffic import OtherTraffic, other_traffic
from weft.understand.limits.declared import DeclaredNetwork
from weft.understand.limits.differences import FabricDifference, differences, unobservable
from weft.understand.limits.fabric_tree import has_one_way
from weft.understand.limits.findings import LimitFindings
from weft.understand.limits.healthy import health_findings
from weft.understand.limits.naming import Namer
from weft.understand.limits.networks import on_network, over_networks
from weft.understand.limits.wording import (
    aside_texts,
    cut_text,
    doubt_text,
    several_paths_text,
    slow_doubt_text,
    verdict_text,
)
from weft.understand.multi_pair.multi_pair import multi_pair_points
from weft.understand.multi_pair.pair_order import PairOrder, pair_orders
from weft.understand.node.full_part import full_parts
from weft.understand.paths.report import path_report
from weft.understand.studies.find import studies
from weft.understand.xray.limit.limit import SharedLimit
from weft.understand.xray.study import SearchStudy, conclude
from weft.understand.xray.survey import take_survey
from weft.understand.xray.trial import trials

LEAST_NODES = 4
"""Two groups need at least two nodes each."""


def diagnose(run: RunFolder, declared: DeclaredNetwork | None = None) -> LimitFindings:
    """Diagnose a run, complete or interrupted; `declared` is the network as designed, for comparison."""
    beside = other_traffic(run.meta, run.side_table(EVIDENCE_NAME))
    found, explanations = _findings(run, declared, beside), explain(run)
    recommended = recommendations(run, explanations, found.thresholds)
    paths = several_paths_text(found, run.meta.testbed)
    said = [found.verdict, paths, *aside_texts(run.meta, beside)]
    verdict = " ".join(text for text in said if text)
    return replace(found, verdict=verdict, explanations=explanations, recommendations=recommended)


def _findings(
    run: RunFolder, declared: DeclaredNetwork | None, beside: Sequence[OtherTraffic]
) -> LimitFindings:
    """The findings from rates alone, without the evidence recorded with them."""
    meta = run.meta
    if orders := pair_orders(multi_pair_points(run)):
        return LimitFindings(_pairs_verdict(orders), pairs=orders)
    if not meta.plan.steps_of(ManyNodes) or run.samples.num_rows == 0:
        if found := studies(run):
            verdict = " ".join(f"{one.title}: {one.text}" for one in found)
            return LimitFindings(verdict, studies=found)
        if full := full_parts(run):
            verdict = " ".join(one.text for one in full)
            return LimitFindings(verdict, thresholds=thresholds(run), full_parts=full)
        return LimitFindings(_pair_verdict(run), thresholds=thresholds(run))
    if why := _unsearchable(meta):
        return LimitFindings(why)
    networks = meta.plan.networks
    each = [_of_network(run, one, declared and declared.on(one), beside) for one in networks]
    if not any(isinstance(step.network, int) for step in meta.plan.steps):
        return each[0]
    return over_networks(
        [on_network(one, network + 1) for network, one in zip(networks, each, strict=True)]
    )


def _of_network(
    run: RunFolder, network: int, declared: DeclaredNetwork | None, beside: Sequence[OtherTraffic]
) -> LimitFindings:
    """The findings from the steps on a network."""
    meta = run.meta
    steps = [at for at, step in enumerate(meta.plan.steps) if step.on_network == network]
    if quick := [index for index in steps if _is_quick(meta, index)]:
        return health_findings(run, quick[0])
    if found := [index for index in steps if meta.plan.steps[index].pattern.kind == "paths"]:
        report = path_report(run, found[-1])
        return LimitFindings(report.verdict, paths=report)
    if is_health_check(meta.plan, network):
        health = grey_report(run, steps[-1])
        return LimitFindings(health.verdict, grey=health)
    return _limits_of(run, network, declared, beside)


def _limits_of(
    run: RunFolder, network: int, declared: DeclaredNetwork | None, beside: Sequence[OtherTraffic]
) -> LimitFindings:
    """The findings of a search for limits on a network, or of full rounds without a search."""
    meta = run.meta
    study = study_of(run, network=network)
    named = Namer(meta)
    if len(study.survey.nodes) < LEAST_NODES:
        count = len(study.survey.nodes)
        if count == 0:
            return LimitFindings("Nothing was measured that tells groups of nodes apart.")
        return LimitFindings(
            f"Too few nodes to tell groups apart: {count}, and it takes {LEAST_NODES}."
        )
    searched = searched_steps(meta, network)
    all_nodes = study.survey.nodes
    believed: list[SharedLimit] = []
    doubted: list[SharedLimit] = []
    for one in study.limits:
        (doubted if doubt_text(one, all_nodes, meta, beside) else believed).append(one)
    limits = [named.limit(limit, study) for limit in believed]
    doubts = [(doubt_text(one, all_nodes, meta, beside), one.members) for one in doubted]
    undecided = [f"{text}: {named.text(nodes)}" for text, nodes in [*study.undecided, *doubts]]
    slow = []
    for each in named.slow(study):
        if doubt := slow_doubt_text(each, meta, beside):
            undecided.append(doubt)
        else:
            slow.append(each)
    if searched and study.requests:
        undecided.append(f"the search ended before {len(study.requests)} more experiments")
    verdict = verdict_text(limits, slow, cut_text(study), bool(searched), undecided)
    return LimitFindings(
        verdict=verdict,
        groups=[
            named.names(group.members)
            for group in study.groups
            if not doubted or group.members != all_nodes
        ],
        limits=limits,
        slow=slow,
        undecided=undecided,
        differences=_texts(differences(declared, study, named.all)) if declared else [],
        unobservable=unobservable(declared) if declared else [],
        full_rate_mbps=_full_rate(study),
        has_several_paths=study.has_several_paths or not has_one_way(meta.testbed.get("fabric")),
    )


def _pair_verdict(run: RunFolder) -> str:
    """What the nodes of a pair reached; that nothing was measured if there is no curve."""
    found = signature(run)
    if found is None:
        return "Nothing was measured between nodes."
    parts = [
        f"latency {range_us(found.latency_us)}" if found.latency_us else "",
        f"peak {range_mbps(found.peak_mbps)}" if found.peak_mbps else "",
    ]
    names = " to ".join(str(node["name"]) for node in run.meta.nodes)
    return f"{names}: {', '.join(filter(None, parts))}."


def _pairs_verdict(orders: list[PairOrder]) -> str:
    """The fastest policy of each test with the most pairs, in words."""
    most = max(order.pairs for order in orders)
    best = [f"{one.test} {' or '.join(one.fastest)}" for one in orders if one.pairs == most]
    count = "1 pair" if most == 1 else f"{most} pairs"
    return f"With {count} the fastest use of the interfaces is: {', '.join(best)}."


def _texts(found: list[FabricDifference]) -> list[str]:
    return [one.text for one in found]


def _unsearchable(meta: RunMeta) -> str:
    """Why a run over many nodes cannot be searched for limits; empty if it can."""
    if sampled_steps(meta):
        return (
            "Of some steps only a sample of the transfers is kept, and limits are found from what all of them got at "
            "the same time; `weft show` says what held them back."
        )
    if len(meta.nodes) > MOST_NODES:
        return f"{len(meta.nodes)} nodes are too many to look for limits among: it takes {MOST_NODES} at most."
    return ""


def study_of(run: RunFolder, is_over: bool = True, network: int | None = None) -> SearchStudy:
    """The conclusions from a run's survey and search of a network, by default its first. If the search is not over,
    they include the trials that it would do next."""
    meta = run.meta
    network = min(meta.plan.networks, default=0) if network is None else network
    survey = take_survey(run.samples, meta.plan, len(meta.nodes), meta.lost_nodes, network)
    searched = (trials(run.samples, step, meta.phases) for step in searched_steps(meta, network))
    return conclude(survey, [trial for step in searched for trial in step], is_over)


def searched_steps(meta: RunMeta, network: int | None = None) -> list[int]:
    """The indices of steps that choose what they measure, on one network or on all."""
    steps = meta.plan.steps_of(Search)
    return [index for index, step, _ in steps if network in (None, step.on_network)]


def _is_quick(meta: RunMeta, step: int) -> bool:
    return any(pattern.quick for at, _, pattern in meta.plan.steps_of(Xray) if at == step)


def _full_rate(study: SearchStudy) -> Interval | None:
    nodes = sorted(study.survey.nodes)
    rates = np.minimum(study.ports.send_mbps, study.ports.receive_mbps)[nodes]
    return median_interval(rates) if nodes else None
