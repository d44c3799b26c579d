"""Amounts as people write them, a number and a unit: one table of units, and one way to read them."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeAlias

from weft.base.errors import RequestError

AmountKind: TypeAlias = Literal[
    "time", "size", "rate", "clock", "performance", "share", "number", "part"
]
HOUR_S, DAY_S, WEEK_S = 3600.0, 86_400.0, 7 * 86_400.0
UNITS: Mapping[AmountKind, Mapping[str, float]] = {
    "time": {
        "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0,
        "h": HOUR_S, "d": DAY_S, "w": WEEK_S, "y": 365.25 * DAY_S,
    },
    "size": {
        "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
        "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    },
    "rate": {
        "b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12,
        "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9,
    },
    "clock": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "performance": {"MFlop/s": 1e6, "GFlop/s": 1e9, "TFlop/s": 1e12, "PFlop/s": 1e15},
    "share": {"%": 0.01, "ppm": 1e-6},
    "number": {"": 1.0},
    "part": {"": 1.0, "%": 0.01, "ppm": 1e-6},
}  # fmt: skip
"""What a unit is worth in seconds, bytes, bit/s, Hz, Flop/s or parts of 1. A part may have no unit: 0.02 is 2 %."""
_ALIASES: Mapping[str, str] = {
    other: unit
    for unit, others in {
        "B": "byte bytes",
        "us": "\u00b5s \u03bcs",
        "s": "sec secs second seconds",
        "min": "m mins minute minutes",
        "h": "hr hrs hour hours",
        "d": "day days",
        "w": "week weeks",
        "y": "year years",
        "b/s": "bps bit/s",
        "kb/s": "kbps kbit/s",
        "Mb/s": "Mbps Mbit/s",
        "Gb/s": "Gbps Gbit/s",
        "Tb/s": "Tbps Tbit/s",
        "%": "percent",
    }.items()
    for other in others.split()
}
"""Other words for units. `crates/plan/src/reading/quantity.rs` has the same."""
_EXAMPLES: Mapping[AmountKind, str] = {
    "time": "20 us",
    "size": "64 KiB",
    "rate": "940 Mb/s",
    "clock": "2.4 GHz",
    "performance": "60 GFlop/s",
    "share": "5 %",
    "number": "0.25",
    "part": "5 %",
}
_FORM = re.compile(r"\s*+(?P<number>[-+.\deE]*\d\.?)\s*+(?P<unit>[%A-Za-z/\u00b5\u03bc]*+)\s*+")
_MONEY = re.compile(r"\s*+([\d_ ,]++(?:\.\d++)?)\s*+([A-Za-z]{3})\s*+")


@dataclass(frozen=True)
class Amount:
    """A number, in `unit` as it was written."""

    number: float
    unit: str
    kind: AmountKind

    @property
    def worth(self) -> float:
        """In the unit of its kind that counts 1."""
        return self.number * UNITS[self.kind][self.unit]

    def text(self, worth: float) -> str:
        """Another worth in the same unit."""
        return f"{worth / UNITS[self.kind][self.unit]:.6g} {self.unit}".rstrip()


def read_amount(value: object, where: str, kind: AmountKind | None = None) -> Amount:
    """A number or a text with a number and a unit; raises RequestError where it is none, or of another kind."""
    if found := amount_of(value, kind):
        return found
    wanted = kind or "number, with a unit if it has one"
    units = f" in {_listed(kind)}" if kind and kind != "number" else ""
    example = _EXAMPLES[kind] if kind else "1150 or 20 us"
    raise RequestError(
        f"{where} = {value!r}: not a {wanted}",
        unit_meant(value, kind) or f"give one{units}, such as {example}",
    )


def amount_of(value: object, kind: AmountKind | None = None) -> Amount | None:
    """The same, with None where it is none; 20 us, 1150."""
    form = None if isinstance(value, bool) else _FORM.fullmatch(str(value))
    if form is None:
        return None
    unit = _ALIASES.get(form["unit"], form["unit"])
    found = next((one for one in ([kind] if kind else UNITS) if unit in UNITS[one]), None)
    try:
        return Amount(float(form["number"]), unit, found) if found else None
    except ValueError:
        return None


def unit_meant(value: object, kind: AmountKind | None = None) -> str:
    """ "did you mean 64 kB or 64 KiB?" for 64kb; "" where no unit of this kind, or of any, is meant.

    A unit is meant where it differs in case, or in an i, or where a b is missing; of a bare number the usual ones are.
    """
    form = _FORM.fullmatch(str(value))
    if form is None or isinstance(value, bool):
        return ""
    units = [unit for one in ([kind] if kind else UNITS) for unit in UNITS[one] if unit]
    if form["unit"]:
        near = [unit for unit in units if _careless(unit) == _careless(form["unit"])]
        near = near or [unit for unit in _spelt(form["unit"]) if unit in units]
    else:
        near = list(_USUAL.get(kind, ())) if kind else []
    listed = " or ".join(f"{form['number']} {unit}" for unit in near)
    return f"did you mean {listed}?" if listed else ""


_USUAL: Mapping[AmountKind, tuple[str, ...]] = {
    "time": ("s", "min"),
    "size": ("B", "KiB"),
    "rate": ("Mb/s", "Gb/s"),
    "share": ("%",),
}
"""What a number without unit may mean."""


def _spelt(wrong: str) -> list[str]:
    words = difflib.get_close_matches(wrong.lower(), _ALIASES, n=1, cutoff=0.8)
    return [_ALIASES[word] for word in words]


def _careless(unit: str) -> str:
    """What stays of a unit when people write it carelessly: "k" of kB, KB, KiB and kb."""
    short = unit.lower().removesuffix("/s")
    short = short.removesuffix("ps") if short.endswith("bps") else short
    return short.removesuffix("b").replace("i", "")


def worth_of(text: str, units: Mapping[str, float]) -> float | None:
    """A number with one of the `units` of another tool's files: "20 us" with {"us": 1e-6} is 20e-6; else None."""
    form = _FORM.fullmatch(text)
    try:
        return float(form["number"]) * units[form["unit"]] if form else None
    except (KeyError, ValueError):
        return None


