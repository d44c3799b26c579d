"""Derives the status of a requirement from the intervals of single cases: the interval decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.base import sequential
from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.operate.acceptance.requirements import Requirement, value_text
from weft.operate.acceptance.verdict import RequirementVerdict, Status, Symptom

LAUNCHES = sequential.LOOKS[0]
"""Fewer values give no interval of their median."""


@dataclass(frozen=True)
class Case:
    """A pair, node or count that a requirement is about, with one value for each launch."""

    name: str
    interval: Interval
    is_known: bool = True
    symptom: Symptom | None = None


def case(name: str, values: Floats, is_exact: bool, symptom: Symptom | None = None) -> Case:
    """A case of values measured in launches; if they are exact, one is enough."""
    found = sequential.interval(values)
    return Case(name, found, is_exact or len(values) >= LAUNCHES, symptom)


def status_of(one: Case, wanted: Requirement) -> Status:
    """The status by the side of the limit on which the interval lies."""
    if not one.is_known or wanted.limit is None:
        return "not decided"
    below, above = one.interval.high < wanted.limit, one.interval.low > wanted.limit
    if wanted.kind.sense == "least":
        return (
            "not met" if below else ("met" if one.interval.low >= wanted.limit else "not decided")
        )
    return "not met" if above else ("met" if one.interval.high <= wanted.limit else "not decided")


def decide(
    wanted: Requirement, cases: Sequence[Case], evidence: Sequence[str] = (), more: str = ""
) -> RequirementVerdict:
    """The verdict: all cases must be on the right side. `more` says what would decide those that are on neither
    side."""
    if not cases:
        return undecided(wanted, more)
    by_status = {
        status: [one for one in cases if status_of(one, wanted) == status] for status in _ORDER
    }
    status = next(one for one in _ORDER if by_status[one])
    sign = 1 if wanted.kind.sense == "least" else -1
    for alike in by_status.values():
        alike.sort(key=lambda one: sign * float(np.nan_to_num(one.interval.median)))
    worst = by_status[status][0]
    told = [*evidence, *(_text(one, wanted) for one in by_status[status][:MOST_TOLD])]
    symptoms = [one.symptom for one in by_status["not met"] if one.symptom]
    return RequirementVerdict(
        wanted.key,
        wanted.title,
        status,
        worst.interval,
        wanted.unit,
        wanted.limit,
        tuple(_distinct(symptoms)),
        evidence=tuple(told if status != "met" else [*evidence, _text(worst, wanted)]),
        would_decide=more if status == "not decided" else "",
    )


def undecided(wanted: Requirement, what: str) -> RequirementVerdict:
    """The verdict on a requirement for which nothing was measured."""
    return RequirementVerdict(
        wanted.key, wanted.title, "not decided", None, wanted.unit, wanted.limit, would_decide=what
    )


def settled(
    wanted: Requirement, symptoms: Sequence[Symptom], evidence: Sequence[str]
) -> RequirementVerdict:
    """The verdict on a requirement without a number: met if there are no symptoms."""
    return RequirementVerdict(
        wanted.key,
        wanted.title,
        "not met" if symptoms else "met",
        None,
        wanted.unit,
        wanted.limit,
        tuple(symptoms),
        evidence=tuple(evidence),
    )


def text_of(interval: Interval, unit: str) -> str:
    """A value with its interval, such as 94.1 Mb/s (93.9 Mb/s to 94.2 Mb/s)."""
    middle, low, high = (
        value_text(x, unit) for x in (interval.median, interval.low, interval.high)
    )
    return middle if low == high else f"{middle} ({low} to {high})"


_ORDER: tuple[Status, ...] = ("not met", "not decided", "met")
MOST_TOLD = 6


def _text(one: Case, wanted: Requirement) -> str:
    return f"{one.name}: {text_of(one.interval, wanted.unit)}"


def _distinct(symptoms: Sequence[Symptom]) -> list[Symptom]:
    """The first symptom of each element."""
    found: dict[tuple[str, str], Symptom] = {}
    for one in symptoms:
        found.setdefault((one.kind, one.element), one)
    return list(found.values())
