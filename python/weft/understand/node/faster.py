"""The benefit of a faster part of a simulated node: the run's machine simulated again with that part changed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from weft import _core
from weft.base.amount import Amount, read_amount
from weft.base.errors import WeftError
from weft.network.model.machine_text import value_of
from weft.plan.plan import Step, to_json
from weft.runs.records import records

TWICE = 2.0
TIMES = (1.25, TWICE, 4.0)
"""The speed factors that are tried."""
MOST = 64.0
"""With this speed factor a part no longer limits."""
ALL, MUCH = 0.99, 0.9
"""Shares of the rate without the part's limit: at ALL another part limits; MUCH is what a purchase should achieve."""
_MATTERS = 1.01
_GRAIN = 1.01


@dataclass(frozen=True)
class PartSpeedup:
    """A part sped up by the factor `times`, the new `value` of its key, and the resulting rate of messages."""

    times: float
    value: str
    rate_mbps: float


@dataclass(frozen=True)
class Faster:
    """The one-way rates of messages of one size with a faster part.

    `tried` is in ascending order. `much` reaches 90 % of the rate without the part's limit. Beyond `all`, `next_part`
    limits; it is empty if no single part does.
    """

    key: str
    now: str
    size_bytes: int
    rate_mbps: float
    tried: tuple[PartSpeedup, ...]
    much: PartSpeedup
    all: PartSpeedup
    next_part: str

    @property
    def twice(self) -> PartSpeedup:
        """The result with the part twice as fast; with the unchanged part if a faster one has no effect."""
        return next((one for one in self.tried if one.times == TWICE), self.much)

    @property
    def brings(self) -> float:
        """The largest speed-up of messages; 1 if the part alone is no limit."""
        return self.all.rate_mbps / self.rate_mbps


class SimulatedMachine(NamedTuple):
    """A machine as a run's record has it, with overrides of keys in its text."""

    text: str
    name: str
    placement: str | None
    keys: tuple[tuple[str, str], ...]


@lru_cache(maxsize=4096)
def _first_batch(machine: SimulatedMachine, step: str, phase: int) -> tuple[int, int]:
    """The duration in ns and the messages of a phase's first batch; (1, 0) if none arrives.

    Cached, because diagnosis and recommendations of a run need the same simulations.
    """
    model = _core.Machine.load(*machine[:3], list(machine.keys))
    rows = model.simulate(step, phase, phase + 1)["rows"]
    elapsed_ns = np.frombuffer(rows["elapsed_ns"], dtype=np.int64)
    messages = np.frombuffer(rows["messages"], dtype=np.int32)
    return (int(elapsed_ns[0]), int(messages[0])) if len(elapsed_ns) else (1, 0)


