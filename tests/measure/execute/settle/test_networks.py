"""Which networks the steps of a plan go over."""

from dataclasses import replace

import pytest

from support.live.loopback import Loopback
from weft.base.errors import RequestError
from weft.measure.execute.settle.networks import settle_networks
from weft.plan.load import load_plan
from weft.plan.plan import Plan


def bed_of(*networks: int) -> Loopback:
    """Nodes in so many networks each."""
    bed = Loopback(len(networks))
    bed.nodes = [
        replace(node, addresses=tuple(f"10.{at}.0.{node.name[1:]}" for at in range(count)))
        for node, count in zip(bed.nodes, networks, strict=True)
    ]
    return bed


def steps_of(plan: Plan) -> list[tuple[str, object]]:
    return [(step.name, step.network) for step in plan.steps]


def test_all_steps_of_a_network_come_before_those_of_the_next() -> None:
    settled, notes = settle_networks(load_plan("health"), bed_of(2, 2, 2))
    assert notes == []
    assert steps_of(settled) == [
        ("latency-1", 0),
        ("rounds-1", 0),
        ("latency-2", 1),
        ("rounds-2", 1),
    ]
    assert {step.over.of for step in settled.steps if step.over} == {"latency", "rounds"}


@pytest.mark.parametrize("name", ["health", "paths", "xray", "xray-quick"])
def test_nodes_of_one_network_are_measured_as_if_there_were_no_others(name: str) -> None:
    settled, notes = settle_networks(load_plan(name), bed_of(1, 1))
    assert notes == []
    assert [step.name for step in settled.steps] == [step.name for step in load_plan(name).steps]
    assert not any(step.network or step.over for step in settled.steps)


def test_the_other_steps_follow_a_search_that_names_its_network() -> None:
    plan = load_plan("paths", [("steps.paths.network", "3")])
    settled, _ = settle_networks(plan, bed_of(4, 4))
    assert steps_of(settled) == [("latency-3", 2), ("rates-3", 2), ("paths", 2)]


def test_a_network_that_not_all_nodes_are_in_is_refused_or_left_out() -> None:
    plan = load_plan("paths", [("steps.paths.network", "3")])
    with pytest.raises(RequestError, match=r"network = 3, and its nodes on .* have 2 networks"):
        settle_networks(plan, bed_of(4, 2))
    settled, (note,) = settle_networks(load_plan("health"), bed_of(3, 2, 2, 3))
    assert [step.network for step in settled.steps] == [0, 0, 1, 1]
    assert note.code == "networks-left-out"
    assert note.message.startswith("n[1,4] have more addresses than the 2 that all nodes have")


def test_a_step_goes_over_the_networks_of_its_own_nodes() -> None:
    nodes = [("steps.latency.nodes", "2"), ("steps.rounds.nodes", "2")]
    settled, _ = settle_networks(load_plan("health", nodes), bed_of(2, 2, 1))
    assert [step.network for step in settled.steps] == [0, 0, 1, 1]
