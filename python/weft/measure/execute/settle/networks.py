"""Steps that run on each network of nodes with several addresses, one network after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import UNSET
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.measure.testbed.base import Node, Testbed
from weft.plan.pattern import Search
from weft.plan.plan import Over, Plan, Step
from weft.runs.meta import Warning

EACH = "each"


def settle_networks(plan: Plan, testbed: Testbed) -> tuple[Plan, list[Warning]]:
    """The plan with steps for each network, all steps of a network together, and warnings about networks that are left
    out; raises RequestError for a network that nodes do not have.

    If all searches of a plan name their networks, its other steps run on these only: a search needs rates and round
    trips of its own network.
    """
    _check(plan, testbed)
    if all(step.network != EACH for step in plan.steps):
        return plan, []
    common = [_common(step, testbed) for step in plan.steps if step.network == EACH]
    most = max(common)
    if plan.race and most > 1:
        raise RequestError(
            f"{plan.name}: a race is over one network, and nodes of {testbed.name} have {most} in common",
            "name one, such as network = 1",
        )
    named = _named(plan)
    if most == 1 and not named:
        steps = (_first(step) if step.network == EACH else step for step in plan.steps)
        return replace(plan, steps=tuple(steps)), _left_out(testbed, 1)
    networks = named or list(range(most))
    runs = groupby(plan.steps, lambda step: step.network == EACH)
    split = (
        _split(list(steps), networks, testbed) if is_each else steps for is_each, steps in runs
    )
    return replace(plan, steps=tuple(one for part in split for one in part)), (
        [] if named else _left_out(testbed, most)
    )


def _check(plan: Plan, testbed: Testbed) -> None:
    """Raise RequestError for networks that nodes do not have."""
    for step in plan.steps:
        if not isinstance(step.network, int):
            continue
        count = _common(step, testbed)
        if step.network >= count:
            have = "one network" if count == 1 else f"{count} networks"
            raise RequestError(
                f"step {step.name!r}: network = {step.network + 1}, and its nodes on {testbed.name} have {have} in "
                "common",
                "name interfaces or addresses of all nodes in a host file, or take another network",
            )


def _named(plan: Plan) -> list[int]:
    """The networks that the plan's searches name; empty unless all name some."""
    searches = [step for _, step, _ in plan.steps_of(Search)]
    if not searches or any(not isinstance(step.network, int) for step in searches):
        return []
    return sorted({step.on_network for step in searches})


def _split(steps: Sequence[Step], networks: Sequence[int], testbed: Testbed) -> Iterator[Step]:
    """All steps on the first network, then all on the next."""
    for network in networks:
        for step in steps:
            if network >= _common(step, testbed):
                continue
            number = str(network + 1)
            over = Over(step.name, {"network": number})
            yield replace(step, name=f"{step.name}-{number}", network=network, over=over)


def _first(step: Step) -> Step:
    """The step without a choice of network."""
    return replace(step, network=UNSET)


def _common(step: Step, testbed: Testbed) -> int:
    """How many networks all nodes of a step share; missing nodes are refused elsewhere."""
    count = len(testbed.nodes)
    members = [node for node in step.members(count) if node < count]
    return min((len(testbed.nodes[node].places) for node in members), default=1)


def _left_out(testbed: Testbed, common: int) -> list[Warning]:
    """A warning if some nodes have more addresses than all nodes share."""
    more = [node for node in testbed.nodes if len(node.places) > common]
    if not more:
        return []
    return [
        Warning(
            "networks-left-out",
            f"{_names(more)} have more addresses than the {common} that all nodes have: what is behind the others was "
            "not looked at",
            "measure the nodes that have them by themselves (a host file of their own, or `nodes` of the steps)",
        )
    ]


def _names(nodes: Sequence[Node]) -> str:
    return fold(node.name for node in nodes)
