"""Rectangles with lines of text.

A row has `left`, `right`, `top` and `bottom` in columns and rows of the figure, `fill`, its lines as `text`, and
`leaf` where the first of them is no heading.
"""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt

from weft.understand.report.figures.drawing import parts
from weft.understand.report.figures.drawing.figure import Row

LINE_PX = 15
FREE, INK = "#dfe4ea", "#1c2430"


def lines_in(box: Row, row_px: float) -> Iterator[Row]:
    """The first lines of a rectangle's text, as many as fit."""
    height = (box["bottom"] - box["top"]) * row_px
    texts = box["text"].split("\n")[: max(1, int(height / LINE_PX))]
    middle = (box["top"] + box["bottom"]) / 2
    for i, text in enumerate(texts):
        yield {
            "x": box["left"],
            "y": middle + (i - (len(texts) - 1) / 2) * LINE_PX / row_px,
            "text": text,
            "bold": i == 0 and not box["leaf"],
            "small": height < 11,
            "wide": box["right"] - box["left"],
        }


def box_layer(table: str, x: alt.Scale, y: alt.Scale) -> alt.Chart:
    """The rectangles of a table, with panning and zooming; tooltips show all of their text."""
    return parts.layer(
        table,
        "rect",
        {"stroke": "#ffffff", "strokeWidth": 1.2},
        x=alt.X("left:Q", scale=x, axis=None),
        x2="right",
        y=alt.Y("top:Q", scale=y, axis=None),
        y2="bottom",
        color=alt.Color("fill:N", scale=None),
        tooltip=alt.TooltipValue(alt.ExprRef("{'title': datum.text}")),
    ).add_params(parts.zoom())


def text_layer(table: str, columns: float) -> alt.Chart:
    """The lines of text, cut to the width of their rectangles; `columns` is the width of the figure."""
    style = {
        "align": "left",
        "baseline": "middle",
        "dx": 6,
        "color": INK,
        "tooltip": None,
        "fontSize": alt.ExprRef("datum.small ? 8 : 11"),
        "fontWeight": alt.ExprRef("datum.bold ? 600 : 400"),
        "limit": alt.ExprRef(f"datum.wide * width / {columns} - 12"),
    }
    return parts.layer(table, "text", style, x="x:Q", y="y:Q", text="text:N")
