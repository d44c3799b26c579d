"""All recommendations for a cluster, in order of value, as stored in recommendations.json."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.decisions.recommendations.action import Action, ActionEvidence, Check, Effort, Kind
from weft.decisions.recommendations.remedy import Proposal
from weft.decisions.recommendations.words import action_text
from weft.runs.run_warnings import RunWarning

SCHEMA = "weft-recommendations/1"
WORK: dict[Effort, float] = {"minutes": 1.0, "hours": 8.0, "purchase": 100.0}
"""The relative weight of an effort if its price is unknown."""
KINDS: tuple[Kind, ...] = ("fix", "tune", "operate", "upgrade", "measure", "do-nothing")
"""Order of actions of equal value: repairs come before purchases."""


class Read(Struct, frozen=True):
    """A folder or file that was read, and its result in a clause."""

    path: str
    said: str


class RecommendationList(Struct, frozen=True):
    """`actions` are the most valuable first; `against` is what not to do. Effects are stated on `workload`, as
    predicted by a `twin` (empty if there was none); `testbed` and `scale` are where it was measured; `warnings` are
    those of all runs that it rests on."""

    verdict: str
    actions: tuple[Action, ...]
    against: tuple[Action, ...]
    read: tuple[Read, ...]
    notes: tuple[str, ...] = ()
    workload: str = ""
    twin: str = ""
    testbed: str = ""
    scale: float = 1.0
    schema: str = SCHEMA
    warnings: tuple[RunWarning, ...] = ()

    @property
    def all(self) -> tuple[Action, ...]:
        """What to do, then what not to do."""
        return (*self.actions, *self.against)

    def find(self, id_: str) -> Action:
        """The action of this name; raises RequestError if there is none."""
        known = {one.id: one for one in self.all}
        if id_ in known:
            return known[id_]
        raise RequestError(
            f"no recommendation {id_!r}",
            known_names(id_, list(known)) if known else "there is none",
        )


def joined(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Proposals without duplicates: equal ones of several sources are merged with the evidence of all."""
    found: dict[str, Proposal] = {}
    for one in proposals:
        known = found.get(one.action.id)
        found[one.action.id] = _both(known, one) if known else one
    return list(found.values())


def _both(one: Proposal, other: Proposal) -> Proposal:
    """Merge two proposals: the first says what to do; a fault's likely cause in the other (from an acceptance) becomes
    evidence."""
    said = ActionEvidence(other.action.evidence[0].source, other.action.do)
    checks: tuple[Check, ...] = tuple(dict.fromkeys((*one.action.checks, *other.action.checks)))
    action = replace(
        one.action,
        evidence=(*one.action.evidence, *other.action.evidence, said),
        checks=checks,
        blocks=one.action.blocks or other.action.blocks,
        commands=tuple(dict.fromkeys((*one.action.commands, *other.action.commands))),
    )
    return Proposal(action, one.remedy or other.remedy, one.instead or other.instead)


def ordered(actions: Iterable[Action]) -> list[Action]:
    """First what nothing works without, then by value, then by evidence. Deterministic."""
    all_ = list(actions)
    prices = [one.cost.amount for one in all_ if one.cost]
    usual = median(prices) if prices else 1.0
    return sorted(all_, key=lambda one: _place(one, usual))


def _place(one: Action, usual: float) -> tuple[bool, float, int, int, str]:
    rank = KINDS.index(one.kind)
    return (not one.blocks, -value(one, usual), rank, -len(one.evidence), one.id)


def value(one: Action, usual: float) -> float:
    """The certain gain (the logarithm of the interval's lower end) per effort; a purchase counts by its price relative
    to the `usual` one, if known."""
    if one.effect is None or one.kind == "measure":
        return 0.0
    work = WORK[one.effort] * (one.cost.amount / usual if one.cost and usual > 0 else 1.0)
    return max(0.0, math.log(one.effect.ratio.low)) / work if work > 0 else math.inf


def verdict_of(
    actions: Iterable[Action], read: Iterable[Read], in_doubt: Iterable[str] = ()
) -> str:
    """The verdict in a sentence or two, which may be that nothing needs doing. Doubts are stated by what was read."""
    all_ = list(actions)
    doing = [one for one in all_ if one.kind != "measure"]
    if doing:
        count = "One thing" if len(doing) == 1 else f"{len(doing)} things"
        told = (f"In doubt: {text}." for text in in_doubt)
        return " ".join([f"{count} to do, first: {action_text(doing[0])}.", *told])
    said = "; ".join(one.said for one in read)
    if all_:
        return f"Nothing to mend so far, but not all is known: {said}. First: {all_[0].do}."
    return f"Nothing to do: {said}."
