"""Which nodes did not start and why, in one table: nodes with the same reason share a line."""

from __future__ import annotations

from collections.abc import Iterable

from weft.nodeset import fold, natural
from weft.testbed.agent.agent import AgentError


def not_started(errors: Iterable[AgentError], nodes: int) -> str:
    """What to print of failures among so many nodes, the most common reason first."""
    by_reason: dict[str, list[str]] = {}
    for error in errors:
        by_reason.setdefault(error.reason, []).append(error.node)
    count = sum(map(len, by_reason.values()))
    lines = sorted(by_reason.items(), key=lambda one: (-len(one[1]), natural(one[1][0])))
    table = [f"{fold(sorted(names, key=natural))}: {reason}" for reason, names in lines]
    title = f"{count} of {nodes} nodes did not start: "
    return title + table[0] if len(table) == 1 else "\n  ".join([title.strip(), *table])
