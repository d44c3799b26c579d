"""The replay of an application's trace, each of its ranks on a node."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from weft import _core
from weft.base.errors import RequestError
from weft.measure.execute.kinds.kind import Settled
from weft.measure.execute.kinds.program import ComputingKind, check_alive
from weft.measure.testbed.base import Node, Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.measure.testbed.processors import blocking
from weft.plan.pattern import Program
from weft.plan.trace_file import read_program, rendezvous_bytes, with_digest

MOST_PART_BYTES = 16_000_000
"""Roughly the largest frame to an agent."""


class TraceKind(ComputingKind[Program]):
    """A program that is read from a file."""

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        network = self.network(testbed)
        pattern = with_digest(self.pattern)
        step = replace(self.step, pattern=pattern)
        network.check(step)
        name = network.name
        network.keep_program(pattern, check_replay(pattern, name, network.nodes, network.dead))
        return step, []

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        pattern = with_digest(self.pattern)
        program = check_replay(pattern, f"{testbed.kind}:{testbed.name}", testbed.nodes)
        _check_parts(pattern, program)
        pattern = replace(
            pattern,
            nodes=pattern.nodes or tuple(range(program.ranks)),
            compute=self.settled_compute(testbed),
        )
        return blocking(replace(self.step, pattern=pattern), testbed, cpus), []

    def simulate(
        self, testbed: Simulator, first: int, last: int, with_loads: bool
    ) -> SimulatedPhases:
        return self.network(testbed).replay(self.step, self.pattern)

    @property
    def compute_source(self) -> str:
        return "the trace"

    def trace(self) -> _core.Program:
        return read_program(self.pattern)


def check_replay(
    pattern: Program, testbed: str, nodes: Sequence[Node], dead: Collection[int] = ()
) -> _core.Program:
    """The program of a trace; raises RequestError if it cannot end, or has more or fewer ranks than nodes."""
    program = read_program(pattern)
    hosts = len(pattern.nodes or nodes)
    if program.ranks > hosts or (pattern.nodes and program.ranks < hosts):
        raise RequestError(
            f"{pattern.trace}: has {program.ranks:,} ranks, and there are {hosts:,} nodes for them on {testbed}",
            "each rank has a node of its own: take a larger network, or as many `nodes`",
        )
    check_alive(pattern.nodes or range(program.ranks), nodes, dead)
    try:
        program.check(rendezvous_bytes(pattern))
    except RequestError as error:
        raise RequestError(f"{pattern.trace}: {error.message}") from None
    return program


def _check_parts(pattern: Program, program: _core.Program) -> None:
    """Refuse a trace if a rank's part is too large for an agent; raises RequestError."""
    for rank in range(program.ranks):
        try:
            size = len(program.part_of(rank))
        except RequestError as error:
            raise RequestError(f"{pattern.trace}: {error.message}") from None
        if size > MOST_PART_BYTES:
            raise RequestError(
                f"{pattern.trace}: an agent takes 16 MB, and the part of rank {rank} has {size / 1e6:.0f}",
                "take a shorter trace; sim: replays this one",
            )
