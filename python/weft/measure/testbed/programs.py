"""Which programs a testbed's nodes can carry out, whether they are computed or measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from weft import _core
from weft.base.errors import RequestError
from weft.measure.testbed.base import Node
from weft.plan.pattern import Collective, Interference, Program
from weft.plan.plan import Step, to_json
from weft.plan.trace_file import read_program, rendezvous_bytes

MOST_PART_BYTES = 16_000_000
"""About what a frame to an agent holds."""


def check_replay(
    pattern: Program, testbed: str, nodes: Sequence[Node], dead: Collection[int] = ()
) -> _core.Program:
    """The program of a trace; raises RequestError where it cannot end, or has other ranks than nodes."""
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


def check_parts(pattern: Program, program: _core.Program) -> None:
    """Refuse a trace of which an agent cannot carry out its part; raises RequestError."""
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


def check_members(step: Step, nodes: Sequence[Node], dead: Collection[int] = ()) -> None:
    """Refuse a step whose pattern says what its nodes do where these are not alive, or where algorithms were asked for
    that there are not for so many; raises RequestError."""
    members = step.chosen_nodes or range(len(nodes))
    check_alive(members, nodes, dead)
    if isinstance(step.pattern, Collective):
        _check_algorithms(step, len(members))
    if isinstance(step.pattern, Interference):
        # Refuses one that is too large.
        _core.Program.of_step(to_json(step), len(step.pattern.congestors), len(nodes))


def _check_algorithms(step: Step, members: int) -> None:
    try:
        _core.Program.check_ways(to_json(step), members)
    except RequestError as error:
        hint = "choose so many with `nodes`, or leave it out of `algorithms`"
        raise RequestError(f"step {step.name!r}: {error.message}", hint) from None


def refuse_library(step: Step, name: str) -> None:
    """Refuse a collective of an MPI library where messages are computed; raises RequestError."""
    if isinstance(step.pattern, Collective) and step.pattern.has_library:
        raise RequestError(
            f"step {step.name!r}: how an MPI library does {step.pattern.operation} is known to it alone, so that "
            f"{name} cannot simulate it",
            "leave `library` out of `algorithms`, and --transport mpi out; measure it on local:, lab: or machines",
        )


def check_alive(hosts: Iterable[int], nodes: Sequence[Node], dead: Collection[int]) -> None:
    """Refuse nodes that cannot send; raises RequestError."""
    for rank, host in enumerate(hosts):
        if host in dead:
            raise RequestError(
                f"{nodes[host].name}: its link is dead, and it would be rank {rank}",
                "choose other nodes with `nodes`",
            )
