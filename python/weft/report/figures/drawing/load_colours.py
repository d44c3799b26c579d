"""The colours of loads: from idle to full, told apart on a light and on a dark page."""

from __future__ import annotations

from typing import Any

import altair as alt

STOPS = {0.0: "#6fa8dc", 0.4: "#c9c35e", 0.7: "#ee9a1d", 1.0: "#b3202a"}
"""From blue to yellow by hue, from there to red by lightness: so they differ with any colour vision."""
NO_LIMIT = "#9aa4b0"

HAS_SHARE = "datum.limited"
TOOLTIP = {"name": "title", "carried": "Carried", "peak": "Busiest phase"}


def of_share(channel: type[alt.Stroke] | type[alt.Fill], legend: alt.Legend | None = None) -> Any:
    """The channel that shows a row's `share`, as a part of one; grey where it is not `limited`."""
    scale = alt.Scale(domain=list(STOPS), range=list(STOPS.values()), interpolate="rgb", clamp=True)
    shown = channel("share", type="quantitative", scale=scale, legend=legend)
    return alt.condition(HAS_SHARE, shown, alt.value(NO_LIMIT))


def legend() -> alt.Legend:
    """What the colours mean."""
    return alt.Legend(
        title="Share of capacity",
        orient="top",
        direction="horizontal",
        format=".0%",
        values=[0, 0.25, 0.5, 0.75, 1],
    )
