"""Compares the combination of several winners with the original settings and with the best winner alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.base.interval import Interval
from weft.operate.tuning.race import RaceResult, SettingsCandidate
from weft.operate.tuning.tuning import RaceSummary

AS_IT_IS, TOGETHER, ALONE = "as it is", "all together", "the best alone"


def finalists(
    winners: Sequence[RaceSummary], needed: Mapping[str, str]
) -> tuple[SettingsCandidate, ...]:
    """The settings of all winners, which the last of them has, and those that the best one added; both on top of what
    is `needed` for the pair to work."""
    best = best_of(winners)
    before = best.candidates[0].settings
    added = {name: value for name, value in best.won.items() if before.get(name) != value}
    return (
        SettingsCandidate(AS_IT_IS, dict(needed)),
        SettingsCandidate(TOGETHER, winners[-1].won),
        SettingsCandidate(ALONE, {**needed, **added}),
    )


def best_of(winners: Sequence[RaceSummary]) -> RaceSummary:
    """The winner with the greatest effect."""
    return max(winners, key=lambda one: one.result.effect.median if one.result.effect else 0.0)


def kept(
    winners: Sequence[RaceSummary], result: RaceResult, margin: float
) -> tuple[list[RaceSummary], Interval | None]:
    """The winners to keep, and their effect.

    Only the best one if it was confirmed alone, and all together are known to be no better than it by the margin or
    were not confirmed; none if all together are known to be no better than the original settings; otherwise all. Each
    winner was confirmed on top of those before it.
    """
    found = {one.name: one for one in result.confirmations}
    if TOGETHER not in found or result.disturbed:
        return list(winners), None
    together, alone = found[TOGETHER], found.get(ALONE)
    beside = together.beside.get(ALONE)
    helps_no_more = beside is not None and beside.high < 1 + margin
    if alone and alone.is_better and (helps_no_more or not together.is_better):
        return [best_of(winners)], alone.ratio
    if together.ratio.high < 1 + margin:
        return [], None
    return list(winners), together.ratio


def not_kept(raced: Sequence[RaceSummary], winners: Sequence[RaceSummary]) -> Iterator[str]:
    """What won its race but is not recommended, as text."""
    for one in raced:
        if one.won and one not in winners:
            yield f"{one.result.winner}: won its race, but adds nothing to the other settings"
