"""Conditions of the catalogue's rules on facts: a number is within a range, anything else is equal."""

from __future__ import annotations

from msgspec import Struct

Fact = float | str | bool


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of a number, both inclusive."""

    at_least: float = float("-inf")
    at_most: float = float("inf")


def meets(fact: Fact | None, wanted: Range | Fact) -> bool:
    """Whether a fact meets the condition; an unknown fact never does."""
    if isinstance(wanted, Range):
        return isinstance(fact, int | float) and wanted.at_least <= fact <= wanted.at_most
    return fact is not None and fact == wanted
