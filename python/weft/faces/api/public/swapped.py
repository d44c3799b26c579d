"""A plan and what it runs on, given in each other's place."""

from __future__ import annotations

from weft.base import catalog
from weft.base.errors import ArgumentError
from weft.measure.testbed.kinds import looks_like_testbed


def refuse_swapped(call: str, plan: object, place: object) -> None:
    """Raise ArgumentError if `plan` is a testbed, a fabric or a machine, and `place` a plan; `call` is how to call it
    with both in their places, in braces."""
    if _is_place(plan) and _is_plan(place):
        raise ArgumentError(
            f"{plan!r} is not a plan, and {place!r} is one: they are swapped",
            f"call {call.format(place, plan)}",
        )


def _is_place(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return looks_like_testbed(value) or value in catalog.names("fabric")


def _is_plan(value: object) -> bool:
    return isinstance(value, str) and value in catalog.names("plan")
