"""Whether a machine has the memory and the processors for guests."""

from __future__ import annotations

import os
from collections.abc import Collection
from math import ceil
from typing import NamedTuple

from weft.base.errors import RequestError
from weft.measure.testbed.free_memory import free_bytes
from weft.measure.testbed.vm.emulator import Accelerator
from weft.measure.testbed.vm.settings import LEAST_MBYTES, GuestSettings

OVERHEAD_MBYTES = 100
"""Most memory that an emulator needs besides the guest's."""
MOST_PER_PROCESSOR: dict[Accelerator, int] = {"kvm": 16, "tcg": 6}
"""An idle guest takes a few percent of a processor; if it is emulated, several times as much."""


class GuestCapacity(NamedTuple):
    """The resources of a machine for guests, and how they would run on it."""

    free_mbytes: int
    processors: int
    accelerator: Accelerator

    @classmethod
    def here(cls, accelerator: Accelerator) -> GuestCapacity:
        """The resources of this machine."""
        return cls(free_bytes() // 1_000_000, len(os.sched_getaffinity(0)), accelerator)

    def carries(self, largest_mbytes: int) -> int:
        """How many guests with this much memory fit."""
        by_memory = self.free_mbytes // (largest_mbytes + OVERHEAD_MBYTES)
        return min(by_memory, MOST_PER_PROCESSOR[self.accelerator] * self.processors)

    def text(self, guests: Collection[GuestSettings]) -> str:
        """What the guests need, what is available, and how many fit, as text."""
        each = MOST_PER_PROCESSOR[self.accelerator]
        largest = _largest_mbytes(guests)
        kind = "emulated guests" if self.accelerator == "tcg" else "guests"
        return (
            f"{len(guests)} {kind} take {_taken_mbytes(guests):,} MB of memory ({largest:,} MB each, {OVERHEAD_MBYTES} "
            f"more for its emulator) and {_processors(ceil(len(guests) / each))} ({each} guests on each); this machine "
            f"has {self.free_mbytes:,} MB free and {_processors(self.processors)}: enough for {self.carries(largest)}"
        )

    def right(self, guests: Collection[GuestSettings]) -> str:
        """What would run instead, as a hint."""
        fitting = self.carries(_largest_mbytes(guests))
        ways = [f"a fabric of at most {fitting} hosts"] if fitting else []
        if self.carries(LEAST_MBYTES) >= len(guests):
            ways.append(f"less memory for each (memory={LEAST_MBYTES} in the brackets)")
        return ", ".join([*ways, "or namespaces, which take little of both (--on lab:FABRIC)"])


def check_room(guests: Collection[GuestSettings], accelerator: Accelerator) -> None:
    """Refuse more guests than this machine carries; raises RequestError."""
    room = GuestCapacity.here(accelerator)
    most = MOST_PER_PROCESSOR[accelerator] * room.processors
    if _taken_mbytes(guests) > room.free_mbytes or len(guests) > most:
        raise RequestError(room.text(guests), room.right(guests))


def _taken_mbytes(guests: Collection[GuestSettings]) -> int:
    return sum(one.memory_mbytes + OVERHEAD_MBYTES for one in guests)


def _largest_mbytes(guests: Collection[GuestSettings]) -> int:
    return max((one.memory_mbytes for one in guests), default=0)


def _processors(count: int) -> str:
    return f"{count:,} processor{'' if count == 1 else 's'}"
