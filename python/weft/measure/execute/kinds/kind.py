"""A step by its pattern, as everything between a request and its samples asks for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

from weft.base.errors import RequestError
from weft.measure.execute.adaptive import Chooser
from weft.measure.execute.crew import Crew
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob
from weft.measure.execute.progress import StepProgress
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.plan.pattern import PatternBase
from weft.plan.plan import Step
from weft.runs.folder import RunWriter
from weft.runs.meta import Warning

P = TypeVar("P", bound=PatternBase, covariant=True)
Settled = tuple[Step, list[Warning]]
"""A step with nothing left open, and what to say of it."""
ALWAYS_THERE = ("tcp", "null")
"""Transports that every kernel has."""


@dataclass(frozen=True)
class LaunchedStep:
    """What carries out a step in one launch: `job` has the phases that are missing, `nodes` take part."""

    testbed: Testbed
    crew: Crew
    nodes: list[int]
    job: StepJob
    logbook: Logbook
    progress: StepProgress


@dataclass(frozen=True)
class StepKind(ABC, Generic[P]):
    """A step and its pattern. What most kinds have in common is here; a kind overrides what is different with it."""

    step: Step
    pattern: P

    @abstractmethod
    def nodes(self, testbed_nodes: int) -> list[int]:
        """The nodes that take part; raises RequestError where the testbed has too few."""

    def ranks(self, testbed_nodes: int) -> Sequence[int]:
        """The nodes that it is for, in the order in which it numbers them."""
        return self.step.members(testbed_nodes)

    def refuse_testbed(self, kind: str, name: str) -> None:
        """Refuse a kind of testbed that cannot carry the step out, before it is opened; raises RequestError."""

    @property
    def asks_nodes(self) -> bool:
        """Whether settling the step runs something on its nodes."""
        return False

    def live_steps(self) -> Iterator[Step]:
        """The steps that it is on real nodes, where it is measured in several ways."""
        yield self.step

    def with_amount(self, testbed: Testbed, launches: int) -> Settled:
        """The step with as much work as fits into its time on real nodes; raises RequestError."""
        return self.step, []

    def with_scale(self, testbed: Testbed) -> Step:
        """The step with the scale of the run; raises RequestError."""
        return self.step

    def with_files(self, testbed: Testbed, out: Path | None) -> Step:
        """The step with the sizes of its files and the places of their copies, for which `out` is the run's folder.
        Without an `out` they are computed. Raises RequestError where a file cannot be read or written."""
        return self.step

    def without_repetition(self) -> Step:
        """The step for a simulator, without what would come out the same each time."""
        return self.step

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        """What is left open, where it is computed; raises RequestError where it cannot be."""
        testbed.check(self.step)
        return self.step, []

    @abstractmethod
    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        """What is left open, where it is measured; raises RequestError where it cannot be."""

    @property
    def uses_mpi(self) -> bool:
        """Whether weft's program over MPI carries it, or a part of it."""
        return self.step.transport == "mpi"

    def callers(self, node: int, members: Sequence[int]) -> set[int]:
        """The nodes that connect to a node; `members` take part."""
        return set(members) - {node}

    def kernel_needs(self) -> list[str]:
        """The transports that kernels have to be asked for."""
        return [] if self.step.transport in ALWAYS_THERE else [self.step.transport]

    def asked_nodes(self, testbed_nodes: int) -> list[int]:
        """The nodes whose agents are asked for what the step needs."""
        return self.nodes(testbed_nodes) if self.kernel_needs() else []

    async def ask(self, crew: Crew, testbed: Testbed) -> Step:
        """The step with what only agents know; raises RequestError for a transport that a node does not have. An agent
        that does not start is for the run to report."""
        asked = self.asked_nodes(len(testbed.nodes))
        for node in asked[:1] if self.step.transport == "icmp" else asked:
            if agent := crew.agents.get(node):
                for transport in self.kernel_needs():
                    if reason := agent.transports.get(transport):
                        self.refuse_transport(transport, agent.node, reason)
        return self.step

    def refuse_transport(self, transport: str, node: str, reason: str) -> NoReturn:
        """Raise RequestError for one that a node does not have."""
        raise RequestError(
            f"step {self.step.name!r} is over {transport}, which {node} does not have: {reason}",
            "choose another --transport",
        )

    def deeds(self) -> Iterator[str]:
        """What it does to files of nodes."""
        return iter(())

    def chooser(self, writer: RunWriter, index: int) -> Chooser | None:
        """What chooses its phases while it runs, if anything does."""
        return None

    @abstractmethod
    async def carry_out(self, launched: LaunchedStep) -> None:
        """Measure what is missing; raises AgentError, or TooFewNodes."""

    def simulate(
        self, testbed: Simulator, first: int, last: int, with_loads: bool
    ) -> SimulatedPhases:
        """The phases `first` to `last`, without it; raises WorkError."""
        return testbed.simulate(self.step, first, last, with_loads)

    def finish(self, logbook: Logbook) -> None:
        """Note that the step ran to its end in a launch."""
        logbook.finish()

    @property
    def compute_source(self) -> str:
        """For people, where the time that its nodes compute is from; empty where they do not compute."""
        return ""
