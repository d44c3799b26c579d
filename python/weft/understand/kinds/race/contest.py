"""The standing of a race after some blocks: candidates dropped and why, candidates confirmed, and the next block.

It is a function of the blocks, the failures, and the blocks at which time ran out, so that an interrupted race can be
resumed, and the result can be recomputed from its folder at any time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weft.base.interval import Interval
from weft.base.paired import LOOKS, bounds, middle
from weft.plan.plan import Race
from weft.understand.kinds.race.scores import Scores

DROPPED_WRONGLY = 0.15
"""The highest probability of wrongly dropping a candidate as worse or as ineffective; the cost is only a winner that is
nearly as good."""
CONFIRMED_WRONGLY = 0.001
"""The highest probability of confirming any candidate that is not better by the margin."""
MOST_CONFIRMING = 60
"""The most blocks of the confirmation."""

ProcessEnd = Literal["one-left", "none-ahead", "equal", "time", "open", "interrupted"]
"""Why a race ended: one candidate is left, none is ahead of the baseline, all left are equal within the margin, time
ran out, or Ctrl-C; "open" if it has not."""


@dataclass(frozen=True)
class Out:
    """Why a candidate was dropped, and after how many blocks; `other` is the better candidate, if any."""

    name: str
    after: int
    reason: Literal["worse", "no-better", "failed"]
    said: str = ""
    other: str = ""


@dataclass(frozen=True)
class ConfirmedRatio:
    """A finalist's ratio over the baseline, from the blocks of the confirmation alone."""

    name: str
    ratio: Interval
    blocks: int
    is_better: bool
    is_decided: bool


@dataclass
class ContestStanding:
    """`open` are the candidates of the next block, empty if everything is over; `raced` is the number of blocks of the
    race once it has ended (later blocks confirm), else None."""

    open: tuple[str, ...]
    leader: str
    out: dict[str, Out] = field(default_factory=dict)
    raced: int | None = None
    ended: ProcessEnd = "open"
    confirmations: tuple[ConfirmedRatio, ...] = ()


@dataclass(frozen=True)
class ContestLimits:
    """External events: `failed` has the block and reason of each failed candidate; time ran out for the race after
    `raced` blocks, and for everything after `blocks`."""

    failed: Mapping[str, tuple[int, str]]
    raced: int | None = None
    blocks: int | None = None


def ratios(blocks: Sequence[Scores], one: str, other: str) -> list[float]:
    """The logarithms of the ratio of two candidates' scores, from the blocks that have both."""
    pairs = ((block[one], block[other]) for block in blocks if one in block and other in block)
    return [0.0 if a == b else a - b for a, b in pairs]


def standing(blocks: Sequence[Scores], race: Race, limits: ContestLimits) -> ContestStanding:
    """The standing after these blocks; an incomplete last block does not count."""
    now = ContestStanding(race.names, race.baseline)
    if race.confirm == "all":
        now.raced = 0
        _drop_failed(now, race, limits, len(blocks))
    else:
        _race(now, blocks, race, limits)
    if now.raced is None:
        return now
    finalists = tuple(one for one in now.open if one != race.baseline)
    if race.confirm != "all":
        is_ahead = _ahead(blocks[: now.raced], now.leader, race) > math.log1p(race.margin)
        finalists = (now.leader,) if is_ahead else ()
    now.open = ()
    if finalists and race.confirm != "none":
        _confirm(now, blocks[now.raced :], finalists, race, limits)
    return now


def winner(now: ContestStanding, blocks: Sequence[Scores], race: Race) -> str:
    """The best confirmed candidate, or, without a confirmation, the leader if it is known to be better; else the
    baseline."""
    if race.confirm == "none":
        found = bounds(ratios(blocks, now.leader, race.baseline), DROPPED_WRONGLY)
        return now.leader if found and found.low > 0 else race.baseline
    better = [one for one in now.confirmations if one.is_better]
    return max(better, key=lambda one: one.ratio.median).name if better else race.baseline


def _race(
    now: ContestStanding, blocks: Sequence[Scores], race: Race, limits: ContestLimits
) -> None:
    for count in range(len(blocks) + 1):
        if count and not blocks[count - 1].keys() >= set(now.open):
            return
        if count in LOOKS or count == limits.raced:
            _look(now, blocks[:count], race)
        _drop_failed(now, race, limits, count)
        now.ended = _end(now, blocks[:count], race, limits)
        if now.ended != "open":
            now.raced = count
            return


def _drop_failed(now: ContestStanding, race: Race, limits: ContestLimits, count: int) -> None:
    """Drops failed candidates; called after the look, which does not take failures into account."""
    for name, (block, why) in limits.failed.items():
        if block <= count and name in now.open and name != race.baseline:
            _drop(now, Out(name, block, "failed", why))
    if now.leader not in now.open:
        now.leader = race.baseline


def _drop(now: ContestStanding, out: Out) -> None:
    now.out[out.name] = out
    now.open = tuple(one for one in now.open if one != out.name)


