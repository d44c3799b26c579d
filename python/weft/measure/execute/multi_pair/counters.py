"""Checks by the interfaces' counters whether pairs used the interfaces that they were meant to use."""

from __future__ import annotations

from collections.abc import Sequence

from weft.measure.testbed.agent.reply import Facts, Interface
from weft.runs.meta import Warning

LEAST_BYTES = 1 << 20
"""Fewer bytes than this decide nothing: other traffic may be as much."""
LEAST_DIVIDED_BYTES = 1 << 16
"""With smaller messages a stripe may be empty, and Multipath TCP uses whichever path is free."""
LEAST_SHARE = 0.1
"""An interface that carried less than this part of its fair share counts as unused."""


def interfaces_at(facts: Facts, addresses: Sequence[str]) -> list[Interface | None]:
    """The interfaces with these addresses, in order, from a node's facts; None for an unknown address."""
    owner = {address: one for one in facts.interfaces for address in one.addresses}
    return [owner.get(address) for address in addresses]


def interface_names(facts: Facts, addresses: Sequence[str]) -> list[str]:
    """The names of the interfaces with these addresses, in order; "" for an unknown address."""
    return [one.name if one else "" for one in interfaces_at(facts, addresses)]


def grown(then: dict[str, list[int]], now: dict[str, list[int]]) -> dict[str, list[int]]:
    """Bytes received and sent by each interface of a node between two readings of its counters."""
    pairs = {name: zip(then[name], now[name], strict=True) for name in now if name in then}
    return {name: [after - before for before, after in pair] for name, pair in pairs.items()}


def unused(sent_bytes: dict[str, int], names: Sequence[str]) -> list[str]:
    """The interfaces that carried next to nothing of what a node sent."""
    total = sum(sent_bytes.values())
    if total < LEAST_BYTES or "" in names:
        return []
    least = LEAST_SHARE * total / max(1, len(names))
    return [name for name in names if sent_bytes.get(name, 0) < least]


def judge(
    policy: str,
    pairs: int,
    node: str,
    sent_bytes: dict[str, int],
    names: Sequence[str],
    largest_bytes: int,
) -> Warning | None:
    """A warning if interfaces that should have carried messages of up to `largest_bytes` did not."""
    if policy in ("striped", "mptcp") and largest_bytes < LEAST_DIVIDED_BYTES:
        return None
    idle = unused(sent_bytes, names)
    if not idle:
        return None
    used = [name for name, sent in sent_bytes.items() if sent >= LEAST_BYTES and name not in idle]
    by = ", ".join(used) or "others"
    if policy == "mptcp":
        hint = (
            f"give the kernels the further addresses: ip mptcp endpoint add ADDRESS dev {idle[0]} signal, and "
            "ip mptcp limits set subflow 8 add_addr_accepted 8, on both nodes"
        )
    else:
        hint = (
            f"have routes follow the source address: ip rule add from ADDRESS table 101, and a route by {idle[0]} "
            "in that table"
        )
    return Warning(
        "interface-not-used",
        f"{policy}, {pairs} pair{'s' if pairs > 1 else ''}: {node} sent next to nothing over {', '.join(idle)}, "
        f"all went over {by}",
        hint,
    )
