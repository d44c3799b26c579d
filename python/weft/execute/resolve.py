"""What a step of several pairs leaves open, settled by what the testbed has: interfaces, policies, processors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from weft.errors import RequestError
from weft.execute.multi_pair.counters import interfaces_at
from weft.run.meta import Warning
from weft.testbed.agent.agent import Agent
from weft.testbed.base import Testbed

_BETWEEN_NODES = ("alone", "independent", "striped", "shared", "mptcp", "bonded")


def settle_pairs(step: dict[str, Any], testbed: Testbed, cpus: list[int] | None) -> list[Warning]:
    """Fill in the step; raises RequestError for what the testbed cannot have, returns what its user should know."""
    pattern = step["pattern"]
    pattern["networks"] = networks_of(testbed)
    pattern["interfaces"] = pattern["interfaces"] or _usual(testbed, pattern["networks"])
    for policy in pattern["interfaces"]:
        _check(step, testbed, policy)
    _settle_processors(step, testbed, cpus)
    return _shared_interfaces(pattern)


def settle_bond(step: dict[str, Any], testbed: Testbed, agents: Sequence[Agent]) -> None:
    """Find the interface that bonds others; raises RequestError for a node that has none."""
    common: set[int] = set(range(step["pattern"]["networks"]))
    for node, agent in zip(testbed.nodes, agents, strict=False):
        places = interfaces_at(agent.facts, node.addresses or (node.address,))
        bonds = {index for index, one in enumerate(places) if one and one["is_bond"]}
        if not bonds:
            names = ", ".join(one["name"] for one in places if one)
            raise RequestError(
                f"step {step['name']!r}: interfaces = bonded needs an interface that bonds others, and {node.name} has "
                f"none among {names}",
                "make one (ip link add bond0 type bond mode balance-rr, which takes the kernel's module bonding) and "
                "name it in a host file, or choose others with --interfaces",
            )
        common &= bonds
    step["pattern"]["bonded"] = min(common, default=0)


def networks_of(testbed: Testbed) -> int:
    """The interfaces of each of the two nodes that pairs may use."""
    return min(len(node.addresses or (node.address,)) for node in testbed.nodes[:2])


def _usual(testbed: Testbed, networks: int) -> list[str]:
    """Everything that can be had without asking a kernel."""
    if testbed.kind == "local":
        return ["memory"]
    return ["alone", "independent", "striped", "shared"] if networks > 1 else ["shared"]


def _check(step: dict[str, Any], testbed: Testbed, policy: str) -> None:
    where = f"{testbed.kind}:{testbed.name}"
    if policy == "memory" and testbed.kind != "local":
        raise RequestError(
            f"step {step['name']!r}: interfaces = memory is inside one node, and {where} has the ends of a pair "
            "on different ones",
            "run it on local:, processes on this machine",
        )
    if policy in _BETWEEN_NODES and testbed.kind == "local":
        raise RequestError(
            f"step {step['name']!r}: interfaces = {policy} is between two nodes, and {where} is one",
            "interfaces = memory",
        )
    if policy == "striped" and step["pattern"]["networks"] < 2:
        raise RequestError(
            f"step {step['name']!r}: to stripe takes two interfaces or more, {testbed.nodes[0].name} has one here",
            'name them in a host file, such as interface = ["eth1", "eth2"], or run it on lab:two-nics',
        )


def _settle_processors(step: dict[str, Any], testbed: Testbed, cpus: list[int] | None) -> None:
    """Processors that processes take in turn; None where only the nodes know theirs.

    Spinning is for ends that have a processor to themselves.
    """
    options, most = step["options"], max(step["pattern"]["pairs"])
    chosen = cpus or options["cpus"]
    if chosen is None and testbed.cpus is not None:
        chosen = sorted(set(testbed.cpus))
    options["cpus"] = chosen
    usable = os.sched_getaffinity(0)
    if chosen and testbed.kind in ("lab", "local") and not usable.issuperset(chosen):
        wrong = sorted(set(chosen) - usable)
        raise RequestError(
            f"no processor {', '.join(map(str, wrong))} to pin to",
            f"this machine has {sorted(usable)}",
        )
    if options["wait"] == "auto":
        apart = chosen is not None and len(set(chosen)) >= 2 * most
        options["wait"] = "spin" if apart and testbed.may_spin else "block"


def _shared_interfaces(pattern: dict[str, Any]) -> list[Warning]:
    most, networks = max(pattern["pairs"]), pattern["networks"]
    if "independent" not in pattern["interfaces"] or most <= networks:
        return []
    have = "1 interface" if networks == 1 else f"{networks} interfaces"
    return [
        Warning(
            "pairs-share-interfaces",
            f"{most} pairs over {have}: independent pairs take turns, so that several share one",
            "compare with the sum of the interfaces alone, not with so many times one pair",
        )
    ]
