"""The network on which proposals are evaluated: a given twin, or one made from the measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.base.nodeset import fold
from weft.decisions.recommendations.effects import EffectJudge, ShownPlan
from weft.decisions.recommendations.foresight import Foresight
from weft.decisions.recommendations.pricing import pricing_of
from weft.decisions.recommendations.sources.pair_run import PairRun
from weft.decisions.recommendations.sources.search_run import SearchRun
from weft.decisions.recommendations.sources.source import EvidenceSource, cluster_of_most
from weft.decisions.recommendations.sources.twin_folder import TwinFolder
from weft.decisions.twin.build import make_twin
from weft.decisions.what_if.network import Subject, open_subject
from weft.decisions.what_if.workloads import workloads
from weft.plan.load import load_plan, toml_text
from weft.plan.plan import Step
from weft.runs.folder import RunFolder
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload
from weft.understand.host.disturbed import not_usable

SEARCH, ROUNDS = "xray", "rates"
"""The plan that searches for limits, and its step of full rounds, which shows both a fault and its repair."""
DRAWS = 30
"""Number of draws in a twin that is made here."""


class JudgingRequest(Struct, frozen=True):
    """What effects are predicted from, and stated on; without a plan, an all-to-all with blocks that suit the hosts."""

    twin: str | None = None
    plan: str | None = None
    settings: tuple[tuple[str, str], ...] = ()
    prices: str | None = None


def judge_of(
    asked: JudgingRequest, found: Sequence[EvidenceSource], place: Path
) -> EffectJudge | None:
    """The judge; None if the network is unknown. A twin that has to be made is written to `place`; raises RequestError
    if none can be made from the runs."""
    name = asked.twin or next((str(one.path) for one in found if isinstance(one, TwinFolder)), None)
    runs = [one.run for one in found if isinstance(one, SearchRun)]
    if name is not None:
        return _judge(asked, found, open_subject(name), runs, name)
    made_of = _fit_for_a_twin(found)
    if not made_of:
        return None
    make_twin(made_of, place, DRAWS)
    return _judge(
        asked, found, open_subject(str(place)), runs, f"a twin of {' and '.join(made_of)}"
    )


def _fit_for_a_twin(found: Sequence[EvidenceSource]) -> list[str]:
    """The search and other measurements of the same nodes; empty without a search, as only that shows limits."""
    searches = [
        one
        for one in found
        if isinstance(one, SearchRun) and one.is_search and not not_usable(one.run.meta)
    ]
    if not searches:
        return []
    nodes = set(searches[0].cluster.nodes)
    runs = [one for one in found if isinstance(one, SearchRun | PairRun)]
    quiet = [one for one in runs if not not_usable(one.run.meta)]
    return [str(one.path) for one in quiet if set(one.cluster.nodes) <= nodes]


def _judge(
    asked: JudgingRequest,
    found: Sequence[EvidenceSource],
    subject: Subject,
    runs: Sequence[RunFolder],
    said: str,
) -> EffectJudge:
    cluster = cluster_of_most(found)
    _refuse_other_hosts(subject, set(cluster.nodes) if cluster else set())
    # A twin has measured rates, a fabric file those before --scale.
    scale = 1.0 if subject.is_measured or cluster is None else cluster.scale or 1.0
    plans = [asked.plan] if asked.plan else []
    (workload,) = workloads(subject, plans, asked.settings, scale)
    shown = [_workload(Foresight(subject, workload, scale), runs), *_rounds(subject, scale, runs)]
    plan = load_plan(workload.plan, workload.overrides).name
    pricing = pricing_of(asked.prices, shown[0].foresight.document)
    return EffectJudge(plan, tuple(shown), said, pricing)


def _refuse_other_hosts(subject: Subject, nodes: set[str]) -> None:
    if not isinstance(subject.median, NetworkDraw):
        raise RequestError(
            f"--twin {subject.name}: has loops, so its links cannot be changed one by one",
            "give a twin, or a fabric that is a tree",
        )
    hosts = [one["name"] for one in subject.median.document.resolved()["hosts"]]
    if nodes and not nodes & set(hosts):
        raise RequestError(
            f"{subject.name} is of {fold(hosts)}, what was measured of {fold(nodes)}",
            "give the twin of this cluster",
        )


def _workload(foresight: Foresight, runs: Sequence[RunFolder]) -> ShownPlan:
    """The plan on which effects are stated, and a run of it before, if there is one."""
    plan, settings = str(foresight.workload.plan), foresight.workload.overrides
    steps = load_plan(plan, settings).steps
    before = [run for run in runs if all(_has(run, step) for step in steps)]
    text = catalog.read(catalog.find("plan", plan))
    return ShownPlan(foresight, text, settings, before[-1] if before else None)


def _rounds(subject: Subject, scale: float, runs: Sequence[RunFolder]) -> Iterator[ShownPlan]:
    """The rounds of a search, whose repetition shows a repair without another run before it."""
    plan = parse_toml(catalog.read(catalog.find("plan", SEARCH)), SEARCH)
    steps = [one for one in plan["steps"] if one["name"] == ROUNDS]
    rounds = {
        "name": ROUNDS,
        "title": f"The full rounds of {SEARCH}",
        "launches": 1,
        "steps": steps,
    }
    (step,) = load_plan(rounds).steps
    for run in [one for one in runs if _has(one, step)][:1]:
        yield ShownPlan(
            Foresight(subject, PlannedWorkload(rounds), scale), toml_text(rounds), run=run
        )


def _has(run: RunFolder, step: Step) -> bool:
    """Whether a run measured this step; processors and waiting were settled when it ran."""
    return any(
        (one.name, one.pattern, one.transport, one.sizes, one.stop)
        == (step.name, step.pattern, step.transport, step.sizes, step.stop)
        for one in run.meta.plan.steps
    )
