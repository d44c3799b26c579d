"""Agents on this machine's loopback, for tests that need no lab."""

import asyncio
import datetime
import functools
import inspect
import os
import secrets
import signal
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from support.plans import a_plan
from weft.base import binaries
from weft.measure.execute import pair
from weft.measure.execute.crew import Crew
from weft.measure.execute.ensemble.ensemble import EnsembleEngine
from weft.measure.execute.kinds.every import kind_of
from weft.measure.execute.kinds.phases import EnsembleKind
from weft.measure.execute.live import LiveRun
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob, run_step
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.base import BaseTestbed, Node
from weft.plan.load import parse_plan
from weft.plan.phases import Phase, expand
from weft.plan.plan import Step
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta, Warning

ADDRESS = "127.0.0.1"


def step(sizes: list[int], trial_ms: float = 2, **changes: Any) -> Step:
    """A resolved ping-pong step."""
    document = {
        "name": "test",
        "pattern": {"kind": "pingpong"},
        "transport": "tcp",
        "options": {"wait": "block"},
        "sizes": {"schedule": "list", "bytes": sizes},
        "stop": {"rule": "time", "trial_ns": int(trial_ms * 1e6), "trials": 3},
        "until_ns": None,
    }
    return msgspec.convert(document | changes, Step)


def job(a_step: Step, patience_ms: int = 2000) -> StepJob:
    return StepJob(
        step_index=0,
        step=a_step,
        launch=0,
        phases=[phase.index for phase in expand(a_step, 2)],
        nodes=[Node(name, ADDRESS) for name in ("n1", "n2")],
        token=secrets.token_hex(32),
        epoch_ns=0,
        patience_s=patience_ms / 1000,
    )


async def start_agent(name: str) -> Agent:
    return await Agent.start(name, [str(binaries.find("weft-probe"))])


TRIAL = '{ rule = "time", trial = "20 ms", trials = 1 }'
ONCE = '{ rule = "count", repeats = 1, trials = 1 }'


def ensemble_step(kind: str, size_bytes: int = 10_000, stop: str = TRIAL, keys: str = "") -> Step:
    """A resolved step between many nodes."""
    text = f"""
name = "test"
[[steps]]
name = "it"
pattern = "{kind}"
sizes = ["{size_bytes} B"]
stop = {stop}
{keys}
"""
    step = parse_plan(text, "the test's plan").steps[0]
    return replace(step, options=replace(step.options, wait="block"))


@dataclass
class Cluster:
    """Agents on this machine that work on one step of a run, and what they have done."""

    step: Step
    writer: RunWriter
    crew: Crew
    ensemble: EnsembleEngine
    logbook: Logbook
    phases: Sequence[Phase]

    @property
    def meta(self) -> RunMeta:
        return self.writer.meta

    def measured(self, phase: int) -> set[tuple[int, int]]:
        """The routes that have samples in a phase."""
        rows = self.writer.samples.filter(pc.field("phase") == phase)
        return set(zip(rows["src"].to_pylist(), rows["dst"].to_pylist(), strict=True))

    def routes(self, phase: int, lost: Collection[int] = ()) -> set[tuple[int, int]]:
        """The routes that a phase should have without some nodes."""
        routes = (one.ends for one in self.phases[phase].transfers)
        return {route for route in routes if not set(route) & set(lost)}

    async def run(self) -> None:
        """The whole step."""
        await self.ensemble.run(self.phases)
        await self.ensemble.close()


