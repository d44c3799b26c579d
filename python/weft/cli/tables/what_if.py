"""What-ifs as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click
from rich.console import Console

from weft.cli.tables.layout import plain_table, terminal, titled
from weft.interval import Interval
from weft.quantity import format_bytes, format_mbps, format_us, significant
from weft.what_if.result import Check, Effect, Outcome, WhatIf


def print_what_if(found: WhatIf) -> None:
    """Effects, what is to be said of them, and what labs measured."""
    console = terminal()
    console.print(_title(found), style="bold", soft_wrap=True)
    several = len(found.outcomes) > 1
    rows = [row for one in found.outcomes for row in _rows(one, several)]
    if rows:
        console.print(plain_table(*_HEADINGS, *([""] if several else []), rows=rows))
    for one in found.outcomes:
        for note in _notes(one):
            console.print(f"{one.name}: {note}" if several else note, soft_wrap=True)
    for one in found.outcomes:
        _print_verification(console, one)


def _title(found: WhatIf) -> str:
    known = (
        f"{found.draws} draws of what was measured; intervals hold nine times of ten"
        if found.is_measured
        else "taken as its file says"
    )
    scale = "" if found.scale == 1.0 else f" at scale {found.scale:g}"
    return f"{found.subject}{scale}: {known}"


_HEADINGS = ("times as fast", "before", "after", "difference", "size", "")


def _rows(one: Outcome, several: bool) -> Iterator[tuple[str, ...]]:
    for number, each in enumerate(one.effects):
        before, after, difference, shown = _sides(each)
        yield (
            _factor(each.speedup),
            _range(before, shown),
            _range(after, shown),
            _signed(difference, shown),
            format_bytes(each.size_bytes),
            _step(each),
            *([] if not several else [""] if number else [one.name]),
        )


def _sides(each: Effect) -> tuple[Interval, Interval, Interval, Callable[[float], str]]:
    if each.by == "time":
        return each.before_s, each.after_s, each.difference_s, lambda s: format_us(s * 1e6)
    return each.before_mbps, each.after_mbps, each.difference_mbps, format_mbps


def _step(each: Effect | Check) -> str:
    return each.plan if each.plan == each.step else f"{each.plan} {each.step}"


def _range(value: Interval, shown: Callable[[float], str]) -> str:
    if _is_point(value):
        return shown(value.median)
    return f"{shown(value.median)} ({shown(value.low)} to {shown(value.high)})"


def _signed(value: Interval, shown: Callable[[float], str]) -> str:
    def sign(number: float) -> str:
        return ("+" if number > 0 else "-") + shown(abs(number)) if number else "0"

    return _range(value, sign)


def _factor(value: Interval) -> str:
    return _range(value, lambda number: significant(number, 4))


def _is_point(value: Interval) -> bool:
    return value.high - value.low <= 1e-6 * abs(value.median)


def _notes(one: Outcome) -> Iterator[str]:
    if one.failed:
        yield one.failed
    yield from one.notes
    if one.hosts_after != one.hosts_before:
        yield f"{one.hosts_after} hosts instead of {one.hosts_before}"
    unclear = [each for each in one.effects if not each.is_clear]
    if unclear:
        steps = ", ".join(dict.fromkeys(map(_step, unclear)))
        is_known = all(_is_point(each.speedup) for each in unclear)
        yield f"{'nothing changes' if is_known else 'that nothing changes is not excluded'} ({steps})"
    if any(each.in_sample for each in one.effects):
        yield "in sample: the twin was fitted to this plan"


def _print_verification(console: Console, one: Outcome) -> None:
    found = one.verification
    if found is None:
        return
    rows = [
        (
            _step(check),
            format_bytes(check.size_bytes),
            _factor(check.predicted),
            _factor(check.measured),
            f"{check.error:+.1%}",
            "" if check.same_sign else "other direction",
        )
        for check in found.checks
    ]
    table = plain_table("", "size", "predicted", "measured", "off by", "", rows=rows)
    launches = f"{found.launches} launch{'es' if found.launches > 1 else ''} of each"
    titled(console, f"{one.name}: labs at scale {found.scale:g}, {launches}", table)
    for warning in found.warnings:
        click.echo(f"warning: {warning}", err=True)
