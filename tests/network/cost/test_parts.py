"""What networks consist of: declared, generated, and kept in a run."""

import json

import pytest
from msgspec.structs import replace

import weft
from weft.base.errors import RequestError
from weft.network.cost.cable_kinds import parts_list
from weft.network.cost.parts import Interfaces, Parts, PortCount, Switches, parts_of
from weft.network.cost.racks import Racks
from weft.network.fabrics.load import load_fabric

RACKS = Racks(
    hosts_per_rack=4,
    racks_per_row=2,
    rack_width_m=1.0,
    row_spacing_m=3.0,
    slack_m=0.5,
    switches="rack",
)


def cables(parts: Parts) -> dict[tuple[bool, float | None], int]:
    return {(one.of_hosts, one.length_m): one.count for one in parts.cables}


def test_two_networks_have_parts_of_their_own() -> None:
    parts = parts_of("xibalba-dual")
    slow = 100_000_000
    assert parts.interfaces == (Interfaces(0, slow, 1, 32), Interfaces(1, slow, 1, 32))
    chassis, upper, racks = parts.switches
    assert chassis == Switches(
        network=0, ports=48, used=32, of_hosts=32, count=1, by_rate=(PortCount(slow, 32, 32),)
    )
    assert (upper.ports, upper.used, upper.of_hosts, upper.count) == (2, 2, 0, 1)
    assert (racks.ports, racks.used, racks.of_hosts, racks.count) == (24, 17, 16, 2)
    assert (racks.free, cables(parts)) == (7, {(False, None): 2, (True, None): 32})


def test_a_partly_populated_fat_tree_leaves_ports_free() -> None:
    parts = parts_of("fat-tree(k=4,hosts=5)")
    assert parts.hosts == parts.host_ports == 5
    # Three leaves, the last with one host; two pods of two switches above, the second with one leaf; four on top.
    assert sum(one.count for one in parts.switches) == 3 + 4 + 4
    ends = sum(one.count * one.used for one in parts.switches)
    assert ends == 2 * sum(one.count for one in parts.cables) - parts.hosts
    assert sum(one.count * one.free for one in parts.switches) == 44 - ends


def test_ports_and_cables_are_told_apart_by_rate() -> None:
    parts = parts_of("rail(units=3,hosts=4,rails=1,spines=2,rate=25 Gb/s,uplink=100 Gb/s)")
    host, uplink = 25_000_000_000, 100_000_000_000
    counts = {(one.of_hosts, one.rate_bits_per_s): one.count for one in parts.cables}
    assert counts == {(True, host): 12, (False, uplink): 6}
    assert {(one.count, one.by_rate) for one in parts.switches} == {
        (3, (PortCount(host, 4, 4), PortCount(uplink, 2, 0))),
        (2, (PortCount(uplink, 3, 0),)),
    }
    assert [(one.rate_bits_per_s, one.count) for one in parts.interfaces] == [(host, 12)]


def test_the_rates_of_a_scaled_run_are_those_that_are_bought() -> None:
    tenth = load_fabric("two-racks", 0.1)
    assert parts_of(tenth) == parts_of("two-racks")


def test_a_torus_has_one_interface_at_each_host_and_no_switch() -> None:
    parts = parts_of("torus(dims=4x4)")
    assert (parts.host_ports, parts.switches, cables(parts)) == (16, (), {(True, None): 32})


def test_the_fabric_of_a_run_has_the_same_parts() -> None:
    run = weft.simulate("ring", "xibalba-myrinet")
    kept = run.stored.meta.testbed["fabric"]
    assert kept is not None
    assert parts_of(kept) == parts_of("xibalba-myrinet") == parts_of("sim:xibalba-myrinet")


def test_racks_give_cables_their_lengths() -> None:
    """12 hosts in three racks: at (0, 0), (1, 0) and (0, 3); leaves of 6 stand at their third host's rack."""
    found = parts_of("clos(leaves=2,spines=1,hosts=6)", RACKS)
    middle = (0.5, 1.5)
    leaf_to_spine = [0.5 + middle[0] + middle[1], 0.5 + 0.5 + 1.5]
    assert leaf_to_spine == [2.5, 2.5]
    # Leaf 1 has n3 in its middle: rack 0; of its hosts n5 and n6 are a metre away. Leaf 2 has n9, in rack 2 at (0, 3):
    # n7 and n8 are 1 + 3 m away.
    assert cables(found) == {(False, 2.5): 2, (True, 0.5): 8, (True, 1.5): 2, (True, 4.5): 2}


def test_switches_may_all_stand_in_the_middle() -> None:
    found = parts_of("crossbar(hosts=8)", replace(RACKS, switches="central"))
    assert cables(found) == {(True, 1.0): 8}


def test_cables_are_listed_by_kind_where_prices_name_kinds() -> None:
    found = parts_list("fat-tree(k=4)")
    assert [one.kind for one in found.cable_kinds] == [None, None]
    assert [one.kind for one in parts_list("xibalba-dual").cable_kinds] == ["copper"] * 3


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("fat-tree(k=4,hosts=17)", "room for 16"),
        ("fat-tree(k=2000)", "are simulated"),
        ("clos(leaves=-1,spines=2,hosts=8)", "must be a whole number"),
        ("two-racks(hosts=3)", "unknown parameter hosts"),
        ("platform.xml", "nothing of switches and cables"),
        ("no-such", "not in the catalogue"),
    ],
)
def test_what_has_no_parts_is_refused(source: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        parts_of(source)


def test_simulations_of_some_hosts_are_those_of_the_same_hosts_in_the_whole_network() -> None:
    """All hosts of the first pod: nothing else is crossed, so that it does not matter what is beside it."""
    part = weft.simulate("aapc", "fat-tree(k=4,hosts=4)").phases["elapsed_ms"]
    leaf_and_pod = weft.simulate("aapc", "clos(leaves=2,spines=2,hosts=2)").phases["elapsed_ms"]
    assert part.tolist() == leaf_and_pod.tolist()


def test_old_fabrics_have_parts() -> None:
    fabric = load_fabric("two-racks")
    old = json.loads(json.dumps(fabric))
    old["cost"] = {"per_port": {"value": 480.0, "currency": "USD"}}
    assert parts_of(old) == parts_of("two-racks")
    old["links"][0]["ends"][0] = "n33"
    with pytest.raises(RequestError, match='two-racks: there is no node "n33"'):
        parts_of(old)
