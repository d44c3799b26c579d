"""A what-if on the page: what each alternative would bring, beside what labs measured of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.decision_report.part import Part
from weft.interval import Interval
from weft.quantity import format_bytes, significant
from weft.report.figures.drawing.figure import Figure
from weft.report.figures.forest import FAINT, SECOND, STRONG, Forest, Twig
from weft.report.table import PageTable
from weft.what_if.ask import read_what_if
from weft.what_if.result import Check, Effect, Outcome, WhatIf

NOTES = (
    "Before and after are predicted on the same draws of what was measured, so what is not known of both does not "
    "widen their ratio.",
    "Measured in labs: the network before and after, launch by launch in turns.",
)


def what_if_part(folder: Path, number: int) -> Part:
    """What a folder of a what-if says; raises RequestError where it is none."""
    found = read_what_if(folder)
    made = [one for one in found.outcomes if one.effects]
    return Part(
        title=f"What if: {found.subject}",
        verdict=[*map(_sentence, made), *_failures(found), *_doubts(found)],
        figures=[_figure(made, number)] if made else [],
        tables=[("Effects", _effects_table(made)), ("Verified in labs", _checks_table(made))],
        warnings=list(_warnings(found)),
        notes=NOTES,
    )


def _sentence(one: Outcome) -> str:
    clear = [each for each in one.effects if each.is_clear]
    speedup = significant(one.speedup or 1.0, 3)
    if not clear:
        return f"{one.name}: that nothing changes is not excluded ({speedup} times as fast)."
    return f"{one.name}: {speedup} times as fast."


def _doubts(found: WhatIf) -> Iterator[str]:
    yield from (f"In doubt: {text}, in the twin's runs." for text in found.doubts)
    for one in found.outcomes:
        for text in one.verification.doubts if one.verification else ():
            yield f"{one.name}: what labs measured is in doubt: {text}."


def _failures(found: WhatIf) -> Iterator[str]:
    return (f"{one.name}: {one.failed}." for one in found.outcomes if one.failed)


def _figure(made: list[Outcome], number: int) -> Figure:
    return Forest(
        f"what_if_{number}",
        "What each alternative would bring",
        "How many times as fast as before, with 90 % intervals. Blue: predicted; grey where no effect is not excluded. "
        "Orange: measured in labs.",
        "times as fast",
        [twig for one in made for twig in _twigs(one)],
    ).figure()


def _twigs(one: Outcome) -> Iterator[Twig]:
    for each in one.effects:
        name = f"{one.name}: {_place(each)}"
        yield Twig(name, each.speedup, STRONG if each.is_clear else FAINT)
    for check in one.verification.checks if one.verification else ():
        yield Twig(f"{one.name}: {_place(check)}, measured", check.measured, SECOND)


def _place(each: Effect | Check) -> str:
    step = each.plan if each.plan == each.step else f"{each.plan} {each.step}"
    return f"{step}, {format_bytes(each.size_bytes)}"


def _effects_table(made: list[Outcome]) -> PageTable:
    rows = [
        [
            one.name,
            _place(each),
            _range(each.speedup),
            _range(each.before_s, " s"),
            _range(each.after_s, " s"),
            _range(each.before_mbps, " Mb/s"),
            _range(each.after_mbps, " Mb/s"),
        ]
        for one in made
        for each in one.effects
    ]
    headers = [
        "Alternative",
        "Plan",
        "Times as fast",
        "Time before",
        "after",
        "Rate before",
        "after",
    ]
    return PageTable(headers, rows)


def _checks_table(made: list[Outcome]) -> PageTable:
    rows = [
        [
            one.name,
            _place(check),
            _range(check.predicted),
            _range(check.measured),
            f"{check.error:+.1%}",
            "same" if check.same_sign else "other",
        ]
        for one in made
        if one.verification
        for check in one.verification.checks
    ]
    return PageTable(["Alternative", "Plan", "Predicted", "Measured", "Off by", "Direction"], rows)


def _range(value: Interval, unit: str = "") -> str:
    middle = significant(value.median, 3) + unit
    if value.high - value.low <= 1e-6 * abs(value.median):
        return middle
    return f"{middle} ({significant(value.low, 3)} to {significant(value.high, 3)})"


def _warnings(found: WhatIf) -> Iterator[str]:
    for one in found.outcomes:
        yield from (f"{one.name}: {note}" for note in one.notes)
        if any(each.in_sample for each in one.effects):
            yield f"{one.name}: in sample, the twin was fitted to this plan"
    yield from found.warned
