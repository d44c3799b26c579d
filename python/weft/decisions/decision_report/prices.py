"""The cost of each design by part: the items of its bill as a stack."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from weft.decisions.decision.document import CostItem, DesignDecision, DesignResult
from weft.understand.report.figures.drawing.figure import Figure, Row, short
from weft.understand.report.figures.drawing.parts import kinds, layer, sized, tooltip

ROW_PX = 28
MOST_DESIGNS = 20
KINDS = ("switch", "cable", "interface", "fixed", "power", "nodes")


def price_figure(found: DesignDecision, number: int) -> Figure | None:
    """The figure, first the designs on the frontier, then the cheapest; None if none has a price."""
    shown = _shown(found)
    if not shown:
        return None
    name = f"prices_{number}"
    rows = [row for one in shown for row in _rows(one)]
    used = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    currency = shown[0].cost.currency if shown[0].cost else ""
    said = tooltip({"design": "title", "item": "Item", "text": "Price"})
    chart = layer(
        name,
        "bar",
        {"height": 16},
        x=alt.X("from:Q", title=currency, axis=alt.Axis(format="~s", tickCount=6)),
        x2="to",
        y=alt.Y("design:N", title=None, sort=None, axis=alt.Axis(labelLimit=320, ticks=False)),
        fill=kinds(used),
        tooltip=said,
    )
    return Figure(
        name,
        "What the designs cost",
        "The items of each bill. Those on the frontier of price and time come first.",
        sized(alt.layer(chart), ROW_PX * len(shown)),
        {name: rows},
    )


def _shown(found: DesignDecision) -> Sequence[DesignResult]:
    priced = [one for one in found.designs if one.cost]
    by_price = sorted(priced, key=lambda one: (not one.on_frontier, _price(one)))
    return by_price[:MOST_DESIGNS]


def _price(one: DesignResult) -> float:
    return one.cost.counted.median if one.cost else 0.0


def _rows(one: DesignResult) -> list[Row]:
    assert one.cost is not None
    rows, at = [], 0.0
    for item in sorted(one.cost.items, key=lambda item: KINDS.index(_kind(item))):
        rows.append(
            {
                "design": one.name,
                "kind": _kind(item),
                "item": item.name,
                "from": short(at),
                "to": short(at + item.total),
                "text": f"{item.total:,.0f} {one.cost.currency}",
            }
        )
        at += item.total
    return rows


def _kind(item: CostItem) -> str:
    return "nodes" if item.of_nodes else item.kind
