"""What-ifs as tables."""

from __future__ import annotations

from collections.abc import Iterator

from weft.decisions.twin.twin import ERROR_UNKNOWN
from weft.decisions.what_if.result import AlternativeOutcome, PriceChange, WhatIfResult
from weft.decisions.what_if.tables import checks_tables, effects_table, is_point, place
from weft.faces.cli.output import print_warning
from weft.faces.cli.tables.layout import drawn, print_table, terminal
from weft.runs.run_warnings import in_doubt


def print_what_if(found: WhatIfResult) -> None:
    """Print effects, notes about them, and measurements of labs."""
    console = terminal()
    console.print(_title(found), style="bold", soft_wrap=True)
    several = len(found.outcomes) > 1
    if any(one.effects for one in found.outcomes):
        console.print(drawn(effects_table(found), console.width))
    for one in found.outcomes:
        for note in _notes(one):
            console.print(f"{one.name}: {note}" if several else note, soft_wrap=True)
    for table in checks_tables(found):
        print_table(console, table)
    for text in found.warned:
        print_warning(text)


def _title(found: WhatIfResult) -> str:
    known = (
        f"{found.draws} draws of what was measured; {_how_sure(found)}"
        if found.is_measured
        else "taken as its file says"
    )
    scale = "" if found.scale == 1.0 else f" at scale {found.scale:g}"
    return in_doubt(f"{found.subject}{scale}: {known}", found.doubts)


def _how_sure(found: WhatIfResult) -> str:
    if any(one.code == ERROR_UNKNOWN for one in found.warnings):
        return "how far predictions are off is not known, so intervals are too narrow"
    return "intervals hold nine times of ten where it is off as on patterns that were left out"


def _notes(one: AlternativeOutcome) -> Iterator[str]:
    if one.failed:
        yield one.failed
    yield from one.notes
    if one.price and one.price.difference:
        yield f"the network costs {_money(one.price)}"
    if one.hosts_after != one.hosts_before:
        yield f"{one.hosts_after} hosts instead of {one.hosts_before}"
    unclear = [each for each in one.effects if not each.is_clear]
    if unclear:
        steps = ", ".join(dict.fromkeys(map(place, unclear)))
        is_known = all(is_point(each.speedup) for each in unclear)
        yield f"{'nothing changes' if is_known else 'that nothing changes is not excluded'} ({steps})"
    if any(each.in_sample for each in one.effects):
        yield "in sample: the twin was fitted to this plan"


def _money(price: PriceChange) -> str:
    now = f"{price.before:,.0f} to {price.after:,.0f} {price.currency} of {price.year}"
    more = "more" if price.difference > 0 else "less"
    parts = f", without {', '.join(price.not_priced)}" if price.not_priced else ""
    return f"{abs(price.difference):,.0f} {more}: {now}{parts}"
