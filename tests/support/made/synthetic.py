"""Runs made up from a latency and a rate, with noise, a dip and a size of two modes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from support.plans import a_plan, a_step
from support.runs import sample_batch
from weft.plan.pattern import Pingpong, Stream
from weft.plan.plan import Options, TimeRule
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta


@dataclass(frozen=True)
class Network:
    """A network as Hockney describes it, and where it misbehaves."""

    latency_us: float
    rate_mbps: float
    dip_bytes: int | None = None
    two_modes_bytes: int | None = None
    noise: float = 0.01


SETTINGS = {
    "send_buffer_bytes": 2626560,
    "receive_buffer_bytes": 131072,
    "nodelay": True,
    "congestion": "cubic",
    "mss_bytes": 1448,
    "wait": "spin",
}
FAST_ETHERNET = Network(28.0, 94.1, dip_bytes=1536, two_modes_bytes=8192)
GIGABIT = Network(22.0, 941.0, dip_bytes=65536)


def netpipe_sizes(largest_bytes: int = 8 * 2**20, perturbation_bytes: int = 3) -> list[int]:
    """NetPIPE's sizes: powers of two and half-way between, each plus and minus a perturbation."""
    sizes = {1}
    power = 2
    while power <= largest_bytes:
        for middle in (power, power + power // 2):
            around = range(middle - perturbation_bytes, middle + perturbation_bytes + 1)
            sizes.update(around[:: perturbation_bytes or 1])
        power *= 2
    return sorted(size for size in sizes if 1 <= size <= largest_bytes)


def write_run(
    directory: Path,
    network: Network = FAST_ETHERNET,
    *,
    name: str = "fast-ethernet-pair",
    sizes: list[int] | None = None,
    launches: int = 5,
    batches: int = 5,
    pattern: str = "pingpong",
    seed: int = 1,
    change: Callable[[RunMeta], None] = lambda meta: None,
) -> RunFolder:
    """A complete run folder of one step between n1 and n2."""
    meta = run_meta(name, pattern, launches)
    change(meta)
    writer = RunWriter.create(directory, meta)
    writer.append(sample_rows(network, sizes or netpipe_sizes(), launches, batches, pattern, seed))
    writer.sync()
    return writer.finish("complete")


def sample_rows(
    network: Network, sizes: list[int], launches: int, batches: int, pattern: str, seed: int
) -> pa.RecordBatch:
    """The rows of the samples table."""
    random = np.random.default_rng(seed)
    shape = (launches, len(sizes), batches)
    launch, phase, batch = (axis.ravel() for axis in np.indices(shape))
    size = np.array(sizes)[phase]
    one_way_us = network.latency_us + size * 8 / network.rate_mbps
    one_way_us *= np.where(size == network.dip_bytes, 1.9, 1.0)
    one_way_us *= np.where((size == network.two_modes_bytes) & (batch % 2 == 1), 1.6, 1.0)
    of_launch = 1 + network.noise * random.standard_normal((launches, len(sizes)))[launch, phase]
    one_way_us *= of_launch * (1 + network.noise / 3 * random.exponential(size=size.size))
    trips = 2 if pattern == "pingpong" else 1
    messages = np.maximum(1, (2000 / one_way_us).astype(int))
    elapsed_ns = (one_way_us * trips * messages * 1e3).astype(np.int64)
    return sample_batch(
        phase=phase,
        launch=launch,
        batch=batch,
        dst=1,
        size_bytes=size,
        messages=messages,
        start_ns=np.cumsum(elapsed_ns) - elapsed_ns,
        elapsed_ns=elapsed_ns,
    )


def run_meta(name: str, pattern: str, launches: int) -> RunMeta:
    """What run.json of such a run says."""
    step = a_step(
        Stream(window=64) if pattern == "stream" else Pingpong(),
        options=Options(cpus=(0, 1)),
        stop=TimeRule(trial_ns=10_000_000, trials=5),
    )
    return RunMeta(
        plan=a_plan(step, name="signature", title="A pair", launches=launches),
        testbed={"kind": "lab", "name": name, "scale": 1.0},
        nodes=[_node("n1", "10.0.0.1"), _node("n2", "10.0.0.2")],
        effective=[
            {"step": 0, "launch": launch, "node": node, "settings": SETTINGS | {"cpu": cpu}}
            for launch in range(launches)
            for node, cpu in (("n1", 0), ("n2", 1))
        ],
        timing=[{"node": node, "clock_read_ns": 22.5, "loop_ns": 31.0} for node in ("n1", "n2")],
        started="2026-11-20T10:00:00Z",
        command=["weft", "run", "signature", "--on", f"lab:{name}", "--out", f"runs/{name}"],
        weft_version="0.1.0",
    )


def _node(name: str, address: str) -> dict[str, Any]:
    facts = {"hostname": "box", "kernel": "6.8.0-45", "cpu_model": "Test CPU", "cpus": 2}
    return {"name": name, "address": address, "facts": facts}
