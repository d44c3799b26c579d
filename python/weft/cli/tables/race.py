"""How the candidates of a race did, as a table."""

from __future__ import annotations

from rich.console import Console

from weft.cli.tables.layout import plain_table, titled
from weft.diagnosis.race.outcome import Outcome
from weft.diagnosis.race.words import HEADERS, race_lines, race_rows, race_title


def print_race(console: Console, found: Outcome | None) -> None:
    """The best first; nothing of a run without a race."""
    if found is None:
        return
    table = plain_table(*HEADERS, rows=race_rows(found))
    titled(console, race_title(found), table, *race_lines(found))
