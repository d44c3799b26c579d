"""Whether this machine has the memory for the buffers of a collective, where all nodes share it."""

from __future__ import annotations

from weft.base.errors import RequestError
from weft.base.quantity import format_bytes
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.free_memory import free_bytes
from weft.plan.pattern import Collective
from weft.plan.phases import expand
from weft.plan.plan import Step

BUFFERS = 3
"""A node's own, and what it sends and receives at a time."""


def check_buffers(step: Step, pattern: Collective, testbed: Testbed) -> None:
    """Refuse sizes that do not fit; raises RequestError. Other machines' agents say it themselves."""
    if not testbed.is_here:
        return
    largest = max(phase.size_bytes for phase in expand(step, len(testbed.nodes)))
    nodes = len(pattern.nodes or testbed.nodes)
    free = free_bytes()
    if BUFFERS * nodes * largest <= free:
        return
    raise RequestError(
        f"step {step.name!r}: {format_bytes(largest)} at each of {nodes} nodes take up to "
        f"{format_bytes(BUFFERS * nodes * largest)} of memory, and this machine has {format_bytes(free)} free",
        f"take sizes of at most {format_bytes(free // (BUFFERS * nodes))}, or fewer `nodes`",
    )
