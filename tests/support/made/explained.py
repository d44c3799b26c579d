"""Runs of a stream and counters beside their batches, for tests of what is explained."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from support.made.evidence import Counter, add_evidence
from support.plans import a_step
from support.runs import launches_of, step_rows, write_run
from weft.plan.pattern import Stream
from weft.plan.plan import Step
from weft.runs.folder import RunFolder
from weft.understand.explain.explain import explain
from weft.understand.explain.finding import Explanation

SIZES = [1024, 8192, 65536]
BASE_US = np.array([20.0, 25.0, 80.0])
STREAM = Stream(window=64)
BUSY = {(0, "tcp_bytes_sent", None): 10**8, (0, "tcp_rtt_ns", None): 50_000}


def a_run(
    folder: Path, times_us: npt.NDArray[np.float64], step: Step | None = None, **meta: Any
) -> tuple[RunFolder, npt.NDArray[np.float64]]:
    """A run of a stream, and the time of each of its batches in ns."""
    step = step or a_step(STREAM, sizes=SIZES)
    rows = [step_rows(SIZES, times_us, pattern=step.pattern.kind)]
    run = write_run(folder / "run", rows, [step], **meta)
    return run, run.samples["elapsed_ns"].to_numpy().astype(float)


def even(noise: float = 0.01, seed: int = 1, launches: int = 4) -> npt.NDArray[np.float64]:
    return launches_of(BASE_US, launches, batches=10, noise=noise, seed=seed)


def two_modes(seed: int = 1) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Times with two modes at 8 KiB, and which rows of the samples are slow."""
    times, random = even(seed=seed), np.random.default_rng(seed)
    slow = np.zeros(times.shape, dtype=bool)
    slow[1] = random.random(times.shape[1:]) < 0.4
    return np.where(slow, 1.6 * times, times), slow.ravel()


def noise_counters(run: RunFolder, seed: int = 1) -> dict[Counter, npt.NDArray[np.float64]]:
    """Counters that move by themselves, alike for both nodes of the lab's host where they are the host's."""
    random, rows = np.random.default_rng(seed), len(run.samples)
    time_ns = run.samples["elapsed_ns"].to_numpy()
    counters: dict[Counter, npt.NDArray[np.float64]] = {}
    for name in ("softirq_net_rx", "softirq_timer", "softirq_sched", "softnet_processed"):
        for cpu in range(4):
            values = time_ns / 1e5 * random.lognormal(0, 0.5, rows)
            counters |= {(node, name, cpu): values for node in (0, 1)}
    for node in (0, 1):
        counters[node, "process_waiting_ns", None] = time_ns * 0.01 * random.lognormal(0, 0.5, rows)
        counters[node, "process_faults", None] = random.poisson(2, rows)
    return counters


def explained(run: RunFolder, counters: Mapping[Counter, npt.ArrayLike]) -> list[Explanation]:
    add_evidence(run, {**noise_counters(run), **counters})
    return explain(run)
