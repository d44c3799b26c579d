"""Numbers with the units of machine files, for what is searched along a line."""

from __future__ import annotations

from dataclasses import dataclass

from weft.base.errors import RequestError
from weft.base.quantity import number_and_unit

_UNITS = {
    "time": {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0},
    "size": {
        "B": 1.0,
        "kB": 1e3,
        "MB": 1e6,
        "GB": 1e9,
        "KiB": 2.0**10,
        "MiB": 2.0**20,
        "GiB": 2.0**30,
    },
    "rate": {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12, "MB/s": 8e6},
    "clock": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "share": {"%": 0.01},
    "number": {"": 1.0},
}
_EXAMPLES = {
    "time": "20 us",
    "size": "64 KiB",
    "rate": "940 Mb/s",
    "clock": "2.4 GHz",
    "share": "5 %",
    "number": "0.25",
}


@dataclass(frozen=True)
class Amount:
    """A number, in `unit` as it was written."""

    number: float
    unit: str
    kind: str

    @property
    def worth(self) -> float:
        """In the unit of its kind that counts 1."""
        return self.number * _UNITS[self.kind][self.unit]

    def text(self, worth: float) -> str:
        """Another worth in the same unit."""
        return f"{worth / _UNITS[self.kind][self.unit]:.6g} {self.unit}".rstrip()


def read_amount(value: object, where: str, kind: str | None = None) -> Amount:
    """A number or a text with a number and a unit; raises RequestError where it is none, or of another kind."""
    number, unit = number_and_unit(str(value)) or (0.0, "?")
    found = next((one for one, units in _UNITS.items() if unit in units), None)
    if found is None or kind not in (None, found):
        wanted = kind or "number, with a unit if it has one"
        example = _EXAMPLES[kind] if kind else "1150 or 20 us"
        units = f" in {', '.join(_UNITS[kind])}" if kind and any(_UNITS[kind]) else ""
        raise RequestError(
            f"{where} = {value!r}: not a {wanted}", f"give one{units}, such as {example}"
        )
    return Amount(number, unit, found)
