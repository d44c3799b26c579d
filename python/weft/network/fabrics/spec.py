"""What a simulated testbed is called: a fabric or a generator, and parameters in brackets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from weft.base.amount import AmountKind, amount_of, unit_meant
from weft.base.errors import RequestError

ROWS = 2_000_000
"""Samples of a step: 100 MB in memory, and what is made of them ten times that."""

MOST_ROWS = 50_000_000
"""More would fill memory and disk: these are about 3 GB."""

SHARINGS = ("max-min", "reno")
"""How transfers that meet share what there is (docs/simulate.md)."""
OUTGOING = ("queue", "connections")
"""How messages of a program leave their host (docs/simulate.md)."""

_FORM = re.compile(r"(?P<name>[^()]++)(\((?P<values>.*)\))?\s*", re.DOTALL)
_EXAMPLE = "for example sim:two-racks or sim:two-racks(overhead=5us)"

Value: TypeAlias = float | int | str


@dataclass(frozen=True)
class SimSpec:
    """`name` is a fabric's or a generator's, `parameters` are those of the model (weft._core.Network.simulate's
    keywords) and `rows`, the samples that a step may have before only some are kept, `others` what else stands in the
    brackets, for a generator."""

    name: str
    parameters: dict[str, Value] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> SimSpec:
    """The parts of NAME or NAME(KEY=VALUE, ...); raises RequestError."""
    name, values = split_spec(text, f"sim:{text}", _EXAMPLE)
    spec = SimSpec(name)
    for key, value in values.items():
        if key not in MODEL_KEYS:
            spec.others[key] = value
            continue
        try:
            spec.parameters.update(read_parameter(key, value))
        except ValueError as error:
            raise RequestError(f"sim:{text}: {key} = {value}: {error}", _EXAMPLE) from None
    return spec


def read_parameter(key: str, value: str) -> dict[str, Value]:
    """A parameter of the model by the name that it has there; raises ValueError that says what would be right."""
    name, read = _MODEL[key]
    return {name: read(value)}


def split_spec(text: str, whole: str, example: str) -> tuple[str, dict[str, str]]:
    """The name and the values of NAME or NAME(KEY=VALUE, ...); raises RequestError about `whole`."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise RequestError(f"{whole}: not NAME or NAME(KEY=VALUE, ...)", example)
    values: dict[str, str] = {}
    for part in filter(None, map(str.strip, (form["values"] or "").split(","))):
        key, equals, value = map(str.strip, part.partition("="))
        if not equals or not value:
            raise RequestError(
                f"{whole}: {part!r} is not KEY=VALUE", _several(values, text) or example
            )
        values[key] = value
    return form["name"].strip(), values


def _several(values: dict[str, str], text: str) -> str:
    """What to write where a key was given several numbers with commas, as a torus' sizes are in other tools."""
    key = next(reversed(values), "")
    found = re.search(rf"\b{re.escape(key)}\s*=\s*(\d+(?:\s*,\s*\d+)+)", text) if key else None
    sizes = re.findall(r"\d+", found[1]) if found else []
    return f"write {key}={'x'.join(sizes)}" if sizes else ""


Reader: TypeAlias = Callable[[str], Value]
"""What a value is; raises ValueError that says what would be right."""


def _quantity(kind: AmountKind, example: str) -> Callable[[str], float]:
    def read(value: str) -> float:
        found = amount_of(value, kind)
        if found is None or not 0 <= found.worth < 1e9:
            raise ValueError(f"{unit_meant(value, kind)} write for example {example}".lstrip())
        return found.worth

    return read


def _window(value: str) -> int:
    found = round(_quantity("size", "window=64 KiB")(value))
    if found < 1:
        raise ValueError("must be at least 1 B")
    return found


def _part(value: str) -> float:
    found = amount_of(value, "part")
    if found is None or not 0 <= found.worth <= 0.5:
        raise ValueError("must be a part of the time, from 0 to 0.5")
    return found.worth


def _whole(least: int, most: int = 1024, shown: str = "1024") -> Reader:
    def read(value: str) -> int:
        if not value.isdecimal() or not least <= int(value) <= most:
            raise ValueError(f"must be a whole number from {least} to {shown}")
        return int(value)

    return read


def _sharing(value: str) -> str:
    if value not in SHARINGS:
        raise ValueError(f"must be {' or '.join(SHARINGS)}")
    return value


def _outgoing(value: str) -> str:
    if value not in OUTGOING:
        raise ValueError(f"must be {' or '.join(OUTGOING)}")
    return value


_MODEL: dict[str, tuple[str, Reader]] = {
    "overhead": ("overhead_s", _quantity("time", "overhead=20 us")),
    "window": ("window_bytes", _window),
    "segments_per_ack": ("segments_per_ack", _whole(0)),
    "sharing": ("sharing", _sharing),
    "outgoing": ("outgoing", _outgoing),
    "barrier": ("barrier_s", _quantity("time", "barrier=20 us")),
    "tolerance": ("tolerance", _part),
    "threads": ("threads", _whole(1)),
    "rows": ("rows", _whole(1, MOST_ROWS, f"{MOST_ROWS:,}")),
}
"""By what users write: the name that it has in the model, and how it is read."""
MODEL_KEYS = tuple(_MODEL)
