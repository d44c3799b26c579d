"""Refuses transports that a kind of testbed cannot have."""

from __future__ import annotations

from weft.base.errors import RequestError
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.mpi.command import check_mpi
from weft.measure.testbed.base import Testbed
from weft.plan.plan import Plan

INSIDE_A_NODE = ("unix", "shm")


def refuse_elsewhere(plan: Plan, testbed: Testbed) -> None:
    """Raise RequestError for a transport that does not exist on this kind of testbed."""
    for step in plan.steps:
        if step.transport in INSIDE_A_NODE and testbed.kind != "local":
            raise RequestError(
                f"step {step.name!r}: {step.transport} is inside one node, and "
                f"{testbed.kind}:{testbed.name} has its ends on different ones",
                "run it on local:, two processes on this machine",
            )
        if kind_of(step).uses_mpi:
            check_mpi(step, testbed)
