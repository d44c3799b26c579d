"""Generators with ranges: fat-tree(k=16..48/8,oversubscription=1|2|4) means 15 networks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from weft.base.errors import RequestError
from weft.network.fabrics.spec import split_spec

_EXAMPLE = "for example fat-tree(k=16..48/8,oversubscription=1|2|4)"
_RANGE = re.compile(r"(?P<low>\d+)\.\.(?P<high>\d+)(/(?P<step>\d+))?")

MOST_DESIGNS = 10_000


class Ranges:
    """A generator's name with the values of each parameter; a network without parameters is a single design."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.name, values = split_spec(text, text, _EXAMPLE) if "(" in text else (text, {})
        self._values = {key: _choices(text, key, value) for key, value in values.items()}

    @property
    def count(self) -> int:
        """The number of designs."""
        return prod(map(len, self._values.values()))

    @property
    def varied(self) -> list[str]:
        """The parameters with several values."""
        return [key for key, values in self._values.items() if len(values) > 1]

    def networks(self) -> Iterator[tuple[str, str]]:
        """Each network, and what distinguishes it from the others."""
        keys = list(self._values)
        for values in product(*self._values.values()):
            chosen = dict(zip(keys, values, strict=True))
            inside = ",".join(f"{key}={value}" for key, value in chosen.items())
            told = ",".join(f"{key}={chosen[key]}" for key in self.varied)
            yield (f"{self.name}({inside})" if inside else self.name), told


def _choices(text: str, key: str, value: str) -> Sequence[str]:
    parts = [part.strip() for part in value.split("|")]
    if not all(parts):
        raise RequestError(f"{text}: {key} = {value!r} has an empty place", _EXAMPLE)
    found = [one for part in parts for one in _range(text, key, part)]
    if len({*found}) < len(found):
        raise RequestError(f"{text}: {key} = {value!r} names a value twice", _EXAMPLE)
    return found


def _range(text: str, key: str, part: str) -> Sequence[str]:
    if ".." not in part:
        return [part]
    form = _RANGE.fullmatch(part.replace(" ", ""))
    if form is None:
        raise RequestError(f"{text}: {key} = {part!r} is no range of whole numbers", _EXAMPLE)
    low, high, step = int(form["low"]), int(form["high"]), int(form["step"] or 1)
    if low > high or step < 1:
        raise RequestError(f"{text}: {key} = {part!r} is an empty range", _EXAMPLE)
    if (high - low) // step >= 10**6:
        raise RequestError(f"{text}: {key} = {part!r} has more than 10^6 values", _EXAMPLE)
    return [str(number) for number in range(low, high + 1, step)]