class _Read(float):
    """An amount of a file, which it writes as a text with a unit: the float is its worth, `text` what was written.

    `read` raises ValueError that says what would be right. Without `from_zero`, 0 is refused, too.
    """

    kind: ClassVar[AmountKind]
    from_zero: ClassVar[bool] = False
    most: ClassVar[float] = 1e15
    text: str = ""

    @classmethod
    def read(cls, value: object) -> Self:
        """What a text means."""
        found = amount_of(value, cls.kind)
        worth = found.worth if found else math.nan
        if not (0 < worth <= cls.most or (cls.from_zero and worth == 0)):
            meant = "" if found else unit_meant(value, cls.kind)
            raise ValueError(f"{cls._right()}; {meant}".rstrip("; "))
        read = cls(worth)
        read.text = str(value)
        return read

    @classmethod
    def _right(cls) -> str:
        least = "from 0" if cls.from_zero else "above 0"
        one = next((unit for unit, worth in UNITS[cls.kind].items() if worth == 1), "")
        most = f" to {cls.most:,.15g} {one}".rstrip() if cls.most < _Read.most else ""
        example = f'such as "{_EXAMPLES[cls.kind]}", in {_listed(cls.kind)}'
        return f"must be a {cls.kind} {least}{most}, {example}"


class Seconds(_Read):
    """A time."""

    kind = "time"


class ByteCount(_Read):
    """A size."""

    kind = "size"


class BitsPerSecond(_Read):
    """A rate."""

    kind = "rate"


class Share(_Read):
    """A part of something in percent or ppm, with 1 for all of it."""

    kind = "share"


class Part(_Read):
    """The same, which may be a number without a unit."""

    kind = "part"


class MoneyAmount(float):
    """An amount of a `currency`; `text` is what was written."""

    currency: str = ""
    text: str = ""

    @classmethod
    def read(cls, value: object) -> Self:
        """ "400,000 USD"; raises ValueError."""
        form = _MONEY.fullmatch(value) if isinstance(value, str) else None
        if form is None:
            raise ValueError('is no amount, such as "400000 USD"')
        read = cls(re.sub(r"[_ ,]", "", form[1]))
        read.currency, read.text = form[2].upper(), str(value)
        return read


def _listed(kind: AmountKind) -> str:
    return ", ".join(unit or "no unit" for unit in UNITS[kind])
