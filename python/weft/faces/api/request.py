"""A user's run as a request, with the command that repeats it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from weft.base import catalog
from weft.base.errors import RequestError
from weft.measure.execute.options.overrides import overrides_of
from weft.measure.execute.options.run_options import USUAL_OPTIONS, RunOptions
from weft.measure.execute.request import RunRequest
from weft.measure.testbed.kinds import looks_like_testbed
from weft.plan.load import PlanSource, load_plan

_FABRICS = ("lab", "vm", "sim")
"""Testbeds that always have all hosts of a fabric: a smaller number of nodes applies to the steps."""


def run_request(
    plan: PlanSource,
    on: str,
    options: RunOptions = USUAL_OPTIONS,
    command: Sequence[str] | None = None,
) -> RunRequest:
    """The request of `weft.run` and of `weft run`, which knows its `command`; raises RequestError."""
    _check_order(plan, on)
    if options.nodes and on.partition(":")[0] in _FABRICS:
        _check_takes_nodes(plan, options)
        settings = {"steps.*.nodes": options.nodes, **(options.settings or {})}
        options = replace(options, nodes=None, settings=settings)
    return RunRequest(plan, on, options, command or _command(plan, on, options))


def _check_order(plan: PlanSource, on: str) -> None:
    """Refuse a testbed in the place of the plan."""
    if isinstance(plan, str) and looks_like_testbed(plan):
        measured = on if on in catalog.names("plan") else "signature"
        raise RequestError(
            f"{plan}: a testbed, where the plan should be",
            f"the plan comes first: {measured}, on {plan}",
        )


def _check_takes_nodes(plan: PlanSource, options: RunOptions) -> None:
    others = load_plan(plan, overrides_of(plan, options)).steps
    if pairs := [step.name for step in others if not hasattr(step.pattern, "nodes")]:
        raise RequestError(
            f"--nodes {options.nodes}: step {pairs[0]} measures between two nodes",
            "leave --nodes out, or take a plan between many nodes, such as alltoall",
        )


def _command(plan: PlanSource, on: str, options: RunOptions) -> list[str]:
    """The command that repeats the run; empty if the plan is not a file."""
    overrides = overrides_of(plan, options)
    if isinstance(plan, Mapping):
        return []
    given = {"--scale": options.scale, "--nodes": options.nodes, "--ports": options.ports}
    words = [str(word) for name, value in given.items() if value for word in (name, value)]
    sets = [word for key, value in overrides for word in ("--set", f"{key}={value}")]
    return ["weft", "run", os.fspath(plan), "--on", on, *words, *sets]
