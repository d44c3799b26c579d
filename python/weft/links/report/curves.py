"""What figures of times with intervals are drawn from: the axis of hours, and a line with its intervals."""

from __future__ import annotations

import altair as alt

from weft.understand.report.figures.drawing import parts


def hour_axis(is_by_week: bool, timezone: str) -> alt.X:
    """The hours of a week, labelled with days, or those of a day; the field is `time`."""
    hours = 168 if is_by_week else 24
    label = (
        "['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', ''][floor(datum.value / 24)]"
        if is_by_week
        else "format(datum.value, '02d') + ':00'"
    )
    axis = alt.Axis(
        title=f"Hour of the {'week' if is_by_week else 'day'} ({timezone})",
        values=list(range(0, hours + 1, 24 if is_by_week else 3)),
        labelExpr=label,
        labelAlign="left" if is_by_week else "center",
    )
    return alt.X("time:Q", scale=alt.Scale(domain=[0, hours], nice=False), axis=axis)


def interval_curve(
    table: str,
    x: alt.X,
    y: alt.Y,
    ends: tuple[str, str],
    colour: alt.Color | alt.Value,
    tooltip: alt.TooltipValue,
) -> list[alt.Chart]:
    """The intervals between the fields `ends`, a line through the values, and a dot at each. The line is interrupted
    where the field `part` changes."""
    low, high = ends
    shown = {"x": x, "color": colour, "tooltip": tooltip}
    from_low = alt.Y(f"{low}:Q", scale=y["scale"])
    return [
        parts.layer(
            table, "rule", {"strokeWidth": 2, "opacity": 0.45}, y=from_low, y2=high, **shown
        ),
        parts.layer(table, "line", {"strokeWidth": 1.8}, y=y, detail="part:N", **shown),
        parts.layer(table, "circle", {"size": 22, "opacity": 1}, y=y, **shown),
    ]
