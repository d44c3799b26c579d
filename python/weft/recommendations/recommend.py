"""From all that is known of a cluster to what to do about it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence

from msgspec import Struct

from weft.errors import RequestError
from weft.nodeset import fold
from weft.plan import catalog
from weft.plan.load import load_plan, toml_text
from weft.prediction.draws import Draws
from weft.prediction.predict import Workload
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
from weft.twin.open import open_draws

SEARCH, ROUNDS = "xray", "rates"
"""The plan that searches for limits, and its step of full rounds, which shows a fault and its repair alike."""


class RecommendRequest(Struct, frozen=True):
    """What a user asks: the folders, what the network is known by, and what effects are stated on."""

    paths: tuple[str, ...]
    twin: str | None = None
    plan: str = "aapc"
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
            *_notes(judge, proposals_have_remedies=any(one.remedy for one in proposals)),
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
    draws = open_draws(request.twin)
    cluster = _cluster(sources.found)
    _refuse_other_hosts(request.twin, draws, cluster)
    # A twin has the rates that were measured, a fabric file those before --scale.
    scale = 1.0 if draws.drawn or cluster is None else cluster.scale or 1.0
    searches = [one.run for one in sources.found if isinstance(one, SearchRun)]
    return Judge(request.plan, tuple(_shown(request, draws, scale, searches)), request.twin)


def _refuse_other_hosts(twin: str, draws: Draws, cluster: Cluster | None) -> None:
    hosts = [one["name"] for one in draws.median.document.resolved()["hosts"]]
    if cluster is not None and not set(cluster.nodes) & set(hosts):
        raise RequestError(
            f"{twin} is of {fold(hosts)}, what was measured of {fold(cluster.nodes)}",
            "give the twin of this cluster",
        )


def _shown(
    request: RecommendRequest, draws: Draws, scale: float, runs: Sequence[Run]
) -> Iterator[Shown]:
    """The workload, then what the search itself measured: the same again shows a repair without a run before it."""
    plan = load_plan(request.plan, request.settings)
    before = [run for run in runs if run.meta.plan.steps == plan.steps]
    workload = Workload(request.plan, request.settings)
    text = catalog.read(catalog.find("plan", request.plan))
    yield Shown(
        Foresight(draws, workload, scale), text, request.settings, before[-1] if before else None
    )
    rounds = _rounds()
    (step,) = load_plan(rounds).steps
    for run in runs:
        if step in run.meta.plan.steps:
            foresight = Foresight(draws, Workload(rounds), scale)
            yield Shown(foresight, toml_text(rounds), run=run, measure="rate")
            return


def _rounds() -> dict[str, object]:
    """The full rounds of a search as a plan by themselves."""
    plan = tomllib.loads(catalog.read(catalog.find("plan", SEARCH)))
    steps = [one for one in plan["steps"] if one["name"] == ROUNDS]
    return {"name": ROUNDS, "title": "The full rounds of xray", "launches": 1, "steps": steps}
