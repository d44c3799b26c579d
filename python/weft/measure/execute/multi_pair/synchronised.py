"""Several pairs of agents between two nodes, whose batches all begin at the same moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from weft.measure.execute.pair import T, all_of, endpoint
from weft.measure.testbed.agent.agent import Agent, Recorded
from weft.measure.testbed.agent.reply import (
    Answer,
    BatchTime,
    ConnectReply,
    Done,
    ListenReply,
    Settings,
)
from weft.measure.testbed.agent.request import Batch, DriveSynchronised, NoMoreBatches, Serve

LEAD_NS = 2_000_000
"""A batch is requested this long before it begins."""
MOST_LEAD_NS = 200_000_000
LATE_NS = 500_000
"""A pair that starts later than this, and by more than a share of the batch, did not run at the same time as the
others."""
LATE_SHARE = 0.05
TRIES = 3
OnRecorded = Callable[[int, int, Recorded], None]


@dataclass(frozen=True)
class PairJob:
    """The job of the two ends of a pair: the same step for all, with addresses and processors of their own."""

    driver: Agent
    server: Agent
    drive: DriveSynchronised
    serve: Serve
    peers: list[str]
    """The server's addresses, without ports."""


@dataclass
class Together:
    """Connected pairs that start their batches together.

    `_ahead_ns` is the offset of the drivers' common clock from this machine's. `settings` are the effective settings of
    the driver and the server of each pair. `late` counts batches that were kept although a pair started late in every
    try. `on_recorded` takes what the agent of a node (0 drives) and pair recorded; there, batches are numbered by twice
    the number of the try (`tried` so far), so that no two form one stretch.
    """

    _jobs: Sequence[PairJob]
    _ahead_ns: int
    _lead_ns: int = LEAD_NS
    _tries: int = TRIES
    _serving: list[asyncio.Task[Done]] = field(default_factory=list)
    settings: list[tuple[Settings, Settings]] = field(default_factory=list)
    late: int = 0
    on_recorded: OnRecorded = lambda node, pair, said: None
    tried: int = 0

    async def connect(self) -> None:
        """Connect all pairs; raises AgentError."""
        for pair, job in enumerate(self._jobs):
            await job.server.send(job.serve)
            listening = await job.server.expect(ListenReply)
            ports = [listening.port, *listening.more_ports]
            peers = [endpoint(one, port) for one, port in zip(job.peers, ports, strict=True)]
            await job.driver.send(replace(job.drive, peers=peers))
            ends = await self._all(
                [job.driver.expect(ConnectReply), job.server.expect(ConnectReply)]
            )
            self.settings.append((ends[0].effective, ends[1].effective))
            serving = job.server.expect(Done, partial(self.on_recorded, 1, pair))
            self._serving.append(asyncio.create_task(serving))

    async def batch(
        self, size_bytes: int, messages: int, phase: int | None = None
    ) -> list[BatchTime]:
        """Run one batch on each pair at once; repeated if a pair started late. Raises AgentError.

        Without a phase it is a warm-up.
        """
        timings = []
        for _ in range(self._tries):
            self.tried += 1
            start_ns = time.monotonic_ns() + self._ahead_ns + self._lead_ns
            batch = Batch(
                size_bytes=size_bytes,
                messages=messages,
                phase=phase or 0,
                batch=None if phase is None else 2 * self.tried,
                start_ns=start_ns,
            )
            timings = await self._try(batch)
            late_ns = max(timing.start_ns for timing in timings) - start_ns
            whole_ns = max(timing.elapsed_ns for timing in timings)
            if late_ns <= max(LATE_NS, LATE_SHARE * whole_ns):
                self._tries = TRIES
                return timings
            self._lead_ns = min(2 * (self._lead_ns + late_ns), MOST_LEAD_NS)
        # With more pairs than processors, repeating does not help.
        self._tries = 1
        self.late += 1
        return timings

    async def _try(self, batch: Batch) -> list[BatchTime]:
        for job in self._jobs:
            await job.driver.send(batch)
        return await self._all(self._from_drivers(BatchTime))

    async def finish(self) -> None:
        """Release all pairs; raises AgentError."""
        for job in self._jobs:
            await job.driver.send(NoMoreBatches())
        await self._all(self._from_drivers(Done))
        await asyncio.gather(*self._serving)
        self._serving.clear()

    def drop(self) -> None:
        """Stop listening to the servers."""
        for serving in self._serving:
            serving.cancel()

    def _from_drivers(self, kind: type[Answer]) -> list[Coroutine[None, None, Answer]]:
        jobs = enumerate(self._jobs)
        return [job.driver.expect(kind, partial(self.on_recorded, 0, pair)) for pair, job in jobs]

    async def _all(self, waits: list[Coroutine[None, None, T]]) -> list[T]:
        """The results of all, while the servers serve."""
        return await all_of(waits, self._serving)
