"""Values as fabric files write them."""

from __future__ import annotations

from collections.abc import Mapping

from weft.base.quantity import number_and_unit

RATES = {"Tb/s": 1e12, "Gb/s": 1e9, "Mb/s": 1e6, "kb/s": 1e3, "b/s": 1.0}
TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
SHARES = {"%": 1e4, "ppm": 1.0}

UNLIMITED = "none"
"""What a change says for no limit."""


def written(value: int, units: Mapping[str, float]) -> str:
    """To the last digit: 1062154696 with RATES -> 1.062154696 Gb/s."""
    unit = next((unit for unit, size in units.items() if value >= size), list(units)[-1])
    return f"{value / units[unit]:.15g} {unit}"


def amount(text: str, units: Mapping[str, float], example: str) -> int:
    """A positive quantity in the smallest unit; raises ValueError that says what would be right."""
    found = number_and_unit(text)
    if found is None or found[0] < 0:
        raise ValueError(f"write a number and a unit, for example {example}")
    if found[1] not in units:
        wrong = f"{found[1]!r} is no unit of this" if found[1] else "the unit is missing"
        raise ValueError(f"{wrong}; write for example {example} ({', '.join(units)})")
    return round(found[0] * units[found[1]])
