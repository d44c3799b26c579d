"""The keys of the patterns in a plan: what they accept, and their values in the plan."""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from weft import _core
from weft.base.quantity import format_bytes, format_us
from weft.plan.load import PlanSource, largest_message_bytes, load_plan, plan_text


class PatternKey(Struct, frozen=True):
    """A key, the description of its values, and its value in TOML if the plan sets it."""

    name: str
    takes: str
    given: str | None

    @property
    def values(self) -> str:
        """Such as "a whole number from 1 to 64"."""
        text = self.takes.removeprefix("must be ").replace(" needs a unit (", " with a unit (")
        text = re.sub(r"^unknown \w+; known: ", "one of ", text)
        return re.sub(r"^belongs to (.*); remove it here$", r"only of \1", text)


class StepKeys(Struct, frozen=True):
    """A step, the keys of its pattern beyond those of every step, and the parsed pattern."""

    name: str
    pattern: str
    keys: list[PatternKey]
    read: dict[str, object]

    def usual(self, key: PatternKey) -> str | None:
        """The default of a key that the plan does not set; None if there is none."""
        name = key.name
        if isinstance(time_ns := self.read.get(f"{name}_ns"), int):
            return format_us(time_ns / 1000)
        if isinstance(size := self.read.get(f"{name}_bytes"), int):
            return format_bytes(size)
        value = self.read.get(name)
        return None if value in (None, [], {}) else msgspec.json.encode(value).decode().strip('"')


def step_keys(source: PlanSource) -> list[StepKeys]:
    """The keys of each step, one with `over` as written; raises RequestError if the plan is invalid."""
    load_plan(source)  # raises the error that locates the mistake
    steps = _core.step_keys(*plan_text(source), largest_message_bytes())
    return msgspec.json.decode(steps, type=list[StepKeys])
