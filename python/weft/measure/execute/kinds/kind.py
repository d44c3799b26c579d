"""The kind of a step, as everything between a request and its samples uses it."""

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
"""A step with nothing left open, and the warnings for its user."""
ALWAYS_THERE = ("tcp", "null")
"""Transports that every kernel has."""


@dataclass(frozen=True)
class LaunchedStep:
    """What carries out a step in one launch: `job` has the missing phases, `nodes` take part."""

    testbed: Testbed
    crew: Crew
    nodes: list[int]
    job: StepJob
    logbook: Logbook
    progress: StepProgress


@dataclass(frozen=True)
class StepKind(ABC, Generic[P]):
    """A step with its pattern. Defaults that most kinds share are here; a kind overrides what differs."""

    step: Step
    pattern: P

    @abstractmethod
    def nodes(self, testbed_nodes: int) -> list[int]:
        """The nodes that take part; raises RequestError if the testbed has too few."""

    def ranks(self, testbed_nodes: int) -> Sequence[int]:
        """The nodes of its ranks, in the order of the ranks."""
        return self.step.members(testbed_nodes)

    def refuse_testbed(self, kind: str, name: str) -> None:
        """Refuse a kind of testbed that cannot carry the step out, before it is opened; raises RequestError."""

    @property
    def asks_nodes(self) -> bool:
        """Whether settling the step runs something on its nodes."""
        return False

    def live_steps(self) -> Iterator[Step]:
        """The steps that replace it on real nodes, if it is measured in several ways."""
        yield self.step

    def with_amount(self, testbed: Testbed, launches: int) -> Settled:
        """The step with as much work as fits into its time on real nodes; raises RequestError."""
        return self.step, []

    def with_scale(self, testbed: Testbed) -> Step:
        """The step with the run's scale; raises RequestError."""
        return self.step

    def with_files(self, testbed: Testbed, out: Path | None) -> Step:
        """The step with the sizes of its files and the paths of their copies; `out` is the folder of the run. Without
        `out` the nodes are simulated. Raises RequestError if a file cannot be read or written."""
        return self.step

    def without_repetition(self) -> Step:
        """The step for a simulator, without repetitions that would give the same result."""
        return self.step

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        """Settle what is left open, for a simulator; raises RequestError if the step cannot be simulated."""
        testbed.check(self.step)
        return self.step, []

    @abstractmethod
    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        """Settle what is left open, for a measurement; raises RequestError if the step cannot be measured."""

    @property
    def uses_mpi(self) -> bool:
        """Whether weft's MPI program carries out the step or a part of it."""
        return self.step.transport == "mpi"

    def callers(self, node: int, members: Sequence[int]) -> set[int]:
        """The nodes that connect to a node; `members` take part."""
        return set(members) - {node}

    def kernel_needs(self) -> list[str]:
        """The transports whose support by the kernels has to be checked."""
        return [] if self.step.transport in ALWAYS_THERE else [self.step.transport]

    def asked_nodes(self, testbed_nodes: int) -> list[int]:
        """The nodes whose agents are asked for what the step needs."""
        return self.nodes(testbed_nodes) if self.kernel_needs() else []

    async def ask(self, crew: Crew, testbed: Testbed) -> Step:
        """The step with what only agents know; raises RequestError if a node lacks a transport. Agents that do not
        start are left for the run to report."""
        asked = self.asked_nodes(len(testbed.nodes))
        for node in asked[:1] if self.step.transport == "icmp" else asked:
            if agent := crew.agents.get(node):
                for transport in self.kernel_needs():
                    if reason := agent.transports.get(transport):
                        self.refuse_transport(transport, agent.node, reason)
        return self.step

    def refuse_transport(self, transport: str, node: str, reason: str) -> NoReturn:
        """Raise RequestError for a transport that a node does not have."""
        raise RequestError(
            f"step {self.step.name!r} is over {transport}, which {node} does not have: {reason}",
            "choose another --transport",
        )

    def side_effects(self) -> Iterator[str]:
        """What the step does to files of nodes."""
        return iter(())

    def chooser(self, writer: RunWriter, index: int) -> Chooser | None:
        """The chooser of its phases; None if the plan gives them."""
        return None

    @abstractmethod
    async def carry_out(self, launched: LaunchedStep) -> None:
        """Measure what is missing; raises AgentError, or TooFewNodes."""

    def simulate(
        self, testbed: Simulator, first: int, last: int, with_loads: bool
    ) -> SimulatedPhases:
        """Simulate the phases from `first` up to, but not including, `last`; raises WorkError."""
        return testbed.simulate(self.step, first, last, with_loads)

    def finish(self, logbook: Logbook) -> None:
        """Record that the step ran to its end in a launch."""
        logbook.finish()

    @property
    def compute_source(self) -> str:
        """Where the computing time of its nodes comes from, as text for the user; empty if they do not compute."""
        return ""
