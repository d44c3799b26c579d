"""Predicts alternatives for a network on all networks that it may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.decisions.what_if.alternative import Alternative
from weft.decisions.what_if.effects import Predicted, effects
from weft.decisions.what_if.extrapolation import extrapolations
from weft.decisions.what_if.network import Network, Subject
from weft.decisions.what_if.result import (
    SCHEMA,
    AlternativeOutcome,
    PredictedEffect,
    PriceChange,
    WhatIfResult,
)
from weft.network.cost.bill import NetworkBill, bill_of
from weft.network.cost.prices import PriceList
from weft.plan.load import load_plan
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict


@dataclass(frozen=True)
class WhatIfQuestion:
    """The question: which alternatives for which network, judged by which plans, at which scale."""

    subject: Subject
    alternatives: Sequence[Alternative]
    workloads: Sequence[PlannedWorkload]
    scale: float = 1.0
    prices: PriceList | None = None


def foresee(question: WhatIfQuestion) -> WhatIfResult:
    """All alternatives, the most effective first; raises RequestError if none can be predicted.

    An alternative that cannot be made or simulated states the reason, and the others continue.
    """
    subject = question.subject
    before = [_predicted(subject.networks, one, question.scale) for one in question.workloads]
    outcomes = [_outcome(question, one, before) for one in question.alternatives]
    if all(one.failed for one in outcomes):
        first = outcomes[0]
        raise RequestError(first.failed or "", _others_failed(outcomes))
    return WhatIfResult(
        SCHEMA,
        subject.name,
        subject.is_measured,
        len(subject.drawn),
        question.scale,
        tuple(dict.fromkeys(effect.plan for one in outcomes for effect in one.effects)),
        tuple(sorted(outcomes, key=lambda one: -(one.speedup or 0.0))),
        *((tuple(subject.twin.run_warnings), subject.twin.doubts) if subject.twin else ()),
    )


def _others_failed(outcomes: Sequence[AlternativeOutcome]) -> str:
    others = [f"{one.name}: {one.failed}" for one in outcomes[1:]]
    return f"nor can the others be predicted: {'; '.join(others)}" if others else ""


def _predicted(networks: Sequence[Network], workload: PlannedWorkload, scale: float) -> Predicted:
    return [predict(one.open(scale), workload) for one in networks]


def _outcome(
    question: WhatIfQuestion, one: Alternative, before: Sequence[Predicted]
) -> AlternativeOutcome:
    try:
        return _predict_outcome(question, one, before)
    except RequestError as error:
        why = f"{error.message} ({error.hint})" if error.hint else error.message
        return AlternativeOutcome(one.name, one.texts, failed=why)


def _predict_outcome(
    question: WhatIfQuestion, one: Alternative, before: Sequence[Predicted]
) -> AlternativeOutcome:
    subject, scale = question.subject, question.scale
    networks = [one.after(network) for network in subject.networks]
    found: list[PredictedEffect] = []
    for workload, seen in zip(question.workloads, before, strict=True):
        after = _predicted(networks, one.workload(workload), scale)
        new = effects(workload, seen, after, (subject.discrepancy, subject.rate_discrepancy))
        found += _marked(new, subject, workload)
    ends = [network.open(scale) for network in (subject.median, networks[0])]
    outcome = AlternativeOutcome(
        one.name,
        one.texts,
        tuple(found),
        hosts_before=len(ends[0].nodes),
        hosts_after=len(ends[1].nodes),
        notes=tuple(extrapolations(*ends)) if subject.is_measured else (),
        price=price_of(subject.median, networks[0], question.prices),
    )
    return replace(outcome, speedup=_overall(found)) if found else _without_effects(outcome)


def _marked(
    found: list[PredictedEffect], subject: Subject, workload: PlannedWorkload
) -> list[PredictedEffect]:
    """The effects, marked if the twin was fitted to the step."""
    if subject.twin is None:
        return found
    seen = subject.twin.in_sample(load_plan(workload.plan, workload.overrides))
    return [replace(one, in_sample=one.step in seen) for one in found]


def _overall(found: Sequence[PredictedEffect]) -> float:
    return math.exp(sum(math.log(one.speedup.median) for one in found) / len(found))


def _without_effects(outcome: AlternativeOutcome) -> AlternativeOutcome:
    return replace(outcome, failed="no step and size gave a number before and after")


def price_of(before: Network, after: Network, prices: PriceList | None) -> PriceChange | None:
    """The network's price before and after, without nodes; None if it has no prices. Raises RequestError if given
    prices do not suit it."""
    try:
        bills = [_bill(network, prices) for network in (before, after)]
    except RequestError:
        if prices is None:
            return None
        raise
    old, new = bills
    not_priced = tuple(dict.fromkeys((*old.not_priced, *new.not_priced)))
    return PriceChange(
        old.currency, old.year, old.network, new.network, new.network - old.network, not_priced
    )


def _bill(network: Network, prices: PriceList | None) -> NetworkBill:
    source = network.document.resolved() if isinstance(network, NetworkDraw) else network.text
    return bill_of(source, prices)
