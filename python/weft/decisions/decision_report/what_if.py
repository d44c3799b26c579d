"""A what-if on the page: the predicted effect of each alternative, and the measurements of labs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.base.quantity import format_bytes, significant
from weft.decisions.decision_report.part import ReportPart
from weft.decisions.what_if.ask import read_what_if
from weft.decisions.what_if.result import AlternativeOutcome, WhatIfResult
from weft.decisions.what_if.tables import checks_tables, effects_table, place
from weft.understand.report.figures.drawing.figure import Figure
from weft.understand.report.figures.forest import FAINT, SECOND, STRONG, Forest, Twig

NOTES = (
    "Before and after are predicted on the same draws of what was measured, so what is not known of both does not "
    "widen their ratio.",
    "Measured in labs: the network before and after, launch by launch in turns.",
)


def what_if_part(folder: Path, number: int) -> ReportPart:
    """The part about a what-if's folder; raises RequestError if it is not one."""
    found = read_what_if(folder)
    made = [one for one in found.outcomes if one.effects]
    return ReportPart(
        title=f"What if: {found.subject}",
        verdict=[*map(_sentence, made), *_failures(found), *_doubts(found)],
        figures=[_figure(made, number)] if made else [],
        tables=[effects_table(found), *checks_tables(found)],
        warnings=list(_warnings(found)),
        notes=NOTES,
    )


def _sentence(one: AlternativeOutcome) -> str:
    clear = [each for each in one.effects if each.is_clear]
    speedup = significant(one.speedup or 1.0, 3)
    if not clear:
        return f"{one.name}: that nothing changes is not excluded ({speedup} times as fast)."
    return f"{one.name}: {speedup} times as fast."


def _doubts(found: WhatIfResult) -> Iterator[str]:
    yield from (f"In doubt: {text}, in the twin's runs." for text in found.doubts)
    for one in found.outcomes:
        for text in one.verification.doubts if one.verification else ():
            yield f"{one.name}: what labs measured is in doubt: {text}."


def _failures(found: WhatIfResult) -> Iterator[str]:
    return (f"{one.name}: {one.failed}." for one in found.outcomes if one.failed)


def _figure(made: list[AlternativeOutcome], number: int) -> Figure:
    return Forest(
        f"what_if_{number}",
        "What each alternative would bring",
        "How many times as fast as before, with 90 % intervals. Blue: predicted; grey where no effect is not excluded. "
        "Orange: measured in labs.",
        "times as fast",
        [twig for one in made for twig in _twigs(one)],
    ).figure()


def _twigs(one: AlternativeOutcome) -> Iterator[Twig]:
    for each in one.effects:
        name = f"{one.name}: {place(each)}, {format_bytes(each.size_bytes)}"
        yield Twig(name, each.speedup, STRONG if each.is_clear else FAINT)
    for check in one.verification.checks if one.verification else ():
        yield Twig(
            f"{one.name}: {place(check)}, {format_bytes(check.size_bytes)}, measured",
            check.measured,
            SECOND,
        )


def _warnings(found: WhatIfResult) -> Iterator[str]:
    for one in found.outcomes:
        yield from (f"{one.name}: {note}" for note in one.notes)
        if any(each.in_sample for each in one.effects):
            yield f"{one.name}: in sample, the twin was fitted to this plan"
    yield from found.warned
