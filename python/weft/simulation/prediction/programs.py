"""Estimates a step whose messages wait for others: a collective, a halo, Linpack, or the trace of an application."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.linpack.compute_rate import with_rates
from weft.measure.testbed.computed.network import SimulatedNetwork
from weft.plan.pattern import Collective, Halo, Hpl, Interference, Program, Traffic
from weft.plan.phases import expand
from weft.plan.plan import Plan, SizeList, Step
from weft.plan.trace_file import with_digest

_NO_SINGLE_TIME = {
    Interference: "compares a victim alone with one beside others",
    Traffic: "runs on increasing numbers of nodes",
}
ASK_INSTEAD = "take a collective, a halo, hpl or a trace, or phases such as alltoall and ring"


@dataclass(frozen=True)
class EstimatedProgram:
    """A program at one message size: the phase that carries it out fastest, with its time. A collective has a phase
    for each algorithm; `size_bytes` is 0 if the program has sizes of its own."""

    step: str
    size_bytes: int
    phase: int
    time_s: float


def without_number(step: Step) -> str:
    """Why a step has no single time or rate on a network; empty if it has."""
    why = _NO_SINGLE_TIME.get(type(step.pattern))
    return f"step {step.name!r} {why}, so that it has no single time" if why else ""


def check_program(step: Step) -> None:
    """Raises RequestError for a step of programs that has no single time, or whose nodes compute at an unknown speed:
    all networks are compared with the same nodes."""
    if why := without_number(step):
        raise RequestError(why, ASK_INSTEAD)
    pattern = step.pattern
    if isinstance(pattern, Hpl) and not (pattern.dgemm_flops and pattern.panel_flops):
        of = f"steps.{step.name}"
        raise RequestError(
            f"step {step.name!r} does not say how fast a node computes",
            f'settings = {{ "{of}.dgemm" = "20 GFlop/s", "{of}.panel" = "4 GFlop/s" }}',
        )


def settled_program(testbed: SimulatedNetwork, step: Step) -> Step:
    """The step with everything settled for this testbed; raises RequestError if it cannot be simulated there."""
    return kind_of(step).settle_simulated(testbed, None)[0]


def fastest(testbed: SimulatedNetwork, step: Step) -> Iterator[EstimatedProgram]:
    """The fastest phase of each size of a settled step."""
    found: dict[int, EstimatedProgram] = {}
    for phase in expand(step, len(testbed.nodes)):
        size_bytes = phase.size_bytes if isinstance(step.pattern, Collective | Halo) else 0
        time_s = phase_s(testbed, step, phase.index)
        best = found.get(size_bytes)
        if best is None or time_s < best.time_s:
            found[size_bytes] = EstimatedProgram(step.name, size_bytes, phase.index, time_s)
    yield from found.values()


def phase_s(testbed: SimulatedNetwork, step: Step, phase: int) -> float:
    """The time of a phase of a settled step until its last node has ended, in seconds."""
    outcome = kind_of(step).simulate(testbed, phase, phase + 1, False)
    return float(np.frombuffer(outcome.activities["end_ns"], np.int64).max()) / 1e9


def half_as_large_s(testbed: SimulatedNetwork, step: Step, one: EstimatedProgram) -> float | None:
    """The time of the same program with messages of half the size, in seconds; None if its sizes are its own."""
    if one.size_bytes < 2:
        return None
    half = replace(step, sizes=SizeList((one.size_bytes // 2,)))
    return phase_s(testbed, half, one.phase % testbed.phase_count(half))


def settled_settings(plan: Plan) -> Iterator[tuple[str, str]]:
    """Overrides for what only this machine knows and every simulation must share: the speed of Linpack's nodes, which
    is measured here."""
    for _, step, pattern in plan.steps_of(Hpl):
        settled, measured = with_rates(step, pattern, 1, None)
        if measured and isinstance(settled.pattern, Hpl):
            yield f"steps.{step.name}.dgemm", _mflops(settled.pattern.dgemm_flops)
            yield f"steps.{step.name}.panel", _mflops(settled.pattern.panel_flops)


def _mflops(flops: int | None) -> str:
    return f"{max(1, round((flops or 0) / 1e6))} MFlop/s"


def digests(plan: Plan) -> Mapping[str, str]:
    """The digests of the traces that a plan replays, by step; raises RequestError if a file is missing."""
    return {step.name: str(with_digest(one).sha256) for _, step, one in plan.steps_of(Program)}