def with_cluster(
    directory: Path,
    nodes: int,
    step: Step,
    scenario: Callable[[Cluster], Awaitable[Any]],
    patience_s: float = 5.0,
    on_phase: Callable[[Cluster, int], None] = lambda cluster, phase: None,
) -> Cluster:
    """Run a scenario with agents on loopback; `on_phase` hears of each phase that is over."""

    async def run() -> Cluster:
        names = [f"n{index + 1}" for index in range(nodes)]
        agents = await asyncio.gather(*(start_agent(name) for name in names))
        crew = Crew(dict(enumerate(agents)), {})
        try:
            writer = RunWriter.create(directory, _meta(names, step))
            logbook = Logbook(
                writer, 0, 0, lambda phases: [on_phase(cluster, phase) for phase in phases]
            )
            a_job = StepJob(
                step_index=0,
                step=step,
                launch=0,
                phases=[],
                nodes=[Node(name, ADDRESS) for name in names],
                token=secrets.token_hex(32),
                epoch_ns=time.monotonic_ns(),
                patience_s=patience_s,
            )
            kind = kind_of(step)
            assert isinstance(kind, EnsembleKind)
            work = kind.work(a_job)
            ensemble = EnsembleEngine(crew, set(range(nodes)), a_job, logbook, work)
            cluster = Cluster(step, writer, crew, ensemble, logbook, expand(step, nodes))
            await scenario(cluster)
            return cluster
        finally:
            await crew.close()

    return asyncio.run(run())


class Loopback(BaseTestbed):
    """A testbed of agents on this machine, on some of whose nodes none can be started."""

    kind = name = "loopback"
    cpus = None
    may_spin = False
    warnings: ClassVar[list[Warning]] = []

    def __init__(self, nodes: int, broken: Collection[int] = ()) -> None:
        self.nodes = [Node(f"n{index + 1}", ADDRESS) for index in range(nodes)]
        self._broken = [self.nodes[index].name for index in broken]

    def describe(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name}

    def node_command(self, node: Node, argv: list[str]) -> list[str]:
        return ["false"] if node.name in self._broken else argv

    def login(self, node: Node) -> str:
        return "this machine"


def live_run(directory: Path, testbed: Loopback, *steps: Step, launches: int = 1) -> RunFolder:
    """A run of some steps, from its beginning to its end."""
    meta = _meta([node.name for node in testbed.nodes], *steps, launches=launches)
    meta.started = datetime.datetime.now(datetime.UTC).isoformat()
    writer = RunWriter.create(directory, meta)
    return LiveRun(testbed, writer, Reporter(), 5.0).run()


def _meta(names: list[str], *steps: Step, launches: int = 1) -> RunMeta:
    return RunMeta(
        plan=a_plan(*steps, name="test", launches=launches),
        testbed={"kind": "loopback"},
        nodes=[{"name": name, "address": ADDRESS} for name in names],
    )


def with_agents(scenario: Callable[[Agent, Agent], Awaitable[Any]]) -> Any:
    """Run a scenario with two agents and end them afterwards."""

    async def run() -> Any:
        agents = [await start_agent("n1"), await start_agent("n2")]
        try:
            return await scenario(*agents)
        finally:
            await asyncio.gather(*(agent.close() for agent in agents))

    return asyncio.run(run())


def between_agents(scenario: Callable[..., Awaitable[Any]]) -> Callable[..., None]:
    """A test of a scenario between two agents, which is given what it asks for behind them."""

    @functools.wraps(scenario)
    def test(**given: Any) -> None:
        with_agents(lambda *agents: scenario(*agents, **given))

    asked = list(inspect.signature(scenario).parameters.values())[2:]
    test.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
    return test


def with_stopped_peer(a_step: Step) -> None:
    """Run a step whose second agent stops after a moment, with a patience of half a second."""

    async def scenario(*agents: Agent) -> None:
        running = run_step(list(agents), job(a_step, patience_ms=500), lambda batch: None)
        task = asyncio.ensure_future(running)
        await asyncio.sleep(0.3)
        os.kill(agents[1].pid, signal.SIGSTOP)
        try:
            async with asyncio.timeout(10):
                await task
        finally:
            os.kill(agents[1].pid, signal.SIGKILL)

    # What stops does not complain, so that nothing is to be waited for.
    with patch.object(pair, "SETTLE_S", 0.2):
        with_agents(scenario)


def measure(a_step: Step) -> pa.Table:
    """The samples of a step on loopback."""

    async def scenario(driver: Agent, server: Agent) -> pa.Table:
        batches: list[pa.RecordBatch] = []
        await run_step([driver, server], job(a_step), batches.append)
        return pa.Table.from_batches(batches)

    return with_agents(scenario)
