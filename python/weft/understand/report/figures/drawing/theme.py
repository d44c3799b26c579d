"""Colours, dashes and type of the figures, light and dark."""

from __future__ import annotations

from typing import Any, Literal

Mode = Literal["light", "dark"]

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

# Based on the palette of Okabe and Ito, which suits all colour vision; pale colours are darkened to be
# legible as thin lines on white, and all are lightened for the dark page.
PALETTE: dict[Mode, list[str]] = {
    "light": ["#0072b2", "#d55e00", "#009e73", "#b0508a", "#5d4ba5", "#8a6d00", "#2f2f2f"],
    "dark": ["#56b4e9", "#ff9a4d", "#2fc79b", "#e79ac6", "#b0a3f0", "#f0e442", "#d6d6d6"],
}

DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4]]
"""A second way to distinguish runs, for grey prints."""

SIZES = ["#4f86d9", "#2fa58e", "#b98a1e", "#c9518f"]
"""Colours from small to large messages, legible on light and dark pages."""

_INK: dict[Mode, dict[str, str]] = {
    "light": {"text": "#1c2430", "quiet": "#5a6472", "grid": "#e3e7ec", "axis": "#9aa4b0"},
    "dark": {"text": "#e8ecf1", "quiet": "#a5b0bd", "grid": "#2c343e", "axis": "#66717e"},
}


def dash_of(index: int) -> list[int]:
    """The dash pattern of the run at `index`."""
    return DASHES[index % len(DASHES)]


def colour_of(index: int, mode: Mode) -> str:
    """The colour of the run at `index`."""
    return PALETTE[mode][index % len(PALETTE[mode])]


def config_for(mode: Mode) -> dict[str, Any]:
    """The Vega-Lite configuration of a mode."""
    ink = _INK[mode]
    return {
        "background": "#ffffff" if mode == "light" else None,
        "font": FONT,
        "range": {"category": PALETTE[mode]},
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink["text"],
            "titleColor": ink["text"],
            "gridColor": ink["grid"],
            "domainColor": ink["axis"],
            "tickColor": ink["axis"],
            "labelFontSize": 12,
            "titleFontSize": 13,
            "titleFontWeight": 600,
            "titlePadding": 10,
        },
        "legend": {
            "labelColor": ink["text"],
            "titleColor": ink["text"],
            "labelFontSize": 12,
            "labelLimit": 400,
            "orient": "top",
            "symbolType": "stroke",
            "symbolSize": 500,
            "symbolStrokeWidth": 2,
            "layout": {"top": {"anchor": "start", "direction": "vertical", "margin": 6}},
        },
        "title": {
            "anchor": "start",
            "color": ink["text"],
            "fontSize": 15,
            "subtitleColor": ink["quiet"],
            "subtitleFontSize": 11,
            "subtitlePadding": 4,
            "offset": 12,
        },
        "text": {"color": ink["text"]},
        "rule": {"color": ink["text"]},
    }
