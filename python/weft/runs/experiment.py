"""The purpose of a phase that is chosen during a run, and its form in run.json."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from weft.base import nodeset
from weft.base.errors import RequestError
from weft.plan.phases import Phase, Transfer
from weft.plan.plan import StopRule, to_data
from weft.runs.records.records import ChosenPhase, Kind

MOST_NODES = 4096
"""Maximum number of nodes of a plan."""


class Experiment(Struct, frozen=True):
    """A question: `group` are the nodes it is about, `within` those that take part; positions in the run, from 0."""

    kind: Kind
    group: frozenset[int]
    within: frozenset[int]

    def __str__(self) -> str:
        """The question for humans, with nodes counted from 1."""
        text = f"{self.kind} {_fold(self.group)}"
        return text if self.within == self.group else f"{text} within {_fold(self.within)}"


class PhaseSpec(Struct, frozen=True):
    """A phase to run next, and its purpose."""

    experiments: tuple[Experiment, ...]
    size_bytes: int
    stop: StopRule
    transfers: tuple[Transfer, ...]


def chosen_record(
    step: int, launch: int, phase: Phase, experiments: Sequence[Experiment]
) -> ChosenPhase:
    """The entry of run.json for a phase that was chosen."""
    return ChosenPhase(
        step=step,
        launch=launch,
        phase=phase.index,
        purpose="; ".join(map(str, experiments)),
        experiments=[msgspec.to_builtins(one, order="sorted") for one in experiments],
        size_bytes=phase.size_bytes,
        stop=to_data(phase.stop),
        transfers=to_data(phase.transfers),
    )


def experiments_of(record: ChosenPhase) -> tuple[Experiment, ...]:
    """The purpose of a phase; raises RequestError if an earlier version wrote it as text, and the text is damaged."""
    if "experiments" in record:
        return msgspec.convert(record["experiments"], tuple[Experiment, ...])
    texts = record["purpose"].split("; ")
    try:
        return tuple(map(_parse, texts))
    except (ValueError, TypeError):
        place = f"run.json: phases: phase {record['phase']} of step {record['step']}"
        raise RequestError(f"{place}: its purpose is none of weft's: {texts}") from None


def _parse(text: str) -> Experiment:
    """Parse the text of an experiment; raises ValueError."""
    kind, group, *rest = text.split()
    within = rest[1] if rest else group
    return msgspec.convert(
        {"kind": kind, "group": _unfold(group), "within": _unfold(within)}, Experiment
    )


def _fold(members: frozenset[int]) -> str:
    """Positions from 1, with ranges folded: 1-4,7."""
    return nodeset.fold(str(member + 1) for member in sorted(members)).strip("[]")


def _unfold(text: str) -> frozenset[int]:
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    if not all(1 <= end <= MOST_NODES for part in ends for end in part):
        raise ValueError(text)
    return frozenset(place - 1 for end in ends for place in range(end[0], end[-1] + 1))
