"""The result of a race in words."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.knobs.recommendation import at_least_text
from weft.understand.race.outcome import RaceOutcome, RacePlace

_ENDED = {
    "one-left": "when one candidate was left",
    "none-ahead": "when no candidate was left that could be better",
    "equal": "when those left were equal within the margin",
    "time": "when its time was over",
    "open": "before its end",
}


def race_title(found: RaceOutcome) -> str:
    """The title, which names the baseline of the ratios."""
    return f"race against {found.baseline}, over 1 is better"


def race_lines(found: RaceOutcome) -> list[str]:
    """Lines on how the race ended and what was confirmed."""
    said = [_recommended(found), *(_retried(*one) for one in found.retried.items())]
    if not found.blocks:
        return said
    return [f"the race ended {_ENDED[found.ended]}, after {_blocks(found.blocks)}", *said]


def _retried(name: str, count: int) -> str:
    return f"{name} was tried again in {_blocks(count)}, behind the others: what drifts counts for or against it there"


def _blocks(count: int) -> str:
    return "1 block" if count == 1 else f"{count} blocks"


def _recommended(found: RaceOutcome) -> str:
    blocks = {one.name: one.blocks for one in found.confirmations}
    if found.effect:
        return (
            f"confirmed: {found.winner} is {at_least_text(found.effect)} as {found.baseline}, in "
            f"{blocks[found.winner]} blocks that chose nothing"
        )
    for one in found.confirmations:
        if not one.is_better:
            return (
                f"not confirmed: {one.name} is {ratio_text(one.ratio)} times as good as {found.baseline}, in "
                f"{one.blocks} blocks that chose nothing"
            )
    if found.winner != found.baseline:
        return f"{found.winner} is better than {found.baseline}; it was not to be confirmed"
    return f"no candidate is known to be better than {found.baseline}"


def place_text(place: RacePlace) -> str:
    """Why a candidate was dropped, and after which block; empty if it was not."""
    if place.dropped_after is None:
        return ""
    if place.failed:
        return place.why
    return f"dropped after block {place.dropped_after}: {place.why}"


def ratio_text(ratio: Interval) -> str:
    """The median, with the ends of the interval in brackets."""
    return f"{ratio.median:.3g} ({ratio.low:.3g} to {ratio.high:.3g})"
