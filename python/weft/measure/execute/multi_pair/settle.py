"""Settles what a step of several pairs leaves open (interfaces, policies, processors) by what the testbed has."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.multi_pair.counters import interfaces_at
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import is_computed
from weft.measure.testbed.processors import check_usable
from weft.plan.pattern import MultiPair, Policy
from weft.plan.plan import Options, Step
from weft.runs.meta import Warning

_BETWEEN_NODES = ("alone", "independent", "striped", "shared", "mptcp", "bonded")


def settle_pairs(
    step: Step, pattern: MultiPair, testbed: Testbed, cpus: list[int] | None
) -> tuple[Step, list[Warning]]:
    """The step filled in, and warnings for its user; raises RequestError for what the testbed does not have."""
    networks = networks_of(testbed)
    pattern = replace(
        pattern, networks=networks, interfaces=pattern.interfaces or _usual(testbed, networks)
    )
    for policy in pattern.interfaces:
        _check(step.name, networks, testbed, policy)
    options = _with_processors(step.options, max(pattern.pairs), testbed, cpus)
    return replace(step, pattern=pattern, options=options), _shared_interfaces(pattern)


def bond_of(step: Step, networks: int, testbed: Testbed, agents: Sequence[Agent]) -> int:
    """The interface that bonds others; raises RequestError if a node has none."""
    common = set(range(networks + 1))
    for node, agent in zip(testbed.nodes, agents, strict=False):
        places = interfaces_at(agent.facts, node.with_bond)
        bonds = {index for index, one in enumerate(places) if one and one.is_bond}
        if not bonds:
            names = ", ".join(one.name for one in places if one)
            raise RequestError(
                f"step {step.name!r}: interfaces = bonded needs an interface that bonds others, and {node.name} has "
                f"none among {names}",
                "make one (ip link add bond0 type bond mode balance-rr, which takes the kernel's module bonding) and "
                "name it in a host file, or choose others with --interfaces",
            )
        common &= bonds
    return min(common, default=0)


def networks_of(testbed: Testbed) -> int:
    """The number of interfaces on each of the two nodes that pairs may use."""
    return min(len(node.places) for node in testbed.nodes[:2])


def _usual(testbed: Testbed, networks: int) -> tuple[Policy, ...]:
    """All policies that need no check of the kernel."""
    if testbed.kind == "local":
        return ("memory",)
    return ("alone", "independent", "striped", "shared") if networks > 1 else ("shared",)


def _check(step: str, networks: int, testbed: Testbed, policy: Policy) -> None:
    where = f"{testbed.kind}:{testbed.name}"
    if policy == "memory" and testbed.kind != "local":
        raise RequestError(
            f"step {step!r}: interfaces = memory is inside one node, and {where} has the ends of a pair "
            "on different ones",
            "run it on local:, processes on this machine",
        )
    if policy in _BETWEEN_NODES and testbed.kind == "local":
        raise RequestError(
            f"step {step!r}: interfaces = {policy} is between two nodes, and {where} is one",
            "interfaces = memory",
        )
    if is_computed(testbed) and policy not in testbed.policies:
        raise RequestError(
            f"step {step!r}: interfaces = {policy} is measured, not simulated, on {where}",
            f"choose from {', '.join(testbed.policies)}, or run it on lab:two-nics",
        )
    if policy == "striped" and networks < 2:
        raise RequestError(
            f"step {step!r}: to stripe takes two interfaces or more, {testbed.nodes[0].name} has one here",
            'name them in a host file, such as interface = ["eth1", "eth2"], or run it on lab:two-nics',
        )


def _with_processors(
    options: Options, most: int, testbed: Testbed, cpus: list[int] | None
) -> Options:
    """The options with processors that processes take in turn; without processors if they are not known here.

    Ends spin only if each has a processor to itself.
    """
    chosen = cpus or options.cpus
    if chosen is None and testbed.cpus is not None:
        chosen = sorted(set(testbed.cpus))
    check_usable(chosen or (), testbed)
    wait = options.wait
    if wait == "auto":
        apart = chosen is not None and len(set(chosen)) >= 2 * most
        wait = "spin" if apart and testbed.may_spin else "block"
    return replace(options, cpus=None if chosen is None else tuple(chosen), wait=wait)


def _shared_interfaces(pattern: MultiPair) -> list[Warning]:
    most, networks = max(pattern.pairs), pattern.networks
    if "independent" not in pattern.interfaces or most <= networks:
        return []
    have = "1 interface" if networks == 1 else f"{networks} interfaces"
    return [
        Warning(
            "pairs-share-interfaces",
            f"{most} pairs over {have}: independent pairs take turns, so that several share one",
            "compare with the sum of the interfaces alone, not with so many times one pair",
        )
    ]
