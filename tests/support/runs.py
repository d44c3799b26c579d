"""Run folders for tests, from times that the test chooses."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from support.paths import DATA
from support.plans import a_plan, a_step
from weft.plan.pattern import Pattern
from weft.plan.phases import expand
from weft.plan.plan import Step
from weft.runs.folder import TABLE_NAME, RunFolder, RunWriter
from weft.runs.meta import RunMeta
from weft.runs.records.records import DisturbedLaunch
from weft.runs.samples import SCHEMA

MESSAGES = 1000
"""Messages a row times, so that nanoseconds are fine enough for any test."""


def affine_us(sizes: Sequence[int], latency_us: float, rate_mbps: float) -> npt.NDArray[np.float64]:
    """Hockney's times."""
    return latency_us + np.asarray(sizes) * 8.0 / rate_mbps


def launches_of(
    time_us: npt.ArrayLike, launches: int = 5, batches: int = 5, noise: float = 0.0, seed: int = 1
) -> npt.NDArray[np.float64]:
    """One-way times by size, launch and batch, with relative noise."""
    times = np.asarray(time_us, dtype=np.float64)
    random = np.random.default_rng(seed)
    shape = (len(times), launches, batches)
    return times[:, np.newaxis, np.newaxis] * np.exp(noise * random.standard_normal(shape))


def sample_batch(**columns: npt.ArrayLike) -> pa.RecordBatch:
    """Samples: a column that is one number has it in all rows, and 0 where it is not given."""
    given = (np.asarray(columns.get(field.name, 0)).astype(np.int64) for field in SCHEMA)
    arrays = [np.atleast_1d(array) for array in np.broadcast_arrays(*given)]
    cast = [pa.array(np.array(a)).cast(field.type) for a, field in zip(arrays, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(cast, schema=SCHEMA)


def routes_measured(run: RunFolder, step: int) -> dict[int, set[tuple[int, int]]]:
    """The routes of which there are samples, by phase of a step."""
    rows = run.samples.filter(pc.field("step") == step)
    found: dict[int, set[tuple[int, int]]] = {}
    for phase, src, dst in zip(
        *(rows[k].to_pylist() for k in ("phase", "src", "dst")), strict=True
    ):
        found.setdefault(phase, set()).add((src, dst))
    return found


def routes_wanted(run: RunFolder, step: int) -> dict[int, set[tuple[int, int]]]:
    """The routes that the phases of a step ask for."""
    phases = expand(run.meta.plan.steps[step], len(run.meta.nodes))
    return {phase.index: {one.ends for one in phase.transfers} for phase in phases}


def step_plan(pattern: str = "pingpong", transport: str = "tcp") -> Step:
    """A step of a resolved plan."""
    window = {} if pattern == "pingpong" else {"window": 64}
    return a_step(msgspec.convert({"kind": pattern, **window}, Pattern), transport=transport)


def step_rows(
    sizes: Sequence[int],
    time_us: npt.NDArray[np.float64],
    pattern: str = "pingpong",
    step: int = 0,
    route: tuple[int, int] = (0, 1),
    phase: int | None = None,
) -> pa.RecordBatch:
    """The samples of one step; NaN times were not measured. A phase is a size, unless given."""
    at, launch, batch = (index.ravel() for index in np.indices(time_us.shape))
    ways = 2 if pattern == "pingpong" else 1
    elapsed = np.round(time_us.ravel() * 1e3 * ways * MESSAGES)
    kept = ~np.isnan(elapsed)
    return sample_batch(
        step=step,
        phase=at[kept] if phase is None else phase,
        launch=launch[kept],
        batch=batch[kept],
        src=route[0],
        dst=route[1],
        size_bytes=np.asarray(sizes)[at[kept]],
        messages=MESSAGES,
        elapsed_ns=elapsed[kept],
    )


def run_before_goals(folder: Path) -> Path:
    """The folder that a build wrote before sizes ended by themselves."""
    folder.mkdir()
    data = DATA / "before_goals"
    shutil.copy(data / "run.json", folder)
    samples = pyarrow.csv.read_csv(data / "samples.csv").cast(SCHEMA)
    pyarrow.parquet.write_table(samples, folder / TABLE_NAME)
    return folder


def change_meta(folder: Path, **changes: Any) -> None:
    """Give keys of run.json other values; as runs of earlier builds it then has no checksum."""
    path = folder / "run.json"
    document = json.loads(path.read_text())
    document.pop("checksum", None)
    path.write_text(json.dumps(document | changes))


def write_run(
    directory: Path,
    batches: Sequence[pa.RecordBatch],
    steps: Sequence[Step] | None = None,
    nodes: Sequence[str] = ("n1", "n2"),
    **meta: Any,
) -> RunFolder:
    """A complete run folder."""
    writer = begin_run(directory, steps, nodes, **meta)
    for batch in batches:
        writer.append(batch)
    return writer.finish("complete")


def begin_run(
    directory: Path,
    steps: Sequence[Step] | None = None,
    nodes: Sequence[str] = ("n1", "n2"),
    **meta: Any,
) -> RunWriter:
    """A run folder that is being written."""
    document = RunMeta(
        plan=a_plan(*(steps or [step_plan()]), launches=5),
        testbed={"kind": "lab", "name": "pair", "scale": 1.0},
        nodes=[{"name": node, "address": "", "facts": {}} for node in nodes],
        **meta,
    )
    return RunWriter.create(directory, document)


def pingpong_run(
    directory: Path, sizes: Sequence[int], time_us: npt.NDArray[np.float64], **meta: Any
) -> RunFolder:
    """A run of one ping-pong with these one-way times by size, launch and batch."""
    return write_run(directory, [step_rows(sizes, time_us)], **meta)


def disturbed_run(
    directory: Path, disturbed: Sequence[int], launches: int = 5, **meta: Any
) -> RunFolder:
    """A plan of five launches: 8 B took 28 us, and 463 us in those that were disturbed."""
    times = launches_of([28.0], launches, noise=0.01)
    times[:, list(disturbed)] *= 463 / 28
    marks = [stolen_mark(launch) for launch in disturbed]
    done = [[0, launch] for launch in range(launches)]
    return pingpong_run(directory, [8], times, done=done, disturbed=marks, **meta)


def stolen_mark(launch: int) -> DisturbedLaunch:
    """A launch in which half of a processor was stolen."""
    where = "processor 0 of this machine"
    return DisturbedLaunch(
        launch=launch, cause="stolen-time", where=where, share=0.49, counted=49, of=100
    )
