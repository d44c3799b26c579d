"""The rules of catalog/advice.toml: when to change a knob, to which value, and with which explanation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from weft.base import catalog
from weft.base.condition import Fact, Range, meets
from weft.base.quantity import format_bytes, format_mbps, format_us, significant
from weft.base.toml_file import TomlTable, decode

Facts = Mapping[str, Fact]


class RuleAmount(Struct, frozen=True, forbid_unknown_fields=True):
    """A multiple of a fact, or a plain number, rounded up to the next power of two."""

    times: float
    of: str = ""

    def of_facts(self, facts: Facts) -> int | None:
        """The amount; None if the fact is unknown or not positive."""
        fact = facts.get(self.of, None if self.of else 1.0)
        if not isinstance(fact, float | int) or fact <= 0:
            return None
        return 1 << max(0, math.ceil(math.log2(fact * self.times)))


class AdviceRule(Struct, frozen=True, forbid_unknown_fields=True):
    """When to propose which value of a knob; the head of catalog/advice.toml describes the keys."""

    knob: str
    value: str = ""
    cause: str = ""
    of: Literal["node", "peer"] = "node"
    kinds: tuple[str, ...] = ("limit",)
    when: dict[str, Range | Fact] = {}
    current: str = ""
    amount: tuple[RuleAmount, ...] = ()
    says: tuple[str, ...] = ()
    test: str = ""

    def holds(self, facts: Facts) -> bool:
        """Whether all conditions of `when` are met."""
        return all(meets(facts.get(name), wanted) for name, wanted in self.when.items())

    def proposed(self, facts: Facts, form: str) -> str | None:
        """The value to try, an amount in the knob's `form`; None if the facts give none, or none above the current."""
        if not self.amount:
            value = said(self.value, facts)
            return None if value == self.now(facts, form) else value
        found = (one.of_facts(facts) for one in self.amount)
        amount = next((one for one in found if one is not None), None)
        current = facts.get(self.current)
        is_more = not isinstance(current, float | int) or (amount or 0) > current
        return form.format(amount) if amount is not None and is_more else None

    def now(self, facts: Facts, form: str) -> str:
        """The current value, as `proposed` writes it or as the node reports it; empty if unknown."""
        if isinstance(whole := facts.get(self.knob), str):
            return " ".join(whole.split())
        current = facts.get(self.current)
        if current is None:
            return ""
        return form.format(f"{current:.0f}") if self.amount else _written(self.current, current)


def _percent(share: float) -> str:
    return f"{significant(100 * share, 2)} %"


_FORMATS: Mapping[str, Callable[[float], str]] = {
    "_bytes": format_bytes,
    "_us": format_us,
    "_mbps": format_mbps,
    "_share": _percent,
}
"""How facts are formatted, by the suffix of their names."""


def said(template: str, facts: Facts) -> str:
    """A template filled with formatted facts."""
    return template.format_map({name: _written(name, value) for name, value in facts.items()})


def _written(name: str, value: Fact) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    known = (form for end, form in _FORMATS.items() if name.endswith(end))
    return next(known, "{:.0f}".format)(value)


class _Rules(TomlTable, frozen=True):
    rules: tuple[AdviceRule, ...]


@cache
def rules() -> tuple[AdviceRule, ...]:
    """All rules, in the order of the catalogue."""
    path = catalog.folder("plan").parent / "advice.toml"
    return decode(path, _Rules).rules
