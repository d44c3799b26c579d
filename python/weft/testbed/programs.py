"""Which programs a testbed's nodes can carry out, whether they are computed or measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from weft import _core
from weft.errors import RequestError
from weft.plan.pattern import Collective, Program
from weft.plan.plan import Step, to_json
from weft.plan.trace_file import read_program, rendezvous_bytes
from weft.testbed.base import Node


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


def check_collective(
    step: Step, pattern: Collective, nodes: Sequence[Node], dead: Collection[int] = ()
) -> None:
    """Refuse algorithms that were asked for and that there are not for so many nodes; raises RequestError."""
    members = step.chosen_nodes or range(len(nodes))
    check_alive(members, nodes, dead)
    missing = set(pattern.algorithms) - set(_core.Program.ways(to_json(step), len(members)))
    if missing:
        raise RequestError(
            f"step {step.name!r}: {', '.join(sorted(missing))} of {pattern.operation} needs a power of two nodes, "
            f"not {len(members)}",
            "choose so many with `nodes`, or leave it out of `algorithms`",
        )


def check_alive(hosts: Iterable[int], nodes: Sequence[Node], dead: Collection[int]) -> None:
    """Refuse nodes that cannot send; raises RequestError."""
    for rank, host in enumerate(hosts):
        if host in dead:
            raise RequestError(
                f"{nodes[host].name}: its link is dead, and it would be rank {rank}",
                "choose other nodes with `nodes`",
            )
