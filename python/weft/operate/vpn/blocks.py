"""The blocks: raw path and tunnel one after the other in random order, each with round trips and a stream."""

from __future__ import annotations

import math
import random
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
from msgspec import Struct

from weft.base.errors import WorkError
from weft.measure.execute.pair import StepJob, run_step
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.agent.agent import Agent, Recorded
from weft.measure.testbed.agent.wire_format import Evidence
from weft.measure.testbed.base import Node, Testbed
from weft.operate.vpn.node_look import VpnCount, count
from weft.plan.load import load_plan
from weft.plan.plan import Step

PATHS = ("raw", "tunnel")
STREAM = {"name": "stream", "pattern": "stream", "sizes": ["64 KiB"]}
TRIP = {"name": "latency", "pattern": "pingpong", "sizes": ["64 B"]}
PATIENCE_S = 20.0


class PathTrial(Struct, frozen=True):
    """A path in a block. Processor time of both nodes (`busy_s`) and of the VPN's processes (`vpn_s`); `busiest` is the
    largest busy share of a processor; None if it was not recorded. `carried_bytes` are what each node's interfaces sent
    and received meanwhile."""

    path: str
    rtt_us: float
    mbps: float
    payload_bytes: int
    elapsed_s: float
    segment_bytes: int | None = None
    busy_s: float | None = None
    busiest: float | None = None
    vpn_s: float = 0.0
    vpn_cores: float = 0.0
    resent: int = 0
    carried_bytes: tuple[dict[str, int], ...] = ()


@dataclass
class AgentPair:
    """Two agents, the addresses of each path, and the VPN's processes on each node."""

    testbed: Testbed
    agents: list[Agent]
    places: dict[str, tuple[str, str]]
    pids: tuple[Sequence[int], Sequence[int]]

    def nodes(self, path: str) -> list[Node]:
        """The nodes with their addresses on this path."""
        pair = zip(self.testbed.nodes[:2], self.places[path], strict=True)
        return [replace(node, address=one, addresses=(one,)) for node, one in pair]


@dataclass
class _Taken:
    """The results of a step."""

    samples: list[pa.RecordBatch] = field(default_factory=list)
    evidence: list[tuple[int, pa.RecordBatch]] = field(default_factory=list)
    segment_bytes: int | None = None

    def take_evidence(self, node: int, said: Recorded) -> None:
        if isinstance(said, Evidence):
            self.evidence.append((node, said.rows))


async def run_blocks(
    pair: AgentPair, blocks: int, trial_s: float, within_s: float, reporter: Reporter
) -> list[list[PathTrial]]:
    """Run `blocks` blocks, or as many as the time allows, at least four; raises AgentError."""
    shuffled, done = random.Random(), []
    began_s = time.monotonic()
    stream, trip = _steps(trial_s)
    for number in range(blocks):
        spent_s = time.monotonic() - began_s
        if number >= 4 and spent_s * (number + 1) / number > within_s:
            break
        reporter.describe(f"block {number + 1}")
        order = list(PATHS)
        shuffled.shuffle(order)
        done.append([await _trial(pair, path, stream, trip) for path in order])
        reporter.advance(1)
    return done


def _steps(trial_s: float) -> tuple[Step, Step]:
    long = {"rule": "time", "trial": f"{trial_s:g} s", "trials": 1}
    short = {"rule": "time", "trial": "0.25 s", "trials": 2}
    plan = {"name": "vpn", "steps": [STREAM | {"stop": long}, TRIP | {"stop": short}]}
    stream, trip = load_plan(plan).steps
    return stream, trip


async def _trial(pair: AgentPair, path: str, stream: Step, trip: Step) -> PathTrial:
    trips = await _run(pair, path, trip)
    before, carried = await _counts(pair), await _carried(pair)
    began_s = time.monotonic()
    taken = await _run(pair, path, stream)
    wall_s = time.monotonic() - began_s
    after, carried_after = await _counts(pair), await _carried(pair)
    payload = sum(_sum(one, "size_bytes", "messages") for one in taken.samples)
    elapsed_s = sum(_sum(one, "elapsed_ns") for one in taken.samples) / 1e9
    if not elapsed_s:
        raise WorkError(f"{path}: nothing was measured")
    spent = [new.process_s - old.process_s for old, new in zip(before, after, strict=True)]
    # Nodes on one machine all report the same processors.
    seen = [one for one in taken.evidence if not (pair.testbed.is_here and one[0])]
    busy_s, busiest = _busy(seen)
    return PathTrial(
        path=path,
        rtt_us=_rtt_us(trips.samples),
        mbps=8e-6 * payload / elapsed_s,
        payload_bytes=payload,
        elapsed_s=elapsed_s,
        segment_bytes=taken.segment_bytes,
        busy_s=busy_s,
        busiest=busiest,
        vpn_s=sum(spent),
        vpn_cores=max(spent) / wall_s,
        resent=sum(new.resent - old.resent for old, new in zip(before, after, strict=True)),
        carried_bytes=tuple(
            {name: new[name] - old.get(name, 0) for name in new}
            for old, new in zip(carried, carried_after, strict=True)
        ),
    )


async def _run(pair: AgentPair, path: str, step: Step) -> _Taken:
    taken = _Taken()
    job = StepJob(
        step_index=0,
        step=step,
        launch=0,
        phases=[0],
        nodes=pair.nodes(path),
        token=secrets.token_hex(32),
        epoch_ns=time.monotonic_ns(),
        patience_s=PATIENCE_S,
    )
    outcome = await run_step(
        pair.agents, job, taken.samples.append, on_evidence=taken.take_evidence
    )
    mine = outcome.effective.get(pair.agents[0].node, {}).get("mss_bytes")
    taken.segment_bytes = mine if isinstance(mine, int) else None
    return taken


async def _counts(pair: AgentPair) -> list[VpnCount]:
    nodes = zip(pair.testbed.nodes, pair.pids, strict=False)
    return [await count(pair.testbed, node, pids) for node, pids in nodes]


async def _carried(pair: AgentPair) -> list[dict[str, int]]:
    return [
        {name: sum(numbers) for name, numbers in (await agent.counters()).items()}
        for agent in pair.agents
    ]


def _sum(batch: pa.RecordBatch, *columns: str) -> int:
    """The sum of the products of the columns over all rows."""
    rows = zip(*(batch[name].to_pylist() for name in columns), strict=True)
    return sum(math.prod(row) for row in rows)


def _rtt_us(samples: Sequence[pa.RecordBatch]) -> float:
    """The round-trip time of the faster batch, since disturbances only add to it."""
    return min(_sum(one, "elapsed_ns") / _sum(one, "messages") for one in samples) / 1e3


def _busy(evidence: Sequence[tuple[int, pa.RecordBatch]]) -> tuple[float | None, float | None]:
    """Seconds for which the processors of both nodes were busy, and the largest share of a processor."""
    busy: dict[tuple[int, int], int] = {}
    idle: dict[tuple[int, int], int] = {}
    for node, rows in evidence:
        for row in rows.to_pylist():
            if row["cpu"] is None or not row["counter"].startswith("cpu_"):
                continue
            if row["counter"].endswith("_ns"):
                into = idle if row["counter"] == "cpu_idle_ns" else busy
                key = (node, row["cpu"])
                into[key] = into.get(key, 0) + row["value"]
    if not busy:
        return None, None
    shares = [spent / (spent + idle.get(key, 0)) for key, spent in busy.items()]
    return sum(busy.values()) / 1e9, max(shares)
