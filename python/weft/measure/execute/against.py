"""The earlier run that a new run is compared with, checked before anything starts."""

from __future__ import annotations

import os

from weft.base.errors import RequestError
from weft.plan.plan import Plan
from weft.runs.missing import COMPUTED
from weft.runs.records.goal_records import Against
from weft.understand.curve.earlier import earlier_run


def settle_against(earlier: str | os.PathLike[str] | None, plan: Plan, spec: str) -> Against | None:
    """The earlier run as run.json records it; raises RequestError if it is not a run, does not fit the plan, or could
    not decide anything."""
    if earlier is None:
        return None
    if spec.partition(":")[0] in COMPUTED:
        raise RequestError(
            f"--against {earlier}: what {spec} computes comes out the same in each launch",
            "run it without, then use `weft compare`",
        )
    return earlier_run(os.fspath(earlier), plan).recorded()
