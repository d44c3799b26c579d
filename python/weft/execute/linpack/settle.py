"""What a step that is Linpack leaves open: how fast nodes compute. And whether its program is there, where it runs."""

from __future__ import annotations

from weft.execute.linpack.compute_rate import with_rates
from weft.execute.linpack.program import make_ready
from weft.plan.pattern import Hpl
from weft.plan.plan import Step
from weft.runs.meta import Warning
from weft.testbed.base import Testbed


def settle_linpack(step: Step, pattern: Hpl, testbed: Testbed) -> tuple[Step, list[Warning]]:
    """The step filled in, and notes for its user; raises RequestError where it cannot run there."""
    if testbed.is_computed:
        return with_rates(step, pattern, 1, None)
    make_ready(step, pattern, testbed)
    return step, []
