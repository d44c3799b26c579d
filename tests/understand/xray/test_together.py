"""Questions about several parts at the same time: only as much as surely passes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from support.live.virtual_cluster import VirtualCluster, network_of
from weft.runs.experiment import Experiment
from weft.understand.xray.flows import Flow, as_arrays, matching
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.search import disjoint, laid_out
from weft.understand.xray.together import Floors
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

RACKS, PER_RACK, PORT_MBPS = 12, 4, 9.4
NODES = frozenset(range(RACKS * PER_RACK))
PARTS = [frozenset(range(first, first + PER_RACK)) for first in range(0, len(NODES), PER_RACK)]
GROUP = Group(NODES, tuple(map(Group, PARTS)))
PORTS = PortRates(np.full(len(NODES), PORT_MBPS), np.full(len(NODES), PORT_MBPS))


def cluster(core_mbps: float) -> VirtualCluster:
    """Racks that let out half of what their ports can, behind one switch."""
    return VirtualCluster(
        network_of(
            f"""
name = "racks"
[[hosts]]
ids = "n[1-{len(NODES)}]"
attach = "rack[1-{RACKS}]"
per_switch = {PER_RACK}
link = {{ rate = "10 Mb/s" }}
[[links]]
between = ["rack[1-{RACKS}]", "core"]
rate = "20 Mb/s"
[[switches]]
ids = "core"
capacity = "{core_mbps} Mb/s"
""",
            scale=1.0,
        ),
        spread=0.0,
    )


def floors_of(cluster: VirtualCluster) -> Floors:
    rng = np.random.default_rng(1)
    flows = [matching(PARTS, rng) for _ in range(3)]
    rounds = [FlowTrial(0, *as_arrays(one), cluster.rates_mbps(one)) for one in flows]
    return Floors(PORTS, GROUP, tuple(rounds))


def most_at_once(floors: Floors) -> int:
    return sum(floors.have_room(PARTS[:count], "out") for count in range(1, RACKS))


def test_so_many_parts_have_room_as_the_others_and_what_joins_them_surely_let_through() -> None:
    assert most_at_once(floors_of(cluster(core_mbps=1000))) == 3
    assert most_at_once(floors_of(cluster(core_mbps=100))) == 1
    assert most_at_once(floors_of(cluster(core_mbps=30))) == 0


def requests_for(count: int) -> list[ExperimentRequest]:
    floors = floors_of(cluster(core_mbps=1000)).limits
    near = tuple(PARTS)
    asked = [
        ExperimentRequest(Experiment("out", part, NODES), 6, parts=near) for part in PARTS[:count]
    ]
    return [
        replace(one, floors=floors, parts=tuple(p for p in near if p != one.experiment.group))
        for one in asked
    ]


def test_each_gets_what_it_would_get_alone() -> None:
    requests = requests_for(3)
    assert disjoint(requests) == requests
    laid = laid_out(requests, PORTS, np.random.default_rng(2))
    assert [one.group for one, _ in laid] == PARTS[:3]
    flows: list[Flow] = [flow for _, own in laid for flow in own]
    rates = cluster(core_mbps=1000).rates_mbps(flows)
    first = 0
    for experiment, own in laid:
        assert {src for src, _ in own} == experiment.group
        assert experiment.within == experiment.group | {dst for _, dst in own}
        alone = cluster(core_mbps=1000).rates_mbps(own)
        np.testing.assert_allclose(rates[first : first + len(own)], alone, rtol=1e-6)
        first += len(own)


def test_those_that_do_not_fit_wait_but_the_first_does_not() -> None:
    laid = laid_out(requests_for(9), PORTS, np.random.default_rng(2))
    assert 1 <= len(laid) < 9
    tight = replace(requests_for(1)[0], floors=floors_of(cluster(core_mbps=30)).limits)
    ((experiment, flows),) = laid_out([tight], PORTS, np.random.default_rng(2))
    assert experiment.within == NODES and len(flows) == PER_RACK
