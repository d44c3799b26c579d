"""A race's candidates as a forest plot: each with its interval, and the line that it had to beat."""

from __future__ import annotations

from collections.abc import Iterator

from weft.operate.tuning.tuning import RaceSummary
from weft.understand.drawing.figure import Figure
from weft.understand.drawing.forest import FAINT, SECOND, STRONG, Forest, Twig


def forest(raced: RaceSummary, number: int) -> Figure | None:
    """A race's candidates, the best first, then the confirmation; None if nothing was measured."""
    twigs = list(_twigs(raced))
    if not twigs:
        return None
    caption = (
        "How many times as good as the settings as they were; the line is the interval. Left of 1 is worse. "
        "Orange: the confirmation, in blocks that the race did not use."
    )
    title = f"{raced.choice.name}: candidates"
    return Forest(f"forest_{number}", title, caption, "times as good", twigs).figure()


def _twigs(raced: RaceSummary) -> Iterator[Twig]:
    measured = [one for one in raced.result.places if one.ratio is not None]
    measured.sort(key=lambda one: -one.ratio.median if one.ratio else 0.0)
    for place in measured:
        assert place.ratio is not None
        won = place.name == raced.result.winner
        yield Twig(place.name, place.ratio, STRONG if won else FAINT)
    for one in raced.result.confirmations:
        yield Twig(f"confirmation: {one.name}", one.ratio, SECOND)
