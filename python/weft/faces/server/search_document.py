"""The state of a search for limits, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from weft.faces.server.content import Document
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.limits.diagnosis import searched_steps, study_of
from weft.understand.limits.naming import Namer

LAST_EXPERIMENTS = 20
"""How many of the latest experiments are listed."""


@dataclass(frozen=True)
class SearchDocument:
    """The results of a search so far and its next experiments; `limits`, `slow` and `asks` are tables."""

    is_over: bool
    trials: int
    last: list[str]
    limits: list[Document] = field(default_factory=list)
    slow: list[Document] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)
    candidates: list[list[str]] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    asks: list[Document] = field(default_factory=list)


def xray_document(run: RunFolder, is_over: bool) -> Document | None:
    """The results of a search for limits so far and its next experiments; None if the run has no search. For a search
    over several networks, `networks` has this for each, with its number from 1, and the rest combines all."""
    plan = run.meta.plan
    networks = [one for one in plan.networks if searched_steps(run.meta, one)]
    if not networks:
        return None
    if not any(isinstance(step.network, int) for step in plan.steps):
        return asdict(_search(run, networks[0], is_over))
    each = {
        network + 1: _search(run, network, is_over or _has_ended(run.meta, network))
        for network in networks
    }
    own = [asdict(one) | _tables(one, number) | {"network": number} for number, one in each.items()]
    return asdict(_together(each, is_over)) | {"networks": own}


def _search(run: RunFolder, network: int, is_over: bool) -> SearchDocument:
    steps = searched_steps(run.meta, network)
    chosen = [one for one in run.meta.phases if one["step"] in steps]
    last = [one["purpose"] for one in chosen[-LAST_EXPERIMENTS:]]
    if not (chosen and run.samples.num_rows):
        return SearchDocument(is_over, len(chosen), last)
    study, named = study_of(run, is_over, network), Namer(run.meta)
    return SearchDocument(
        is_over,
        len(chosen),
        last,
        limits=[named.limit(limit, study).to_json() for limit in study.limits],
        slow=[one.to_json() for one in named.slow(study)],
        groups=[list(named.names(group.members)) for group in study.groups],
        candidates=[list(named.names(one.members)) for one in study.survey.candidates.walk()],
        undecided=[f"{question}: {named.text(nodes)}" for question, nodes in study.undecided],
        asks=[
            {
                "kind": request.experiment.kind,
                "group": named.names(request.experiment.group),
                "within": named.names(request.experiment.within),
                "rounds": request.rounds,
            }
            for request in study.requests
        ],
    )


def _has_ended(meta: RunMeta, network: int) -> bool:
    """Whether the search on a network has ended, though the run may continue with the next network."""
    launches = [
        [step, launch]
        for step in searched_steps(meta, network)
        for launch in range(meta.plan.launches)
    ]
    return all(one in meta.done for one in launches)


def _together(each: Mapping[int, SearchDocument], is_over: bool) -> SearchDocument:
    """All networks combined; tables and texts state the number of the network."""
    tables = [_tables(one, number) for number, one in each.items()]
    return SearchDocument(
        is_over,
        sum(one.trials for one in each.values()),
        [f"network {number}: {text}" for number, one in each.items() for text in one.last],
        groups=[group for one in each.values() for group in one.groups],
        candidates=[group for one in each.values() for group in one.candidates],
        undecided=[
            f"network {number}: {text}" for number, one in each.items() for text in one.undecided
        ],
        **{
            name: [row for own in tables for row in own[name]]
            for name in ("limits", "slow", "asks")
        },
    )


def _tables(one: SearchDocument, number: int) -> dict[str, list[Document]]:
    """The tables with the network in each row."""
    found = {"limits": one.limits, "slow": one.slow, "asks": one.asks}
    return {name: [{**row, "network": number} for row in rows] for name, rows in found.items()}
