"""A plan and what it runs on, given in each other's place."""

from __future__ import annotations

from weft.base import catalog
from weft.base.errors import ArgumentError

_KINDS = ("lab", "vm", "sim", "node", "local", "ssh", "hosts", "slurm", "mpirun", "template")


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
    return value.partition(":")[0] in _KINDS or value in catalog.names("fabric")


def _is_plan(value: object) -> bool:
    return isinstance(value, str) and value in catalog.names("plan")
