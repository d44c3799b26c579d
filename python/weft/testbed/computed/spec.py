"""What a simulated testbed is called: a fabric or a generator, and parameters in brackets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from weft.errors import RequestError

ROWS = 2_000_000
"""Samples of a step: 100 MB in memory, and what is made of them ten times that."""

MOST_ROWS = 50_000_000
"""More would fill memory and disk: these are about 3 GB."""

SHARINGS = ("max-min", "reno")
"""How transfers that meet share what there is (docs/simulate.md)."""

_FORM = re.compile(r"(?P<name>[^()]+?)\s*(\((?P<values>.*)\))?\s*", re.DOTALL)
_QUANTITY = re.compile(r"\s*(?P<number>[-+.\deE]*\d\.?)\s*(?P<unit>[A-Za-z]*)\s*")
_EXAMPLE = "for example sim:two-racks or sim:two-racks(overhead=5us)"
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_BYTES = {"B": 1, "kB": 1e3, "MB": 1e6, "KiB": 1 << 10, "MiB": 1 << 20}


Value: TypeAlias = float | int | str


@dataclass(frozen=True)
class SimSpec:
    """`name` is a fabric's or a generator's, `parameters` are those of the model (weft._core.Network.simulate's
    keywords), `rows` the samples that a step may have before only some are kept, `others` what else stands in the
    brackets, for a generator."""

    name: str
    parameters: dict[str, Value] = field(default_factory=dict)
    rows: int = ROWS
    others: dict[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> SimSpec:
    """The parts of NAME or NAME(KEY=VALUE, ...); raises RequestError."""
    name, values = split_spec(text, f"sim:{text}", _EXAMPLE)
    spec = SimSpec(name, rows=_rows(text, values.pop("rows", str(ROWS))))
    for key, value in values.items():
        if key in _MODEL:
            parameter, read = _MODEL[key]
            spec.parameters[parameter] = read(text, key, value)
        else:
            spec.others[key] = value
    return spec


def split_spec(text: str, whole: str, example: str) -> tuple[str, dict[str, str]]:
    """The name and the values of NAME or NAME(KEY=VALUE, ...); raises RequestError about `whole`."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise RequestError(f"{whole}: not NAME or NAME(KEY=VALUE, ...)", example)
    values = {}
    for part in filter(None, map(str.strip, (form["values"] or "").split(","))):
        key, equals, value = map(str.strip, part.partition("="))
        if not equals or not value:
            raise RequestError(f"{whole}: {part!r} is not KEY=VALUE", example)
        values[key] = value
    return form["name"].strip(), values


def _seconds(text: str, key: str, value: str) -> float:
    return _quantity(text, key, value, _SECONDS, "20 us")


def _window(text: str, key: str, value: str) -> int:
    found = round(_quantity(text, key, value, _BYTES, "64 KiB"))
    if found < 1:
        raise _wrong(text, f"{key} = {value}: must be at least 1 B")
    return found


def _part(text: str, key: str, value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 0.5:
        raise _wrong(text, f"{key} = {value}: must be a part of the time, from 0 to 0.5")
    return found


def _count(text: str, key: str, value: str, least: int = 1) -> int:
    if not value.isdecimal() or not least <= int(value) <= 1024:
        raise _wrong(text, f"{key} = {value}: must be a whole number from {least} to 1024")
    return int(value)


def _segments(text: str, key: str, value: str) -> int:
    return _count(text, key, value, least=0)


def _sharing(text: str, key: str, value: str) -> str:
    if value not in SHARINGS:
        raise _wrong(text, f"{key} = {value}: must be {' or '.join(SHARINGS)}")
    return value


def _rows(text: str, value: str) -> int:
    if not value.isdecimal() or not 1 <= int(value) <= MOST_ROWS:
        raise _wrong(text, f"rows = {value}: must be a whole number from 1 to {MOST_ROWS:,}")
    return int(value)


def _quantity(text: str, key: str, value: str, units: dict[str, float], example: str) -> float:
    form = _QUANTITY.fullmatch(value)
    try:
        found = float(form["number"]) * units[form["unit"]] if form else -1.0
    except (KeyError, ValueError):
        found = -1.0
    if not 0 <= found < 1e9:
        raise _wrong(text, f"{key} = {value}: write for example {key}={example}")
    return found


def _wrong(text: str, why: str) -> RequestError:
    return RequestError(f"sim:{text}: {why}", _EXAMPLE)


_MODEL: dict[str, tuple[str, Callable[[str, str, str], Value]]] = {
    "overhead": ("overhead_s", _seconds),
    "window": ("window_bytes", _window),
    "segments_per_ack": ("segments_per_ack", _segments),
    "sharing": ("sharing", _sharing),
    "barrier": ("barrier_s", _seconds),
    "tolerance": ("tolerance", _part),
    "threads": ("threads", _count),
}
