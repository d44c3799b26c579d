"""The processors of the ends of a step, and how the ends wait."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.testbed.base import Testbed
from weft.plan.plan import Step


def chosen_cpus(step: Step, testbed: Testbed, cpus: Sequence[int] | None) -> tuple[int, ...] | None:
    """A processor for each node: the user's, else the plan's; None if the kernel chooses. Raises RequestError."""
    wanted = cpus or step.options.cpus or testbed.cpus
    if step.options.cpus == () or wanted is None:
        return None
    if len(wanted) < len(testbed.nodes):
        raise RequestError(
            f"--cpus names {len(wanted)} processors, {testbed.name} has {len(testbed.nodes)} nodes",
            "name one for each node",
        )
    check_usable(wanted, testbed)
    return tuple(wanted)


def check_usable(cpus: Sequence[int], testbed: Testbed) -> None:
    """Refuse processors that this machine does not have, if nodes are on it; raises RequestError."""
    usable = os.sched_getaffinity(0)
    if testbed.is_here and (wrong := sorted(set(cpus) - usable)):
        raise RequestError(
            f"no processor {', '.join(map(str, wrong))} to pin to",
            f"this machine has {sorted(usable)}",
        )


def blocking(step: Step, testbed: Testbed, cpus: Sequence[int] | None) -> Step:
    """The step with ends that sleep until something arrives."""
    options = replace(step.options, cpus=chosen_cpus(step, testbed, cpus), wait="block")
    return replace(step, options=options)
