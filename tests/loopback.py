"""Agents on this machine's loopback, for tests that need no lab."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import pyarrow as pa

from weft import binaries
from weft.testbed.agent import Agent
from weft.testbed.pair import StepJob, run_step

ADDRESS = "127.0.0.1"


def step(sizes: list[int], trial_ms: float = 2, **changes: Any) -> dict[str, Any]:
    """A resolved ping-pong step."""
    return {
        "name": "test",
        "pattern": {"kind": "pingpong"},
        "transport": "tcp",
        "options": {"wait": "block"},
        "sizes": {"schedule": "list", "bytes": sizes},
        "stop": {"rule": "time", "trial_ns": int(trial_ms * 1e6), "trials": 3},
        "until_ns": None,
    } | changes


def job(a_step: dict[str, Any], patience_ms: int = 2000) -> StepJob:
    return StepJob(
        step_index=0,
        step=a_step,
        launch=0,
        phases=list(range(len(a_step["sizes"]["bytes"]))),
        addresses=[ADDRESS, ADDRESS],
        token=secrets.token_hex(32),
        epoch_ns=0,
        patience_ms=patience_ms,
    )


async def start_agent(name: str) -> Agent:
    return await Agent.start(name, [str(binaries.find("weft-probe"))])


def with_agents(scenario: Callable[[Agent, Agent], Awaitable[Any]]) -> Any:
    """Run a scenario with two agents and end them afterwards."""

    async def run() -> Any:
        agents = [await start_agent("n1"), await start_agent("n2")]
        try:
            return await scenario(*agents)
        finally:
            await asyncio.gather(*(agent.close() for agent in agents))

    return asyncio.run(run())


def measure(a_step: dict[str, Any]) -> pa.Table:
    """The samples of a step on loopback."""

    async def scenario(driver: Agent, server: Agent) -> pa.Table:
        batches: list[pa.RecordBatch] = []
        await run_step([driver, server], job(a_step), batches.append)
        return pa.Table.from_batches(batches)

    return with_agents(scenario)
