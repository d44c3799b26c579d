"""One step between two ranks: starts them, reads what rank 0 prints, and hands on complete phases.

Rank 0 prints `library VERSION` and `limit NAME BYTES` for each size at which its protocols change, then `row PHASE
BATCH BYTES MESSAGES START_NS ELAPSED_NS` for each batch, `over PHASE` after the last row of a phase, and `done`. If
batches are chosen here, it prints `awaiting` before `done`, until it is given 0 batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec
import pyarrow as pa
from msgspec.structs import astuple

from weft.measure.execute.mpi.beside import recorded
from weft.measure.execute.mpi.job import MpiJob
from weft.measure.execute.mpi.launch import launch
from weft.measure.execute.pair import NextBatches, OnEvidence, OnSamples, StepJob, StepOutcome
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.request import ChosenBatch
from weft.measure.testbed.base import Testbed
from weft.plan.phases import expand
from weft.runs.samples import SCHEMA

WARM_UP = -1
"""Number of a warm-up batch, which is not recorded."""


async def run_mpi_step(
    testbed: Testbed,
    agents: list[Agent],
    job: StepJob,
    on_samples: OnSamples,
    next_batches: NextBatches = list,
    on_evidence: OnEvidence = lambda node, said: None,
) -> StepOutcome:
    """Run a step between the first two nodes; raises AgentError after the complete phases were handed on."""
    epoch_ns = job.epoch_ns + await agents[0].clock_offset_ns()
    sizes = {phase.index: phase.size_bytes for phase in expand(job.step, len(testbed.nodes))}
    settings = _settings(job, sizes) | {"epoch_ns": epoch_ns}
    orders = chain([_known_batches(job, sizes)] if job.known else [], iter(next_batches, None))
    ranks = list(zip((0, 1), testbed.nodes, agents, strict=False))
    async with (
        recorded(job.step, ranks, on_evidence) as found,
        launch(testbed, [0, 1], job.step, settings | found, job.patience_s) as started,
    ):
        said = await _listen(started, job, on_samples, orders)
        await started.finish()
    calls = job.step.options.calls or "blocking"
    cpus = job.step.options.cpus
    effective = {**said, "calls": calls, "cpus": cpus[:2] if cpus else None}
    return StepOutcome(effective={node.name: effective for node in testbed.nodes[:2]})


def _settings(job: StepJob, sizes: Mapping[int, int]) -> dict[str, object]:
    """The settings of the step as the program reads them; `sizes` of its phases in bytes."""
    step, stop = job.step, job.step.stop
    first = [] if job.known else job.phases
    settings: dict[str, object] = {
        "pattern": step.pattern.kind,
        "window": getattr(step.pattern, "window", 1),
        "calls": step.options.calls or "blocking",
        "until_ns": step.until_ns or 0,
        "orders": int(bool(step.pin_ns or job.known)),
        "largest_bytes": max(sizes.values()),
        "phases": ",".join(f"{one}:{sizes[one]}" for one in first if one in sizes),
    }
    return settings | {name: value or 0 for name, value in msgspec.to_builtins(stop).items()}


async def _listen(
    started: MpiJob, job: StepJob, on_samples: OnSamples, orders: Iterator[list[ChosenBatch]]
) -> dict[str, str | int]:
    """Read to the end; returns the library's version and limits. Raises AgentError if the job fails or falls silent."""
    rows: list[dict[str, int]] = []
    said: dict[str, str | int] = {"mpi": ""}
    while (words := await started.words()) != ["done"]:
        match words:
            case ["library", *version]:
                said["mpi"] = " ".join(version)
            case ["limit", name, size]:
                said[name] = int(size)
            case ["row", *numbers] if len(numbers) == 6:
                rows.append(_row(job, [int(number) for number in numbers]))
            case ["over", _]:
                on_samples(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
                rows = []
            case ["awaiting"]:
                if rows:
                    on_samples(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
                    rows = []
                _order(started, next(orders))
    return said


def _known_batches(job: StepJob, sizes: Mapping[int, int]) -> list[ChosenBatch]:
    """The batches of phases with known times, in the order of agents (crates/probe/src/pair/driver.rs)."""
    batches = []
    for one in job.known:
        size_bytes = sizes[one.phase]
        if one.warm_up:
            batches.append(ChosenBatch(one.phase, WARM_UP, size_bytes, one.warm_up))
        numbers = range(one.batches)
        batches += [ChosenBatch(one.phase, number, size_bytes, one.messages) for number in numbers]
    return batches


def _order(started: MpiJob, batches: list[ChosenBatch]) -> None:
    """Send the number of batches and the batches on one line. 0 ends the program sooner than closing its input
    would."""
    numbers = [number for one in batches for number in astuple(one)]
    started.tell(" ".join(map(str, [len(batches), *numbers])) + "\n")


def _row(job: StepJob, numbers: list[int]) -> dict[str, int]:
    names = ("phase", "batch", "size_bytes", "messages", "start_ns", "elapsed_ns")
    known = {"step": job.step_index, "launch": job.launch, "src": 0, "dst": 1}
    return known | dict(zip(names, numbers, strict=True))
