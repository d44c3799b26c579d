"""Collectives of an MPI library: which phases it carries out, and how its ranks spend their time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from weft import _core
from weft.measure.execute.mpi.job import NAME
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.agent.reply import Activities, Activity
from weft.plan.pattern import LIBRARY, Collective
from weft.plan.phases import expand
from weft.plan.plan import Step, to_json

_WRONG = "weft_mpi: wrong-result "


@dataclass(frozen=True)
class LibraryCalls:
    """The phases that an MPI library carries out itself, and by which operation."""

    phases: frozenset[int]
    operation: str


NO_LIBRARY = LibraryCalls(frozenset(), "")


def library_calls(step: Step, pattern: Collective, testbed_nodes: int) -> LibraryCalls:
    """The library calls of a step that is a collective."""
    ways = _core.Program.ways(to_json(step), testbed_nodes)
    phases = range(len(expand(step, testbed_nodes)))
    mine = (phase for phase in phases if ways[phase % len(ways)] == LIBRARY)
    return LibraryCalls(frozenset(mine), pattern.operation)


def spent(
    phase: int, rows: Iterable[Mapping[str, int]], nodes: Collection[int]
) -> dict[int, Activities]:
    """How nodes spent their time, from samples that are one call each. Only the library knows how much was waiting; all
    of it counts as communication."""
    calls: dict[int, list[Activity]] = {node: [] for node in nodes}
    for row in rows:
        start_ns, elapsed_ns = row["start_ns"], row["elapsed_ns"]
        calls[row["src"]].append(Activity(start_ns, start_ns + elapsed_ns, 0, elapsed_ns))
    return {node: Activities(phase, tuple(mine)) for node, mine in calls.items()}


def wrong_result(complaints: Iterable[str]) -> AgentError | None:
    """The error of a rank with a wrong result; None if there is none."""
    said = next((line for line in complaints if line.startswith(_WRONG)), None)
    return AgentError(NAME, "wrong-result", said.removeprefix(_WRONG)) if said else None
