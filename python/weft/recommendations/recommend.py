"""From all that is known of a cluster to what to do about it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence

from msgspec import Struct

from weft.errors import RequestError
from weft.nodeset import fold
from weft.plan import catalog
from weft.plan.load import load_plan, toml_text
from weft.plan.plan import Step
from weft.prediction.predict import Drawn, Workload
from weft.recommendations.effects import Judge, Shown
from weft.recommendations.foresight import Foresight
from weft.recommendations.recommendations import (
    Read,
    Recommendations,
    joined,
    ordered,
    verdict_of,
)
from weft.recommendations.remedy import Proposal
from weft.recommendations.search_run import SearchRun
from weft.recommendations.source import Cluster, Source, Sources
from weft.recommendations.sources import read_sources
from weft.runs.folder import Run
from weft.what_if.network import Subject, open_subject
from weft.what_if.workloads import workloads

SEARCH, ROUNDS = "xray", "rates"
"""The plan that searches for limits, and its step of full rounds, which shows a fault and its repair alike."""


class RecommendRequest(Struct, frozen=True):
    """What a user asks: the folders, what the network is known by, and what effects are stated on; without a plan an
    all-to-all of blocks that suit the hosts."""

    paths: tuple[str, ...]
    twin: str | None = None
    plan: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


def recommend(request: RecommendRequest) -> Recommendations:
    """All of it; raises RequestError for what is none of weft's, and for two clusters mixed up."""
    if not request.paths:
        raise RequestError(
            "nothing to recommend from", "give folders: weft recommend runs/xray runs/signature"
        )
    sources = read_sources(request.paths)
    proposals = joined(one for source in sources.found for one in source.proposals())
    judge = _judge(request, sources)
    found = ordered(judge.actions(proposals) if judge else (one.action for one in proposals))
    doing = [one for one in found if one.kind != "do-nothing"]
    read = tuple(Read(str(one.path), one.said) for one in sources.found)
    cluster = _cluster(sources.found)
    return Recommendations(
        verdict_of(doing, read),
        tuple(doing),
        tuple(one for one in found if one.kind == "do-nothing"),
        read,
        (
            *sources.notes,
            *_notes(judge, proposals),
        ),
        judge.name if judge else "",
        judge.twin if judge else "",
        cluster.spec if cluster else "",
        (cluster.scale if cluster else None) or 1.0,
    )


def _notes(judge: Judge | None, proposals: Sequence[Proposal]) -> Iterator[str]:
    if judge is None:
        if any(one.remedy for one in proposals):
            yield "no effect is predicted without a model of the network: give --twin"
    elif unknown := judge.unknown(proposals):
        yield f"{judge.twin} does not show {', '.join(unknown)}: is it of this cluster, and as old as its runs?"


def _cluster(found: Sequence[Source]) -> Cluster | None:
    """That of the source with most nodes."""
    known = [one.cluster for one in found if one.cluster is not None]
    return max(known, key=lambda one: len(one.nodes), default=None)


def _judge(request: RecommendRequest, sources: Sources) -> Judge | None:
    if request.twin is None:
        return None
    subject = open_subject(request.twin)
    cluster = _cluster(sources.found)
    _refuse_other_hosts(subject, cluster)
    # A twin has the rates that were measured, a fabric file those before --scale.
    scale = 1.0 if subject.is_measured or cluster is None else cluster.scale or 1.0
    plans = [request.plan] if request.plan else []
    (workload,) = workloads(subject, plans, request.settings, scale)
    runs = [one.run for one in sources.found if isinstance(one, SearchRun)]
    shown = [_workload(Foresight(subject, workload, scale), runs), *_rounds(subject, scale, runs)]
    return Judge(load_plan(workload.plan, workload.overrides).name, tuple(shown), request.twin)


def _refuse_other_hosts(subject: Subject, cluster: Cluster | None) -> None:
    if not isinstance(subject.median, Drawn):
        raise RequestError(
            f"--twin {subject.name}: has loops, so its links cannot be changed one by one",
            "give a twin, or a fabric that is a tree",
        )
    hosts = [one["name"] for one in subject.median.document.resolved()["hosts"]]
    if cluster is not None and not set(cluster.nodes) & set(hosts):
        raise RequestError(
            f"{subject.name} is of {fold(hosts)}, what was measured of {fold(cluster.nodes)}",
            "give the twin of this cluster",
        )


def _workload(foresight: Foresight, runs: Sequence[Run]) -> Shown:
    """The plan that effects are stated on; a run of it, where there is one, is what was before."""
    plan, settings = str(foresight.workload.plan), foresight.workload.overrides
    steps = load_plan(plan, settings).steps
    before = [run for run in runs if all(_has(run, step) for step in steps)]
    text = catalog.read(catalog.find("plan", plan))
    return Shown(foresight, text, settings, before[-1] if before else None)


def _rounds(subject: Subject, scale: float, runs: Sequence[Run]) -> Iterator[Shown]:
    """What a search measured itself: the same again shows a repair without another run before it."""
    plan = tomllib.loads(catalog.read(catalog.find("plan", SEARCH)))
    steps = [one for one in plan["steps"] if one["name"] == ROUNDS]
    rounds = {
        "name": ROUNDS,
        "title": f"The full rounds of {SEARCH}",
        "launches": 1,
        "steps": steps,
    }
    (step,) = load_plan(rounds).steps
    for run in [one for one in runs if _has(one, step)][:1]:
        yield Shown(Foresight(subject, Workload(rounds), scale), toml_text(rounds), run=run)


def _has(run: Run, step: Step) -> bool:
    """Whether a run measured this; processors and how the ends waited were settled when it ran."""
    return any(
        (one.name, one.pattern, one.transport, one.sizes, one.stop)
        == (step.name, step.pattern, step.transport, step.sizes, step.stop)
        for one in run.meta.plan.steps
    )
