"""What a step that is Linpack leaves open: how fast nodes compute. And whether its program is there, where it runs."""

from __future__ import annotations

from msgspec.structs import replace

from weft import _core
from weft.measure.execute.linpack.compute_rate import with_rates
from weft.measure.execute.linpack.program import make_ready
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Hpl
from weft.plan.plan import Step, to_json
from weft.runs.meta import Warning


def settle_linpack(step: Step, pattern: Hpl, testbed: Testbed) -> tuple[Step, list[Warning]]:
    """The step filled in, and notes for its user; raises RequestError where it cannot run there."""
    if step.is_real_program and not testbed.is_computed:
        make_ready(step, pattern, testbed)
        return step, []
    settled, said = with_rates(step, pattern, 1, None)
    return (settled if testbed.is_computed else _for_agents(settled, testbed)), said


def _for_agents(step: Step, testbed: Testbed) -> Step:
    """With the nodes of its grid."""
    count = len(testbed.nodes)
    _core.Program.check_hpl(to_json(step), count)
    rows, columns = _core.Program.grid(to_json(step), count)
    pattern = step.pattern
    assert isinstance(pattern, Hpl)
    return replace(
        step, pattern=replace(pattern, nodes=pattern.nodes or tuple(range(rows * columns)))
    )
