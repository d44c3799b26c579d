"""How the candidates of a race did, as a table."""

from __future__ import annotations

from rich.console import Console

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.race.outcome import Outcome
from weft.diagnosis.race.words import place_text, race_lines


def print_race(console: Console, found: Outcome | None) -> None:
    """The best first; nothing of a run without a race."""
    if found is None:
        return
    table = plain_table("candidate", "blocks", "ratio", "from", "to", "")
    places = sorted(found.places, key=lambda one: -one.ratio.median if one.ratio else -1.0)
    for place in places:
        ratio = place.ratio
        ends = [f"{value:.3f}" for value in (ratio.median, ratio.low, ratio.high)] if ratio else []
        table.add_row(place.name, str(place.blocks), *(ends or [""] * 3), place_text(place))
    titled(console, f"race against {found.baseline}, over 1 is better", table, *race_lines(found))
