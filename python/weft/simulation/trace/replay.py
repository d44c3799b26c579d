"""Replays a size of a simulated run with an observer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from weft import _core
from weft.base.errors import RequestError
from weft.measure.testbed.computed.node import SimulatedNodes, open_nodes
from weft.plan.plan import to_json
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Ints

_KIND = "node:"
Columns = Mapping[str, Ints]


@dataclass(frozen=True)
class MessageTrace:
    """The events of messages of one size; times are in ps since the first message began.

    `slices` has a row for each uninterrupted activity of a part: track (an index of `tracks`, the first node's first),
    name (an index of `acts`), begin_ps, end_ps, bytes, flow (equal for related slices; -1 for none), is_put_off
    (preempted). `passages` has the stages of the latency budget: way (0 is the first, of the warm-up), stage (an index
    of `stages`), begin_ps, end_ps; streams have none. `readings` has the gauges: node, gauge (an index of `GAUGES`),
    at_ps, value in bytes.
    """

    name: str
    pattern: str
    size_bytes: int
    nodes: list[str]
    tracks: list[str]
    acts: list[str]
    stages: list[str]
    slices: Columns
    passages: Columns
    readings: Columns
    batches_ps: list[int]
    is_cut: bool


GAUGES = ("ring in use", "in flight", "window left")
"""Bytes of frames in the receive ring; bytes not yet acknowledged; bytes that may be sent."""


def record(run: RunFolder, size_bytes: int, step: int | None = None) -> MessageTrace:
    """Replays what `run` simulated at a size; raises RequestError if it cannot be replayed.

    If several steps have the size, the first is used unless `step` (an index of the plan's steps) selects one.
    """
    spec = str(run.meta.testbed.get("spec", ""))
    if not spec.startswith(_KIND):
        raise RequestError(
            f"{run.directory}: ran on {spec or 'what was imported'}: what happened inside its nodes is not known",
            "trace a run on node:MACHINE, such as `weft run netpipe --on node:p4-400-offload`",
        )
    at, phase = _place(run, size_bytes, step)
    plan = run.meta.plan.steps[at]
    if plan.pattern.kind not in ("pingpong", "stream"):
        raise RequestError(
            f"{run.directory}: step {plan.name!r} is a {plan.pattern.kind}; only pingpong and stream "
            "can be traced"
        )
    if not plan.pattern.has_curve:
        raise RequestError(
            f"{run.directory}: step {plan.name!r} has application loads, which are not traced",
            "trace a stream without `gamma`",
        )
    nodes = open_nodes(spec.removeprefix(_KIND))
    _check_same(run, nodes, at, phase)
    try:
        answer = nodes.model.record(to_json(plan), phase)
    except _core.RefusedError as error:
        raise RequestError(f"{run.directory}: {error.message}") from None
    return MessageTrace(
        name=nodes.name,
        pattern=plan.pattern.kind,
        size_bytes=size_bytes,
        nodes=nodes.model.hosts(),
        tracks=nodes.model.tracks(),
        acts=nodes.model.acts(),
        stages=nodes.model.stages(),
        slices=_arrays(answer["slices"]),
        passages=_arrays(answer["passages"]),
        readings=_arrays(answer["readings"]),
        batches_ps=answer["batches_ps"],
        is_cut=answer["is_cut"],
    )


def _place(run: RunFolder, size_bytes: int, step: int | None) -> tuple[int, int]:
    """The first step and phase with a size; raises RequestError if there is none."""
    samples = run.samples
    if step is not None:
        samples = samples.filter(pc.equal(samples["step"], step))
    found = samples.filter(pc.equal(samples["size_bytes"], size_bytes))
    if not found.num_rows:
        where = f"{run.directory}" if step is None else f"{run.directory}, step {step + 1}"
        raise RequestError(f"{where}: has no messages of {size_bytes} B", _other_sizes(samples))
    first = found.group_by(["step"]).aggregate([("phase", "min")]).sort_by("step").to_pylist()[0]
    return first["step"], first["phase_min"]


def _other_sizes(samples: Any) -> str:
    sizes = sorted(set(samples["size_bytes"].to_pylist()))
    if not sizes:
        return "it has no samples at all"
    shown = sizes if len(sizes) <= 12 else [*sizes[:6], "...", *sizes[-5:]]
    return "it has " + ", ".join(map(str, shown)) + " B"


def _check_same(run: RunFolder, nodes: SimulatedNodes, step: int, phase: int) -> None:
    """Raises RequestError if the simulation no longer gives the run's times, because the trace would not match it."""
    samples = run.samples
    mine = pc.and_(pc.equal(samples["step"], step), pc.equal(samples["phase"], phase))
    then = samples.filter(mine)["elapsed_ns"].to_pylist()
    outcome = nodes.simulate(run.meta.plan.steps[step], phase, phase + 1)
    if outcome.samples(step, 0, 0)["elapsed_ns"].to_pylist() != then:
        raise RequestError(
            f"{run.directory}: {run.meta.testbed['spec']} is not any more what was run: times come out differently",
            f"run it again; the run is of weft {run.meta.weft_version}",
        )


def _arrays(columns: Mapping[str, bytes]) -> Columns:
    return {name: np.frombuffer(column, dtype=np.int64) for name, column in columns.items()}
