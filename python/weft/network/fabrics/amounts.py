"""Values as fabric files write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from weft.base.amount import UNITS, amount_of, unit_meant

RATES = {"Tb/s": 1e12, "Gb/s": 1e9, "Mb/s": 1e6, "kb/s": 1e3, "b/s": 1.0}
TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
SHARES = {"%": 1e4, "ppm": 1.0}
"""Units that are written, largest first, in the smallest."""
_SMALLEST = {"rate": 1.0, "time": 1e-9, "share": 1e-6}

UNLIMITED = "none"
"""What a change says for no limit."""


def written(value: int, units: Mapping[str, float]) -> str:
    """To the last digit: 1062154696 with RATES -> 1.062154696 Gb/s."""
    unit = next((unit for unit, size in units.items() if value >= size), list(units)[-1])
    return f"{value / units[unit]:.15g} {unit}"


def amount(text: str, kind: Literal["rate", "time", "share"], example: str) -> int:
    """A positive quantity in bit/s, ns or ppm; raises ValueError that says what would be right."""
    found = amount_of(text, kind)
    if found is None or found.number < 0:
        units = ", ".join(UNITS[kind])
        missing = amount_of(text, "number") is not None
        wrong = "the unit is missing" if missing else f"{text!r} has no unit of this"
        meant = unit_meant(text, kind) or f"write for example {example}"
        raise ValueError(f"{wrong}; {meant} ({units})")
    return round(found.worth / _SMALLEST[kind])
