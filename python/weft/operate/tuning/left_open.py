"""Races that ran out of time while a candidate was ahead, and are repeated in the remaining time."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from weft.operate.tuning.choice import KnobChoice
from weft.operate.tuning.race import RacePlace, SettingsCandidate
from weft.operate.tuning.tuning import RaceSummary

LEFT_OPEN = "its race ended before it was known whether it helps"


def still_ahead(raced: RaceSummary, margin: float) -> list[SettingsCandidate]:
    """The candidates that may still be better by the margin, if none was confirmed because time was short."""
    result = raced.result
    if result.recommended or result.ended in ("none-ahead", "equal"):
        return []
    refuted = {one.name for one in result.confirmations if one.ratio.median < 1 + margin}
    ahead = {one.name for one in result.places if _is_ahead(one, margin)} - refuted
    return [one for one in raced.candidates[1:] if one.name in ahead]


def is_clearly_ahead(raced: RaceSummary, margin: float) -> bool:
    """Whether a confirmation had too few blocks to be certain, but its whole interval favours the candidate by the
    margin."""
    found = raced.result.confirmations
    return any(not one.is_better and one.ratio.low >= 1 + margin for one in found)


def _is_ahead(place: RacePlace, margin: float) -> bool:
    if place.ratio is None or place.failed or place.why:
        return False
    return place.ratio.median >= 1 + margin


def on_top(
    choice: KnobChoice, entries: list[SettingsCandidate], settled: Mapping[str, str]
) -> tuple[KnobChoice, list[SettingsCandidate]]:
    """The same candidates on top of what is settled now, and the choice with the reason for trying them."""
    own = [
        {name: one.settings[name] for name in choice.knobs if name in one.settings}
        for one in entries
    ]
    values = {
        name: tuple(dict.fromkeys(one[name] for one in own if name in one)) for name in choice.knobs
    }
    return (
        msgspec.structs.replace(choice, values=values, why=LEFT_OPEN, is_suggested=False),
        [
            SettingsCandidate(one.name, {**settled, **mine})
            for one, mine in zip(entries, own, strict=True)
        ],
    )
