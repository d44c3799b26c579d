"""What-ifs as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from weft.cli.output import print_warning
from weft.cli.tables.layout import plain_table, terminal, titled
from weft.interval import Interval
from weft.quantity import (
    format_bytes,
    format_mbps,
    format_us,
    range_mbps,
    range_us,
    significant,
)
from weft.runs.run_warnings import in_doubt
from weft.twin.twin import ERROR_UNKNOWN
from weft.what_if.result import Check, Effect, Outcome, Price, WhatIf


def print_what_if(found: WhatIf) -> None:
    """Effects, what is to be said of them, and what labs measured."""
    console = terminal()
    console.print(_title(found), style="bold", soft_wrap=True)
    several = len(found.outcomes) > 1
    rows = [row for one in found.outcomes for row in _rows(one)]
    # The interval of a difference takes the place of what is before and after it.
    left_out = ({"after"} if found.is_measured else set()) | (set() if several else {"name"})
    if rows:
        console.print(_table(rows, [key for key in _HEADINGS if key not in left_out]))
    for one in found.outcomes:
        for note in _notes(one):
            console.print(f"{one.name}: {note}" if several else note, soft_wrap=True)
    for one in found.outcomes:
        _print_verification(console, one)
    for text in found.warned:
        print_warning(text)


def _title(found: WhatIf) -> str:
    known = (
        f"{found.draws} draws of what was measured; {_how_sure(found)}"
        if found.is_measured
        else "taken as its file says"
    )
    scale = "" if found.scale == 1.0 else f" at scale {found.scale:g}"
    return in_doubt(f"{found.subject}{scale}: {known}", found.doubts)


def _how_sure(found: WhatIf) -> str:
    if any(one.code == ERROR_UNKNOWN for one in found.warnings):
        return "how far predictions are off is not known, so intervals are too narrow"
    return "intervals hold nine times of ten where it is off as on patterns that were left out"


_HEADINGS = {
    "speedup": "times as fast",
    "before": "before",
    "after": "after",
    "difference": "difference",
    "size": "size",
    "step": "",
    "name": "",
}


def _table(rows: Sequence[Mapping[str, str]], keys: Sequence[str]) -> Table:
    headings = [_HEADINGS[key] for key in keys]
    table = plain_table(*headings, rows=[[row[key] for key in keys] for row in rows])
    for column in table.columns:
        column.no_wrap = bool(column.header)
    return table


def _rows(one: Outcome) -> Iterator[dict[str, str]]:
    for number, each in enumerate(one.effects):
        before, after, difference = _ends(each)
        yield {
            "speedup": _factor(each.speedup),
            "before": before,
            "after": after,
            "difference": difference,
            "size": format_bytes(each.size_bytes),
            "step": _step(each),
            "name": "" if number else one.name,
        }


def _ends(each: Effect) -> tuple[str, str, str]:
    """The best estimates before and after, and the difference with its interval."""
    if each.by == "rate":
        ends = (each.before_mbps.median, each.after_mbps.median)
        return format_mbps(ends[0]), format_mbps(ends[1]), _signed(each.difference_mbps, range_mbps)
    before, after = (end.median * 1e6 for end in (each.before_s, each.after_s))
    difference_us = Interval(*(value * 1e6 for value in _values(each.difference_s)))
    return format_us(before), format_us(after), _signed(difference_us, range_us)


def _values(value: Interval) -> tuple[float, float, float]:
    return value.median, value.low, value.high


def _signed(value: Interval, shown: Callable[[Interval], str]) -> str:
    if _is_point(value):
        value = Interval(value.median, value.median, value.median)
    return ("+" if value.median > 0 else "") + (shown(value) if value.median else "0")


def _step(each: Effect | Check) -> str:
    return each.plan if each.plan == each.step else f"{each.plan} {each.step}"


def _factor(value: Interval) -> str:
    low, middle, high = (significant(one, 4) for one in (value.low, value.median, value.high))
    return middle if _is_point(value) else f"{middle} ({low} to {high})"


def _is_point(value: Interval) -> bool:
    return value.high - value.low <= 1e-6 * abs(value.median)


def _notes(one: Outcome) -> Iterator[str]:
    if one.failed:
        yield one.failed
    yield from one.notes
    if one.price and one.price.difference:
        yield f"the network costs {_money(one.price)}"
    if one.hosts_after != one.hosts_before:
        yield f"{one.hosts_after} hosts instead of {one.hosts_before}"
    unclear = [each for each in one.effects if not each.is_clear]
    if unclear:
        steps = ", ".join(dict.fromkeys(map(_step, unclear)))
        is_known = all(_is_point(each.speedup) for each in unclear)
        yield f"{'nothing changes' if is_known else 'that nothing changes is not excluded'} ({steps})"
    if any(each.in_sample for each in one.effects):
        yield "in sample: the twin was fitted to this plan"


def _money(price: Price) -> str:
    now = f"{price.before:,.0f} to {price.after:,.0f} {price.currency} of {price.year}"
    more = "more" if price.difference > 0 else "less"
    parts = f", without {', '.join(price.not_priced)}" if price.not_priced else ""
    return f"{abs(price.difference):,.0f} {more}: {now}{parts}"


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
    title = f"{one.name}: labs at scale {found.scale:g}, {launches}"
    titled(console, in_doubt(title, found.doubts), table)
