"""Documents about a run that change while it measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.diagnosis.ensemble.matrix import RateMatrix, matrices
from weft.diagnosis.ensemble.rates import Rates
from weft.diagnosis.limits.diagnosis import searched_steps, study_of
from weft.diagnosis.limits.naming import Namer
from weft.runs.folder import Run
from weft.runs.meta import RunMeta
from weft.statistics import Floats

Document = dict[str, object]

MOST_ROWS = 256
"""A larger matrix is shown by blocks of nodes, each by its slowest route."""
LAST_EXPERIMENTS = 20
"""So many of the experiments that were tried last are listed."""


def matrix_document(run: Run) -> Document:
    """The rates between nodes, a matrix for each step between many, as far as it is measured."""
    if not run.samples.num_rows:
        return {"matrices": []}
    found = matrices(run, Rates.of(run), least_share=0.0)
    return {"matrices": [_matrix(run.meta, one) for one in found]}


def _matrix(meta: RunMeta, one: RateMatrix) -> Document:
    block = -(-len(one.members) // MOST_ROWS)
    latency = None if one.latency_us is None else _blocks(one.latency_us, block, np.nanmax)
    return {
        "step": one.step,
        "name": meta.plan.steps[one.step].name,
        "pattern": one.pattern,
        "size_bytes": one.size_bytes,
        "nodes": list(one.names[::block]),
        "members": one.members[::block].tolist(),
        "nodes_per_row": block,
        "asked": one.asked,
        "measured": one.measured,
        "rate_mbps": _blocks(one.mbps, block, np.nanmin),
        "latency_us": latency,
    }


def _blocks(values: Floats, block: int, worst: Any) -> list[list[float | None]]:
    """Rows of rounded values, null where there is none; of each block of nodes the worst."""
    if block > 1:
        count = -(-len(values) // block)
        padded = np.full((count * block,) * 2, np.nan)
        padded[: len(values), : len(values)] = values
        parts = padded.reshape(count, block, count, block).swapaxes(1, 2).reshape(count, count, -1)
        none = np.isnan(parts).all(axis=2)
        parts[none] = 0.0
        values = np.where(none, np.nan, worst(parts, axis=2))
    return [[None if value != value else float(f"{value:.6g}") for value in row] for row in values]


def xray_document(run: Run, is_over: bool) -> Document | None:
    """What the search for limits believes so far and would try next; None where the run has no search. Where it goes
    over several networks, `networks` has this of each, with its number from 1, and the rest is of all together."""
    plan = run.meta.plan
    networks = [one for one in plan.networks if searched_steps(run.meta, one)]
    if not networks:
        return None
    if not any(isinstance(step.network, int) for step in plan.steps):
        return _search(run, networks[0], is_over)
    each = [
        _numbered(network + 1, _search(run, network, is_over or _has_ended(run.meta, network)))
        for network in networks
    ]
    texts = {name: _texts(each, name) for name in ("last", "undecided")}
    together = {name: [one for own in each for one in own[name]] for name in _NOTHING}
    trials = sum(own["trials"] for own in each)
    return {**together, **texts, "trials": trials, "is_over": is_over, "networks": each}


def _search(run: Run, network: int, is_over: bool) -> dict[str, Any]:
    """The same of one network."""
    steps = searched_steps(run.meta, network)
    chosen = [one for one in run.meta.phases if one["step"] in steps]
    tried = {"trials": len(chosen), "last": [one["purpose"] for one in chosen[-LAST_EXPERIMENTS:]]}
    if not (chosen and run.samples.num_rows):
        return {**tried, "is_over": is_over, **_NOTHING}
    study, named = study_of(run, is_over, network), Namer(run.meta)
    return {
        **tried,
        "is_over": is_over,
        "limits": [named.limit(limit, study).to_json() for limit in study.limits],
        "slow": [one.to_json() for one in named.slow(study)],
        "groups": [named.names(group.members) for group in study.groups],
        "candidates": [named.names(one.members) for one in study.survey.candidates.walk()],
        "undecided": [f"{question}: {named.text(nodes)}" for question, nodes in study.undecided],
        "asks": [
            {
                "kind": request.experiment.kind,
                "group": named.names(request.experiment.group),
                "within": named.names(request.experiment.within),
                "rounds": request.rounds,
            }
            for request in study.requests
        ],
    }


def _has_ended(meta: RunMeta, network: int) -> bool:
    """Whether nothing more is tried on a network, though the run may go on with the next one."""
    launches = [
        [step, launch]
        for step in searched_steps(meta, network)
        for launch in range(meta.plan.launches)
    ]
    return all(one in meta.done for one in launches)


def _numbered(number: int, found: dict[str, Any]) -> dict[str, Any]:
    """With the network of what is found: lists of what is a table itself say so in each of its entries."""
    own = {
        name: [{**one, "network": number} for one in found[name]]
        for name in ("limits", "slow", "asks")
    }
    return {**found, **own, "network": number}


def _texts(each: Sequence[dict[str, Any]], name: str) -> list[str]:
    return [f"network {own['network']}: {text}" for own in each for text in own[name]]


_NOTHING: Document = {
    name: [] for name in ("limits", "slow", "groups", "candidates", "undecided", "asks")
}