def _ahead(blocks: Sequence[Scores], one: str, race: Race) -> float:
    """The median log ratio of a candidate over the baseline."""
    found = ratios(blocks, one, race.baseline)
    return middle(found) if found else 0.0


def _look(now: ContestStanding, blocks: Sequence[Scores], race: Race) -> None:
    """Drops candidates that are known to lose against the baseline or the leader. The leader is chosen from the same
    blocks, so its error is divided by the number of possible leaders (Bonferroni)."""
    now.leader = max(now.open, key=lambda one: _ahead(blocks, one, race))
    others = max(1, len(set(now.open) - {race.baseline}) - 1)
    for name in now.open:
        if name == race.baseline:
            continue
        beside = bounds(ratios(blocks, name, race.baseline), DROPPED_WRONGLY)
        behind = bounds(ratios(blocks, name, now.leader), DROPPED_WRONGLY / others)
        if name != now.leader and behind and behind.high < 0:
            _drop(now, Out(name, len(blocks), "worse", other=now.leader))
        elif beside and beside.high < math.log1p(race.margin):
            _drop(now, Out(name, len(blocks), "no-better"))
    if now.leader not in now.open:
        now.leader = race.baseline


def _end(
    now: ContestStanding, blocks: Sequence[Scores], race: Race, limits: ContestLimits
) -> ProcessEnd:
    others = [one for one in now.open if one != race.baseline]
    if not others:
        return "none-ahead"
    if len(others) == 1 and _is_enough(blocks, others[0], race):
        now.leader = others[0]
        return "one-left"
    if len(others) > 1 and all(_is_equal(blocks, one, now.leader, race) for one in others):
        return "equal"
    return "time" if limits.raced is not None and len(blocks) >= limits.raced else "open"


def _is_enough(blocks: Sequence[Scores], last: str, race: Race) -> bool:
    """Whether the last candidate needs no more blocks: it is ahead and will be confirmed later, or it is known to be
    better by the margin."""
    margin = math.log1p(race.margin)
    if race.confirm == "winner":
        return len(blocks) in LOOKS and _ahead(blocks, last, race) > margin
    found = bounds(ratios(blocks, last, race.baseline), DROPPED_WRONGLY)
    return bool(found and found.low > margin)


def _is_equal(blocks: Sequence[Scores], one: str, leader: str, race: Race) -> bool:
    found = bounds(ratios(blocks, one, leader), DROPPED_WRONGLY)
    margin = math.log1p(race.margin)
    return one == leader or bool(found and -margin < found.low and found.high < margin)


def _confirm(
    now: ContestStanding,
    fresh: Sequence[Scores],
    finalists: tuple[str, ...],
    race: Race,
    limits: ContestLimits,
) -> None:
    """Compares the finalists with the baseline in fresh blocks, which did not select them."""
    raced = now.raced or 0
    last = None if limits.blocks is None else limits.blocks - raced
    error = CONFIRMED_WRONGLY / len(finalists)
    kept = [one for one in finalists if one not in limits.failed]
    for name in set(finalists) & limits.failed.keys() - now.out.keys():
        now.out[name] = Out(name, limits.failed[name][0], "failed", limits.failed[name][1])
    found = [_confirmed(ratios(fresh, one, race.baseline), one, race, error, last) for one in kept]
    now.confirmations = tuple(one for one in found if one)
    is_over = limits.blocks is not None or len(fresh) >= MOST_CONFIRMING
    is_decided = len(now.confirmations) == len(kept) and all(
        one.is_decided for one in now.confirmations
    )
    now.open = () if is_over or is_decided else (race.baseline, *kept)


def _confirmed(
    differences: Sequence[float], name: str, race: Race, error: float, last: int | None
) -> ConfirmedRatio | None:
    """The state at the first look that decides, or else at the last one; None before the first block."""
    margin = math.log1p(race.margin)
    count = len(differences)
    for look in [*(one for one in LOOKS if one < count), count] if count else ():
        if look not in LOOKS and look != last:
            continue
        known = bounds(differences[:look], error)
        rough = bounds(differences[:look], DROPPED_WRONGLY)
        is_better = bool(known and known.low > margin)
        if is_better or (rough and rough.high < margin):
            return _of(name, differences[:look], known, is_better, True)
    return _of(name, differences, bounds(differences, error), False, False) if count else None


def _of(
    name: str,
    differences: Sequence[float],
    known: Interval | None,
    is_better: bool,
    is_decided: bool,
) -> ConfirmedRatio:
    known = known or Interval(middle(differences), min(differences), max(differences))
    return ConfirmedRatio(name, to_ratio(known), len(differences), is_better, is_decided)


def to_ratio(logarithm: Interval) -> Interval:
    """The ratio of a logarithm, clipped to a range that JSON can represent."""
    ends = (logarithm.median, logarithm.low, logarithm.high)
    return Interval(*(math.exp(min(max(value, -30.0), 30.0)) for value in ends))
