"""Declared fabrics as limits that sets of hosts share."""

import numpy as np
import pytest

from support.live.virtual_cluster import catalogue_network, network_of
from support.made.cases import cases
from support.made.generated_fabric import generate
from support.paths import DATA
from weft.understand.limits.declared import DeclaredLimit, DeclaredNetwork

Members = frozenset[int]

CHIP_MBPS = 160 * 1448 / 1518
"""A chip at a tenth of its speed, where frames have neither preamble nor gap."""
CARD_MBPS = 80 * 1448 / 1538
PORT_MBPS = 10 * 1448 / 1538


def hosts(first: int, last: int) -> Members:
    """By their numbers, from 1."""
    return frozenset(range(first - 1, last))


def inner(network: DeclaredNetwork) -> dict[tuple[str, str, Members, str], float]:
    limits = network.inner_limits
    found = {(one.kind, one.name, one.members, one.direction): one.capacity_mbps for one in limits}
    assert len(found) == len(limits)
    return found


def both_ways(kind: str, name: str, members: Members) -> set[tuple[str, str, Members, str]]:
    return {(kind, name, members, direction) for direction in ("out", "in")}


@pytest.mark.parametrize(("fabric", "chips", "cards"), cases("fabrics", "chips_and_cards"))
def test_the_published_switch_has_its_chips_and_cards(
    fabric: str, chips: dict[str, list[int]], cards: dict[str, list[int]]
) -> None:
    found = inner(catalogue_network(fabric))
    switches, links = (
        set().union(*(both_ways(kind, name, hosts(*ends)) for name, ends in named.items()))
        for kind, named in (("switch", chips), ("link", cards))
    )
    assert set(found) == switches | links
    assert [found[key] for key in switches] == pytest.approx([CHIP_MBPS] * len(switches))
    assert [found[key] for key in links] == pytest.approx([CARD_MBPS] * len(links))


def test_ports_are_limits_of_one_host_in_each_direction() -> None:
    network = catalogue_network("xibalba-e7-32")
    ports = [limit for limit in network.limits if len(limit.members) == 1]
    assert len(ports) == 2 * 32
    assert all(limit.capacity_mbps == pytest.approx(PORT_MBPS) for limit in ports)
    assert network.members_of("module1") == network.members_of("module1/asic1") == hosts(1, 20)


def test_a_cable_may_be_slow_one_way() -> None:
    limits = catalogue_network("one-way-slow").limits
    (limit,) = [limit for limit in limits if limit.capacity_mbps < PORT_MBPS / 2]
    assert (limit.members, limit.direction) == (hosts(11, 11), "out")
    assert limit.capacity_mbps == pytest.approx(PORT_MBPS / 10)


def test_a_full_tree_has_links_as_wide_as_what_is_below() -> None:
    network = catalogue_network("fat-tree-16")
    for limit in network.inner_limits:
        assert limit.capacity_mbps == pytest.approx(len(limit.members) * PORT_MBPS)


ASKEW = (DATA / "fabrics/askew.toml").read_text()


@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
def test_payload_is_what_frames_of_the_fabrics_mtu_leave(mtu_bytes: int) -> None:
    text = ASKEW.replace('rate = "100 Mb/s" }', f'rate = "100 Mb/s", mtu_bytes = {mtu_bytes} }}')
    text = text.replace('rate = "50 Mb/s"', f'rate = "50 Mb/s"\nmtu_bytes = {mtu_bytes}')
    text = text.replace('ids = "core"\n', 'ids = "core"\ncapacity = "200 Mb/s"\n')
    found = {one.name: one.capacity_mbps for one in network_of(text, 1.0).limits}
    payload = mtu_bytes - 52
    assert found["n1"] == pytest.approx(100 * payload / (mtu_bytes + 38))
    assert found["edge"] == pytest.approx(50 * payload / (mtu_bytes + 38))
    assert found["core"] == pytest.approx(200 * payload / (mtu_bytes + 18))


def test_a_link_is_of_the_side_further_from_the_root_and_offered_the_less_of_both() -> None:
    network = network_of(ASKEW, 1.0)
    assert {(one.name, one.members) for one in network.inner_limits} == {("edge", hosts(7, 9))}
    offered = [network.offered_mbps(one) for one in network.inner_limits]
    assert offered == pytest.approx([3 * 100 * 1448 / 1538] * 2)
    free = network_of(ASKEW.replace('rate = "50 Mb/s"', ""), 1.0)
    assert free.inner_limits == [], "no rate is no limit"
    assert len(free.limits) == 18


def test_a_capacity_at_the_root_is_an_inner_limit_of_all() -> None:
    text = ASKEW.replace('ids = "core"\n', 'ids = "core"\ncapacity = "200 Mb/s"\n')
    all_nodes = [one for one in network_of(text, 1.0).inner_limits if len(one.members) == 9]
    assert {(one.kind, one.direction) for one in all_nodes} == {("switch", "out"), ("switch", "in")}


@pytest.mark.parametrize(
    ("kind", "direction", "crossed"),
    [
        ("link", "out", [False, True, False, False]),
        ("link", "in", [False, False, True, False]),
        ("switch", "out", [True, True, False, False]),
        ("switch", "in", [True, False, True, False]),
    ],
)
def test_who_crosses_what(kind, direction, crossed) -> None:
    limit = DeclaredLimit(kind, "x", frozenset({0, 1}), direction, 1.0)
    assert limit.crossed_by(np.array([0, 0, 2, 2]), np.array([1, 2, 0, 3])).tolist() == crossed


def test_crossings_have_a_row_for_each_flow_and_a_column_for_each_limit() -> None:
    network = network_of(ASKEW, 1.0)
    flows = [(0, 1), (0, 7), (8, 2)]
    crossings = network.crossings(flows)
    assert crossings.sum(axis=1).tolist() == [2, 3, 3]
    assert network.crossings([]).shape == (0, len(network.limits))
    assert crossings.dtype == np.bool_


def test_of_the_two_sides_of_a_cut_the_smaller_is_meant() -> None:
    fabric = generate(2)
    count = len(fabric.network.hosts)
    small, all_nodes = frozenset({1, 4}), frozenset(range(count))
    assert fabric.canonical(small) == fabric.canonical(all_nodes - small) == small
    half = frozenset(range(0, count, 2))
    assert fabric.canonical(half) == fabric.canonical(all_nodes - half) == half
    assert fabric.canonical(all_nodes) == all_nodes


def test_a_seed_always_makes_the_same_fabric() -> None:
    assert generate(2).text == generate(2).text != generate(3).text
    assert 12 <= len(generate(2).network.hosts) <= 64


def test_a_capacity_by_ports_is_that_of_the_members_that_have_flows() -> None:
    network = catalogue_network("xibalba-e7-loaded")
    chips = [one for one in network.inner_limits if one.kind == "switch"]
    assert [one.capacity_mbps for one in chips] == pytest.approx([CHIP_MBPS] * len(chips))
    for count, share in ((8, 0.9), (16, 0.9), (20, 0.95), (24, 1.0)):
        flows = [(node, 24 + node) for node in range(count)]
        found = dict(zip(network.limits, network.capacities_mbps(flows), strict=True))
        (out,) = (one for one in chips if (min(one.members), one.direction) == (0, "out"))
        assert found[out] == pytest.approx(share * CHIP_MBPS)
