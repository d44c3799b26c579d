"""GOAL, the text format of LogGOPSim and ATLAHS: the sends and receives of each rank."""

from __future__ import annotations

from weft import _core
from weft.base.errors import RequestError
from weft.plan.pattern import Collective, Halo, Hpl, Interference, Program
from weft.plan.phases import expand
from weft.plan.plan import Step, to_json
from weft.plan.trace_file import read_program
from weft.runs.folder import RunFolder


def write(run: RunFolder) -> str:
    """The first step of the run between many nodes; raises RequestError if there is none.

    Phases are separated by barriers. Of a collective or a halo, the first size and algorithm is exported; of
    interference, the victim alone.
    """
    for step in run.meta.plan.steps:
        if step.is_program or (step.is_ensemble and not step.is_adaptive):
            return _program(step, len(run.meta.nodes)).to_text()
    raise RequestError(
        f"{run.directory}: no step between many nodes whose phases the plan names",
        "export a run of a plan such as `aapc`, `alltoall`, `halo` or `collectives`",
    )


def _program(step: Step, nodes: int) -> _core.Program:
    if isinstance(step.pattern, Program):
        return read_program(step.pattern)
    if isinstance(step.pattern, (Collective, Halo, Hpl, Interference)):
        return _core.Program.of_step(to_json(step), 0, nodes)
    return _core.Program.of_phases(to_json(expand(step, nodes)), nodes)