@dataclass
class NodeModel:
    """The machine of a run as recorded, with the phase of a step to simulate."""

    testbed: records.TestbedRecord
    step: Step
    phase: int
    size_bytes: int

    def faster(self, part: str) -> Faster | None:
        """The benefit of speeding up a part; None if the machine's description has no number for it, or if no message
        arrives."""
        key = key_of(part)
        amount = self._amount(key)
        if amount is None:
            return None
        now, most = self.rate_mbps({}), self._sped(key, amount, MOST)
        if not now:
            return None
        written = amount.text(amount.worth)
        known = key, written, self.size_bytes, now
        if most.rate_mbps < now * _MATTERS:
            same = PartSpeedup(1.0, written, now)
            return Faster(*known, (), same, same, "")
        tried = tuple(self._sped(key, amount, times) for times in TIMES)
        much = self._least(key, amount, MUCH * most.rate_mbps)
        enough = self._least(key, amount, ALL * most.rate_mbps)
        return Faster(*known, tried, much, enough, self._next({key: most.value}, part))

    def rate_mbps(self, changes: Mapping[str, str]) -> float:
        """The one-way rate of messages with some keys changed; 0 if none arrives."""
        overrides = self.testbed["overrides"]
        machine = SimulatedMachine(
            self._machine["text"],
            self.testbed["name"],
            self._machine["placement"],
            tuple({**{key: str(one) for key, one in overrides.items()}, **changes}.items()),
        )
        elapsed_ns, messages = _first_batch(machine, to_json(self.step), self.phase)
        ways = 2 if self.step.pattern.kind == "pingpong" else 1
        return float(self.size_bytes * 8e3 * ways * messages / elapsed_ns)

    def _sped(self, key: str, amount: Amount, times: float) -> PartSpeedup:
        """The part sped up by `times`, its value rounded to three digits as in a data sheet."""
        value = amount.text(float(f"{amount.worth * times:.3g}"))
        return PartSpeedup(times, value, self.rate_mbps({key: value}))

    def _least(self, key: str, amount: Amount, rate_mbps: float) -> PartSpeedup:
        """The slowest part that reaches a rate, within 1 %, by bisection."""
        low, high = 1.0, MOST
        while high / low > _GRAIN:
            middle = math.sqrt(low * high)
            if self._sped(key, amount, middle).rate_mbps >= rate_mbps:
                high = middle
            else:
                low = middle
        return self._sped(key, amount, high)

    def _next(self, changes: Mapping[str, str], but: str) -> str:
        """The part other than `but` whose doubling helps most after the changes; empty if none helps."""
        rate = self.rate_mbps(changes)
        found: dict[str, float] = {}
        for part, key in self._levers:
            amount = self._amount(key)
            if part != but and amount is not None and amount.worth > 0:
                times = 0.5 if amount.kind == "time" else 2.0
                value = amount.text(amount.worth * times)
                found[part] = self.rate_mbps({**changes, key: value})
        best = max(found, key=lambda one: found[one], default="")
        return best if best and found[best] >= rate * _MATTERS else ""

    @property
    def _machine(self) -> records.MachineText:
        return self.testbed["machine"]

    @cached_property
    def _levers(self) -> list[tuple[str, str]]:
        """Candidates for the next limit, with their keys: parts, then delays and buffers."""
        found = value_of(self._machine["text"], "processors")
        names = [str(one["name"]) for one in found] if isinstance(found, list) else []
        shared = [(part, key_of(part)) for part in (*names, *_KEYS)]
        return [*shared, *_OTHERS]

    def _amount(self, key: str) -> Amount | None:
        value = self._value(key)
        if value is None or isinstance(value, (dict, list, bool)):
            return None
        try:
            return read_amount(value, key)
        except WeftError:
            return None

    def _value(self, key: str) -> object | None:
        """The value in effect: from the run's overrides, else its placement, else the machine's file."""
        changed: object | None = self.testbed["overrides"].get(key)
        if changed is not None:
            return changed
        machine, placement = self._machine["text"], self._machine["placement"]
        own = value_of(machine, f"placements.{placement}.with.{key}") if placement else None
        return value_of(machine, key) if own is None else own


LINK = "link out"
_KEYS = {"I/O bus": "io_bus.rate", "memory bus": "memory.bus", LINK: "link.rate"}
_OTHERS = (
    ("each access to the I/O bus", "io_bus.access"),
    ("each access to memory", "memory.miss"),
    ("each access to caches", "memory.hit"),
    ("the interrupts' delay", "interrupts.delay"),
    ("the link's delay", "link.delay"),
    ("the sender's buffer", "sockets.send_buffer"),
    ("the receiver's buffer", "sockets.receive_buffer"),
)


def key_of(part: str) -> str:
    """The key of a machine's description that holds the speed of a part."""
    return _KEYS.get(part, f"processors.{part}.clock")


def part_text(part: str) -> str:
    """A part within a sentence: "the I/O bus", "the processor cpu0"."""
    if part.startswith(("the ", "each ")):
        return part
    shared = "link" if part == LINK else part
    return f"the {shared}" if part in _KEYS else f"the processor {part}"
