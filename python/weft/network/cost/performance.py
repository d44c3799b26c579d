"""What a price is for each unit of performance."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base.amount import UNITS, amount_of
from weft.base.errors import RequestError


@dataclass(frozen=True)
class Performance:
    """What the whole cluster does, in the unit that prices are given for."""

    value: float
    unit: str


def read_performance(text: str) -> Performance:
    """60 GFlop/s, 12 Gb/s; raises RequestError."""
    found = amount_of(text, "performance") or amount_of(text, "rate")
    if found is None or not 0 < found.number < 1e18:
        raise RequestError(
            f"{text}: not a performance",
            f'for example "60 GFlop/s"; units: {", ".join([*UNITS["performance"], *UNITS["rate"]])}',
        )
    unit = "MFlop/s" if found.kind == "performance" else "Mb/s"
    return Performance(found.worth / 1e6, unit)
