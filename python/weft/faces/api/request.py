"""A user's run as a request, with the command that repeats it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from weft.measure.execute.options.overrides import overrides_of
from weft.measure.execute.options.run_options import USUAL_OPTIONS, RunOptions
from weft.measure.execute.request import RunRequest
from weft.plan.load import PlanSource

_FABRICS = ("lab", "vm", "sim")
"""Testbeds that always have all hosts of a fabric: a smaller number of nodes applies to the steps."""


def run_request(
    plan: PlanSource,
    on: str,
    options: RunOptions = USUAL_OPTIONS,
    command: Sequence[str] | None = None,
) -> RunRequest:
    """The request of `weft.run` and of `weft run`, which knows its `command`; raises RequestError."""
    if options.nodes and on.partition(":")[0] in _FABRICS:
        settings = {"steps.*.nodes": options.nodes, **(options.settings or {})}
        options = replace(options, nodes=None, settings=settings)
    return RunRequest(plan, on, options, command or _command(plan, on, options))


def _command(plan: PlanSource, on: str, options: RunOptions) -> list[str]:
    """The command that repeats the run; empty if the plan is not a file."""
    overrides = overrides_of(plan, options)
    if isinstance(plan, Mapping):
        return []
    given = {"--scale": options.scale, "--nodes": options.nodes, "--ports": options.ports}
    words = [str(word) for name, value in given.items() if value for word in (name, value)]
    sets = [word for key, value in overrides for word in ("--set", f"{key}={value}")]
    return ["weft", "run", os.fspath(plan), "--on", on, *words, *sets]
