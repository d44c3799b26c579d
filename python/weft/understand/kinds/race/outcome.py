"""The result of a race in one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from weft.base.interval import Interval
from weft.base.paired import bounds, middle
from weft.plan.plan import Race
from weft.runs.meta import RunMeta
from weft.understand.kinds.race.contest import (
    DROPPED_WRONGLY,
    ContestLimits,
    ContestStanding,
    Out,
    ProcessEnd,
    ratios,
    standing,
    to_ratio,
    winner,
)
from weft.understand.kinds.race.scores import Scores, scores


class RacePlace(Struct, frozen=True):
    """The result of a candidate: its `ratio` over the baseline (over 1 is better) from the blocks of the race; None for
    the baseline, and for a candidate without a block. It was dropped after `dropped_after` blocks, for the reason
    `why`; None and "" if it was not dropped."""

    name: str
    ratio: Interval | None
    blocks: int
    dropped_after: int | None = None
    why: str = ""
    failed: bool = False


class Confirmation(Struct, frozen=True):
    """A finalist against the baseline in blocks that the race did not use. `is_better` if the interval of the ratio,
    which is wrong with a probability of one in a thousand, lies above 1 + margin. `beside` are its ratios over the
    other finalists in the same blocks."""

    name: str
    ratio: Interval
    blocks: int
    is_better: bool
    beside: dict[str, Interval] = {}


class RaceOutcome(Struct, frozen=True):
    """The result of a race.

    `winner` is the baseline if no other candidate is known to be better; `leader` was ahead when the race ended.
    `recommended`: the winner was confirmed. `effect` is its ratio over the baseline from the confirmation alone: the
    low end is wrong with a probability of one in a thousand, and the median is biased upwards, because it is taken at
    the first look that decided. `blocks` counts the blocks of the race without the confirmation. `retried`: by
    candidate, the blocks in which it ran after all others because it had failed once, so that its order was not random.
    """

    baseline: str
    winner: str
    leader: str
    recommended: bool
    effect: Interval | None
    places: tuple[RacePlace, ...]
    confirmations: tuple[Confirmation, ...]
    ended: ProcessEnd
    blocks: int
    retried: dict[str, int] = {}


def stand(meta: RunMeta, samples: pa.Table) -> tuple[ContestStanding, RaceOutcome] | None:
    """The standing of a run's race, and its result so far; None if the run has no race."""
    race, known = meta.plan.race, meta.race
    if not race or known is None:
        return None
    failed = {one["candidate"]: (int(one["block"]), one["reason"]) for one in known["failed"]}
    limits = ContestLimits(failed, known.get("raced"), known.get("stopped"))
    blocks = scores(meta, samples)
    now = standing(blocks, race, limits)
    retried = Counter(one["candidate"] for one in known.get("retried", []))
    return now, replace(_outcome(now, blocks, race), retried=dict(retried))


def _outcome(now: ContestStanding, blocks: Sequence[Scores], race: Race) -> RaceOutcome:
    raced = len(blocks) if now.raced is None else now.raced
    best = winner(now, blocks[:raced], race)
    confirmations = tuple(
        Confirmation(
            one.name, one.ratio, one.blocks, one.is_better, _beside(one.name, now, blocks[raced:])
        )
        for one in now.confirmations
    )
    effect = next((one.ratio for one in confirmations if one.name == best), None)
    return RaceOutcome(
        baseline=race.baseline,
        winner=best,
        leader=now.leader,
        recommended=effect is not None,
        effect=effect,
        places=tuple(_place(name, now, blocks[:raced], race) for name in race.names),
        confirmations=confirmations,
        ended=now.ended,
        blocks=raced,
    )


def _beside(name: str, now: ContestStanding, fresh: Sequence[Scores]) -> dict[str, Interval]:
    others = [one.name for one in now.confirmations if one.name != name]
    found = {other: ratio_of(fresh, name, other) for other in others}
    return {other: ratio for other, ratio in found.items() if ratio}


def _place(name: str, now: ContestStanding, blocks: Sequence[Scores], race: Race) -> RacePlace:
    count = sum(name in block for block in blocks)
    out = now.out.get(name)
    ratio = None if name == race.baseline else ratio_of(blocks, name, race.baseline)
    if out is None:
        return RacePlace(name, ratio, count)
    return RacePlace(name, ratio, count, out.after, _why(out, race), out.reason == "failed")


def ratio_of(
    blocks: Sequence[Scores], one: str, other: str, error: float = DROPPED_WRONGLY
) -> Interval | None:
    """The ratio of two candidates, with the range over blocks if they are too few for an interval; None without any."""
    found = ratios(blocks, one, other)
    if not found:
        return None
    known = bounds(found, error) or Interval(middle(found), min(found), max(found))
    return to_ratio(known)


def _why(out: Out, race: Race) -> str:
    if out.reason == "worse":
        return f"worse than {out.other}"
    if out.reason == "no-better":
        return f"no better than {race.baseline} by {100 * race.margin:g} %"
    return f"failed: {out.said}"
