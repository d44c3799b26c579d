"""One step between two agents: one serves, the other drives."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import pyarrow as pa
from msgspec.structs import asdict

from weft.measure.testbed.agent.agent import Agent, AgentError, Recorded
from weft.measure.testbed.agent.reply import (
    BatchesDone,
    ConnectReply,
    Deliveries,
    Delivery,
    Done,
    ListenReply,
    RecordReply,
    Settings,
    StallReport,
)
from weft.measure.testbed.agent.request import (
    Batches,
    ChosenBatch,
    Drive,
    NoMoreBatches,
    PlannedBatches,
    Serve,
)
from weft.measure.testbed.agent.wire_format import Evidence
from weft.measure.testbed.base import Node
from weft.plan.plan import Step

T = TypeVar("T")
WITHOUT_SERVER = ("null", "icmp")
"""Transports with an agent at only one end."""

SETTLE_S = 3.0
"""How long the other end may take to notice a failure."""


@dataclass(frozen=True)
class StepJob:
    """What the nodes of a step need to know. In a step between many nodes, `phases` are those that it begins with."""

    step_index: int
    step: Step
    launch: int
    phases: list[int]
    nodes: Sequence[Node]
    token: str
    epoch_ns: int
    patience_s: float
    known: tuple[PlannedBatches, ...] = ()
    costs_ps: tuple[tuple[int, int], ...] = ()

    def kernel_of_peer(self) -> str | None:
        """The address of a peer whose kernel answers in place of an agent; else None."""
        return endpoint(self.nodes[1].address, 0) if self.step.transport == "icmp" else None

    def serve_request(self, node: int, places: Sequence[str] = ()) -> Serve:
        """The request for a node that listens on `places`, or on its first address."""
        address, *more = places or [self.nodes[node].address]
        return Serve(
            step=self.step,
            nodes=len(self.nodes),
            node=node,
            address=address,
            more_addresses=more,
            ports=self.nodes[node].ports,
            token=self.token,
            costs_ps=self.costs_ps,
            patience_ms=round(self.patience_s * 1000),
        )

    def drive_request(self, node: int, peer: str | None, clock_offset_ns: int = 0) -> Drive:
        """The request for a driver; `clock_offset_ns` is its clock minus this machine's."""
        return Drive(
            **asdict(self.serve_request(node)),
            peer=peer,
            step_index=self.step_index,
            launch=self.launch,
            phases=self.phases,
            known=self.known,
            takes_orders=bool(self.step.pin_ns),
            epoch_ns=self.epoch_ns + clock_offset_ns,
        )


OnSamples = Callable[[pa.RecordBatch], None]
OnDeliveries = Callable[[list[Delivery]], None]
NextBatches = Callable[[], list[ChosenBatch]]
"""Gives the next batches of a step that bisects jumps; empty when it is over."""
OnEvidence = Callable[[int, Recorded], None]
"""Takes what the agent of a node records."""


@dataclass
class StepOutcome:
    """What a finished step gives besides its samples."""

    effective: dict[str, Settings] = field(default_factory=dict)


async def run_step(
    agents: list[Agent],
    job: StepJob,
    on_samples: OnSamples,
    on_deliveries: OnDeliveries = lambda rows: None,
    next_batches: NextBatches = list,
    on_evidence: OnEvidence = lambda node, said: None,
) -> StepOutcome:
    """Run one step from node 0 to node 1, or from node 0 alone if no agent answers; raises AgentError."""
    outcome = StepOutcome()
    take = _Taking(outcome, on_samples, on_deliveries, next_batches, on_evidence)
    driver = agents[0]
    ahead_ns = await driver.clock_offset_ns()
    if job.step.transport in WITHOUT_SERVER:
        await driver.send(job.drive_request(0, job.kernel_of_peer(), ahead_ns))
        await take.all_from(0, driver)
        return outcome
    server = agents[1]
    await server.send(job.serve_request(1))
    port = (await server.expect(ListenReply)).port
    peer = endpoint(job.nodes[1].address, port)
    await driver.send(job.drive_request(0, peer, ahead_ns))
    with _naming_peers(driver.node, server.node):
        await all_of([take.all_from(*one) for one in enumerate((driver, server))])
    return outcome


@contextlib.contextmanager
def _naming_peers(*nodes: str) -> Iterator[None]:
    """Put node names into errors: an agent knows no names and calls the other end its peer."""
    try:
        yield
    except AgentError as error:
        (peer,) = (node for node in nodes if node != error.node)
        reason = error.reason.replace("the peer", peer)
        raise AgentError(error.node, error.code, reason, error.peers) from None


@dataclass(frozen=True)
class _Taking:
    """The callbacks that take what agents send."""

    outcome: StepOutcome
    on_samples: OnSamples
    on_deliveries: OnDeliveries
    next_batches: NextBatches
    on_evidence: OnEvidence

    async def all_from(self, node: int, agent: Agent) -> None:
        """Read an agent's messages until it is done, and tell it what to measure next."""
        while True:
            received = await agent.receive()
            match received:
                case pa.RecordBatch():
                    self.on_samples(received)
                case Evidence() | RecordReply() | StallReport():
                    self.on_evidence(node, received)
                case ConnectReply(effective):
                    self.outcome.effective[agent.node] = effective
                case Deliveries(rows):
                    self.on_deliveries(rows)
                case BatchesDone():
                    batches = self.next_batches()
                    await agent.send(Batches(batches=batches) if batches else NoMoreBatches())
                case Done():
                    return


async def all_of(
    waits: Sequence[Coroutine[None, None, T]], beside: Sequence[asyncio.Task[Done]] = ()
) -> list[T]:
    """The results of all `waits`, while nothing `beside` them fails; raises the failure that is closest to the cause.

    When one fails, the others get a moment to report: the death of an agent explains its peer's complaint.
    """
    tasks = [asyncio.create_task(one) for one in waits]
    pending: list[asyncio.Task[object]] = [*tasks, *beside]
    try:
        while not (all(one.done() for one in tasks) or any(map(_failure, pending))):
            going = [one for one in pending if not one.done()]
            await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
        if any(map(_failure, pending)):
            await asyncio.wait(pending, timeout=SETTLE_S)
            raise min(filter(None, map(_failure, pending)), key=_distance)
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()


def _failure(task: asyncio.Task[object]) -> Exception | None:
    failure = task.exception() if task.done() and not task.cancelled() else None
    return failure if isinstance(failure, Exception) else None


def _distance(failure: Exception) -> int:
    """Distance of a failure from the cause; lower is closer."""
    if not isinstance(failure, AgentError):
        return 0
    # A node that gives up on a silent peer closes the connection, so the peer reports it as lost.
    secondary = {"peer-silent": 2, "peer-lost": 3, "peer-unreachable": 3}
    return secondary.get(failure.code, 1)


def endpoint(address: str, port: int) -> str:
    """An address and a port in Rust's notation."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
