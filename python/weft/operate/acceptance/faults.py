"""Faults: the elements that explain why requirements are not met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from weft.operate.acceptance.causes import MOST_CAUSES, causes_of
from weft.operate.acceptance.verdict import Cause, RequirementVerdict, Symptom


class ElementFault(Struct, frozen=True):
    """An element, the verdicts that it spoils, and its likely causes."""

    element: str
    nodes: tuple[str, ...]
    symptoms: tuple[Symptom, ...]
    verdicts: tuple[RequirementVerdict, ...]
    causes: tuple[Cause, ...]


def faults(verdicts: Sequence[RequirementVerdict]) -> list[ElementFault]:
    """The faults of all symptoms, first the one that spoils most requirements, in a tie the one with fewer nodes.

    A route belongs to the fault of its end, if that end has one of its own.
    """
    pairs = [
        (one, symptom) for one in verdicts if one.status == "not met" for symptom in one.symptoms
    ]
    homes = {frozenset(symptom.nodes) for _, symptom in pairs}
    found: dict[frozenset[str], list[tuple[RequirementVerdict, Symptom]]] = {}
    for verdict, symptom in pairs:
        found.setdefault(_home(symptom, homes), []).append((verdict, symptom))
    return sorted(
        (_fault(list(mine)) for mine in found.values()),
        key=lambda fault: (-len(fault.verdicts), len(fault.nodes)),
    )


def with_causes(verdicts: Sequence[RequirementVerdict]) -> list[RequirementVerdict]:
    """The verdicts, each with the causes of the faults that spoil it, considering what other verdicts show about the
    same element."""
    found: dict[str, dict[str, Cause]] = {}
    for fault in faults(verdicts):
        for one in fault.verdicts:
            found.setdefault(one.requirement, {}).update(
                {cause.code: cause for cause in fault.causes}
            )
    return [
        replace(one, causes=tuple(islice(found.get(one.requirement, {}).values(), MOST_CAUSES)))
        for one in verdicts
    ]


def _home(symptom: Symptom, homes: set[frozenset[str]]) -> frozenset[str]:
    ends = [frozenset([node]) for node in symptom.nodes]
    bad = [end for end in ends if end in homes]
    return bad[0] if len(ends) == 2 and len(bad) == 1 else frozenset(symptom.nodes)


def _fault(pairs: Sequence[tuple[RequirementVerdict, Symptom]]) -> ElementFault:
    symptoms = tuple(symptom for _, symptom in pairs)
    home = min(symptoms, key=lambda one: len(one.nodes))
    return ElementFault(
        _element(home, symptoms),
        home.nodes,
        symptoms,
        tuple(_distinct(verdict for verdict, _ in pairs)),
        tuple(causes_of(symptoms)),
    )


def _element(home: Symptom, symptoms: Sequence[Symptom]) -> str:
    """The element's name, without a direction if symptoms have several."""
    directions = {one.direction for one in symptoms}
    return home.element.removesuffix(f" {home.direction}") if len(directions) > 1 else home.element


def _distinct(verdicts: Iterator[RequirementVerdict]) -> Iterator[RequirementVerdict]:
    seen = set()
    for one in verdicts:
        if one.requirement not in seen:
            seen.add(one.requirement)
            yield one
