"""What a price is for each unit of performance."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base.errors import RequestError
from weft.base.quantity import number_and_unit

_FLOPS = "MFlop/s"
_BITS = "Mb/s"
_UNITS = {
    "MFlop/s": (1.0, _FLOPS),
    "GFlop/s": (1e3, _FLOPS),
    "TFlop/s": (1e6, _FLOPS),
    "PFlop/s": (1e9, _FLOPS),
    "Mb/s": (1.0, _BITS),
    "Gb/s": (1e3, _BITS),
    "Tb/s": (1e6, _BITS),
}


@dataclass(frozen=True)
class Performance:
    """What the whole cluster does, in the unit that prices are given for."""

    value: float
    unit: str


def read_performance(text: str) -> Performance:
    """60 GFlop/s, 12 Gb/s; raises RequestError."""
    found = number_and_unit(text)
    if found is None or found[1] not in _UNITS or not 0 < found[0] < 1e18:
        raise RequestError(
            f"--per {text}: not a performance",
            f'for example "60 GFlop/s"; units: {", ".join(_UNITS)}',
        )
    factor, unit = _UNITS[found[1]]
    return Performance(found[0] * factor, unit)
