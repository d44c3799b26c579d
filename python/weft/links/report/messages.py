"""Figures of the predicted times of a message and an all-to-all between sites, by hour."""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt

from weft.base.quantity import MICROSECONDS, format_us
from weft.links.analysis.clock import hour_name, size_text
from weft.links.analysis.hours import LEAST_VALUES, typical_text
from weft.links.analysis.messages import MessageTimes
from weft.links.report.curves import hour_axis, interval_curve
from weft.links.report.material import LinkMaterial
from weft.understand.drawing import axes, parts
from weft.understand.drawing.figure import Figure, Row, Spec, short

HEIGHT = 260


def message_figures(link: LinkMaterial, times: MessageTimes) -> list[Figure]:
    """The two times of one link by hour; no figure with fewer than three hours."""
    if len(times.by_hour) < 3:
        return []
    size = size_text(times.size_bytes)
    names = [f"{size} message, one way"]
    if times.ranks:
        names.append(f"{size} all-to-all, {times.ranks} ranks")
    table = f"messages-{link.number}"
    rows = list(_rows(times, names))
    which = "week" if times.is_by_week else "day"
    caption = (
        "Computed as alpha + beta n from each hour's alpha and beta, with intervals where an hour has "
        f"{LEAST_VALUES} values; hours that chance may have made differ have one value. Half of the ranks are at "
        "either site, and all messages that cross share the link. What a library adds is not in it."
    )
    spec = _spec(table, rows, names, times)
    title = f"{link.name}: what messages would take, by hour of the {which}"
    return [Figure(table, title, caption, spec, {table: rows})]


def _rows(times: MessageTimes, names: list[str]) -> Iterator[Row]:
    for number, one in enumerate(times.by_hour):
        for name, value in zip(names, (one.message_s, one.exchange_s), strict=False):
            if value:
                found = value.interval.scaled(1e6)
                yield {
                    "kind": name,
                    "time": one.hour + 0.5,
                    "part": one.hour - number,
                    "value": short(found.median),
                    "low": short(found.low),
                    "high": short(found.high),
                    "text": typical_text(value),
                    "name": f"{hour_name(one.hour, times.is_by_week)} {times.timezone}",
                }


def message_sentence(times: MessageTimes) -> str:
    """The best, median and worst hour in words."""
    if len(times.by_hour) < 3 or times.are_alike:
        when = " at any hour" if len(times.by_hour) > 2 else ""
        takes = typical_text(times.middle.message_s)
        return f"A message of {size_text(times.size_bytes)} takes {takes}{when}."
    said = ", ".join(
        f"{typical_text(one.message_s)} at {which} ({hour_name(one.hour, times.is_by_week)} {times.timezone})"
        for which, one in (("best", times.best), ("median", times.middle), ("worst", times.worst))
    )
    text = f"A message of {size_text(times.size_bytes)} takes {said}."
    if times.ranks and times.middle.exchange_s and times.worst.exchange_s:
        middle, worst = (
            format_us(one.median * 1e6) for one in (times.middle.exchange_s, times.worst.exchange_s)
        )
        text += f" An all-to-all of as much between {times.ranks} ranks takes {middle}, {worst} at worst."
    return text


def _spec(table: str, rows: list[Row], names: list[str], times: MessageTimes) -> Spec:
    x = hour_axis(times.is_by_week, times.timezone)
    scale = axes.log_scale([row[end] for row in rows for end in ("low", "high")], 10)
    axis = alt.Axis(title="Time", labelExpr=axes.unit_expression(MICROSECONDS), tickCount=6)
    y = alt.Y("value:Q", scale=scale, axis=axis)
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=names, range=["#2f86c9", "#d9702b"][: len(names)]),
        title=None,
        sort=None,
        # Otherwise the legend is as faint as the intervals, which are drawn first.
        legend=alt.Legend(symbolOpacity=1),
    )
    tip = parts.tooltip({"name": "title", "kind": "What", "text": "Takes"})
    intervals, *others = interval_curve(table, x, y, ("low", "high"), colour, tip)
    layers = [intervals.add_params(parts.zoom("x")), *others]
    return parts.sized(alt.layer(*layers), HEIGHT)
