"""Numbers as short as a figure needs them."""

from __future__ import annotations


def short(value: float, digits: int = 6) -> float:
    """Six digits are finer than a pixel at any zoom that shows noise, and keep the page small."""
    return float(f"{value:.{digits}g}")
