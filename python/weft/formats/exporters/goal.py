"""GOAL, the format of LogGOPSim and ATLAHS: what each rank sends and receives, as text."""

from __future__ import annotations

from weft import _core
from weft.errors import RequestError
from weft.plan.phases import expand
from weft.plan.plan import Step, to_json
from weft.runs.folder import Run


def write(run: Run) -> str:
    """The first step of the run that has messages, phase behind phase as the run has them: no node begins a phase before
    all have ended the one before. Raises RequestError where there is no such step."""
    nodes = len(run.meta.nodes)
    for step in run.meta.plan.steps:
        if step.is_ensemble and not step.is_adaptive:
            return _core.Program.of_phases(to_json(expand(step, nodes)), nodes).to_text()
    raise RequestError(
        f"{run.directory}: no step between many nodes whose phases the plan names",
        "export a run of a plan such as `aapc`, `alltoall` or `ring`",
    )
