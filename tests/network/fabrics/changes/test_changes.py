"""Changes of fabrics in words: what is another network, and what is refused."""

import pytest

from support.made.generated_fabric import generate
from weft.base import catalog
from weft.base.errors import RequestError
from weft.network.fabrics.changes.change import apply_all
from weft.network.fabrics.changes.parse import parse_change
from weft.network.fabrics.changes.wiring import FabricWiring
from weft.network.fabrics.changes.writing import rewired
from weft.network.fabrics.document import FabricDocument


def changed(fabric: str, *changes: str) -> FabricWiring:
    """The wiring of a fabric of the catalogue after changes."""
    document = FabricDocument.read(fabric)
    return FabricWiring.of(apply_all(document, [parse_change(one) for one in changes]))


def rates_mbps(wiring: FabricWiring, end: str) -> list[tuple[float | None, float | None]]:
    """Those of the links of a node, each way."""
    ways = [(one.forward, one.backward) for one in wiring.cables if end in one.ends]
    return [tuple(_mbps(way.rate_bits_per_s) for way in both) for both in ways]


def _mbps(rate: int | None) -> float | None:
    return None if rate is None else rate / 1e6


def switch_of(wiring: FabricWiring, host: str, network: int = 0) -> str:
    return next(one.ends[1] for one in wiring.ports_of_hosts(network) if one.ends[0] == host)


@pytest.mark.parametrize("name", catalog.names("fabric"))
def test_a_fabric_that_is_written_again_is_the_same(name: str) -> None:
    document = FabricDocument.read(name)
    again = rewired(document, FabricWiring.of(document))
    assert FabricWiring.of(again) == FabricWiring.of(document)
    assert again.resolved().get("weather") == document.resolved().get("weather")


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_generated_fabric_that_is_written_again_is_the_same(seed: int) -> None:
    document = FabricDocument.of_text(generate(seed, 1.0, is_uneven=True).text, "generated")
    assert FabricWiring.of(rewired(document, FabricWiring.of(document))) == FabricWiring.of(
        document
    )


def test_what_differs_for_single_hosts_stays_an_override() -> None:
    document = FabricDocument.read("bad-cable")
    table = rewired(document, FabricWiring.of(document)).table
    assert table["overrides"] == [{"ids": "n7", "link": {"rate": "10 Mb/s"}}]
    assert len(table["hosts"]) == 1


def test_links_of_an_end_and_between_two_ends() -> None:
    assert (
        rates_mbps(changed("xibalba-e7-32", "links.backplane.rate=1.6 Gb/s"), "backplane")
        == [(1600, 1600)] * 2
    )
    one = changed("xibalba-e7-32", "links.module1-backplane.rate_back*=2")
    assert rates_mbps(one, "backplane") == [(800, 1600), (800, 800)]
    # The first end that is named is where the link begins, whichever way round the file has it.
    other = changed("xibalba-e7-32", "links.backplane-module1.rate_back*=2")
    assert rates_mbps(other, "backplane") == [(1600, 800), (800, 800)]


def test_a_host_and_a_switch() -> None:
    wiring = changed("bad-cable", "hosts.n7.rate=100 Mb/s", "hosts.n[1-3].delay=1 ms")
    assert rates_mbps(wiring, "n7") == [(100, 100)]
    assert [one.forward.delay_ns for one in wiring.cables[:4]] == [10**6] * 3 + [5000]
    loaded = changed("xibalba-e7-loaded", "switches.module1/asic1.capacity*=1.5")
    assert loaded.switches[0].capacity_by_ports == ((16, 2160 * 10**6), (24, 2400 * 10**6))
    free = changed("xibalba-e7-32", "switches.module[1-2]/asic1.capacity=none")
    assert [one.capacity_bits_per_s for one in free.switches[:2]] == [None, None]


def test_the_second_interface_of_a_host() -> None:
    wiring = changed("xibalba-dual", "hosts.n3.network2.rate=10 Mb/s")
    assert rates_mbps(wiring, "n3") == [(100, 100), (10, 10)]


def test_a_host_that_goes_leaves_the_others_where_they_were() -> None:
    wiring = changed("two-racks", "remove n7")
    assert len(wiring.hosts) == 31 and switch_of(wiring, "n17") == "rack2"


def test_hosts_that_come_fill_ports_and_their_names_go_on() -> None:
    wiring = changed("xibalba-e7-config3", "add 8 hosts")
    assert len(wiring.hosts) == 72
    even = changed("two-racks", "add 4 hosts")
    assert even.hosts[-1] == "n36"
    assert [switch_of(even, f"n{number}") for number in range(33, 37)] == ["rack1", "rack2"] * 2
    dual = changed("xibalba-dual", "add 2 hosts")
    assert switch_of(dual, "n33") == "module1/asic1" and switch_of(dual, "n33", 1) == "rack1"
    there = changed("two-racks", "add 8 hosts to rack2")
    assert switch_of(there, "n33") == "rack2" and rates_mbps(there, "n33") == [(1000, 1000)]


def test_hosts_that_move_keep_their_cable_and_those_that_swap_do_not() -> None:
    moved = changed("two-racks", "hosts.n7.rate=10 Mb/s", "move n7 to rack2")
    assert switch_of(moved, "n7") == "rack2" and rates_mbps(moved, "n7") == [(10, 10)]
    swapped = changed("two-racks", "hosts.n7.rate=10 Mb/s", "swap n7 n20")
    assert switch_of(swapped, "n20") == "rack1" and rates_mbps(swapped, "n20") == [(10, 10)]


def test_an_uplink_is_as_wide_as_the_hosts_below_it() -> None:
    assert rates_mbps(changed("xibalba-e7-32", "oversubscription 1:1"), "backplane") == [
        (2000, 2000),
        (1200, 1200),
    ]
    assert rates_mbps(changed("fat-tree-16", "oversubscription=2"), "spine") == [(200, 200)] * 4


def test_a_second_network_is_a_copy_or_a_single_switch() -> None:
    copied = changed("two-racks", "second network like rack[1-2] at 100 Mb/s")
    assert rates_mbps(copied, "n9") == [(1000, 1000), (100, 100)]
    assert rates_mbps(copied, "net2-rack2")[-1] == (400, 400)
    plain = changed("bad-cable", "second network")
    assert [one.network for one in plain.cables if "n7" in one.ends] == [0, 1]
    assert rates_mbps(plain, "n7") == [(10, 10), (100, 100)]
    third = changed("xibalba-dual", "second network")
    assert max(third.networks()) == 2


def test_packets_and_another_network() -> None:
    wiring = changed("wrong-mtu", "mtu=9000")
    assert {one.mtu_bytes for one in wiring.cables} == {9000}
    other = changed("bad-cable", "topology=two-racks")
    assert len(other.hosts) == 16 and switch_of(other, "n16") == "rack1"


@pytest.mark.parametrize(
    ("fabric", "change", "said"),
    [
        ("two-racks", "links.rack3.rate=1 Gb/s", "did you mean rack"),
        ("two-racks", "links.n1-n2.rate=1 Gb/s", "nothing joins"),
        ("xibalba-e7-32", "links.module1/asic1.rate=1 Gb/s", "no link to another switch"),
        ("two-racks", "hosts.n77.rate=1 Gb/s", "did you mean n7"),
        ("two-racks", "switches.rak1.capacity=1 Gb/s", "did you mean rack1"),
        ("two-racks", "links.rack1.rate=4 Gb/s", "nothing would change"),
        ("two-racks", "links.rack1.rate=4", "the unit is missing"),
        ("two-racks", "links.rack1.rate=4 gb/s", "did you mean 4 Gb/s or 4 GB/s?"),
        ("two-racks", "links.rack1.speed=4 Gb/s", "have no 'speed'"),
        ("two-racks", "links.rack1.rate*=fast", "the factor must be a number"),
        ("two-racks", "switches.rack1.capacity*=2", "no capacity to multiply"),
        ("two-racks", "links.rate=4 Gb/s", "which links and which key"),
        ("two-racks", "hosts.n1.network3.rate=1 Gb/s", "no network 3"),
        ("two-racks", "hosts.n1.mtu_bytes=12", "whole number from 576"),
        ("two-racks", "remove n[1-32]", "there would be no host"),
        ("two-racks", "remove rack2", "would have no switch"),
        ("two-racks", "remove n99", "no host n99"),
        ("two-racks", "remove rack1-rack9", "no such host, switch or link"),
        ("two-racks", "remove n[30-40]", "there is no host n33"),
        ("two-racks", "remove [", "not a set of nodes"),
        ("two-racks", "move n7 to rack1", "nothing would change"),
        ("two-racks", "swap n1 n2", "nothing would change"),
        ("two-racks", "swap n[1-2] n3", "needs two hosts"),
        ("two-racks", "mtu=1500", "nothing would change"),
        ("two-racks", "mtu=100", "576"),
        ("two-racks", "topology=gigabit-pair", "has 2 hosts, two-racks 32"),
        ("two-racks", "topology=no-such", "not in the catalogue"),
        ("two-racks", "second network like rack1", "hosts are also at rack2"),
        ("two-racks", "second network at 3", "the unit is missing"),
        ("two-racks", "add 0 hosts", "cannot be added"),
        ("bad-cable", "add 9 hosts", "no free port for n25"),
        ("bad-cable", "oversubscription 2:1", "no links between switches"),
        ("leaf-spine", "oversubscription 4:1", "several ways between switches"),
        ("fat-tree-16", "oversubscription 1:1", "nothing would change"),
        ("gigabit-pair", "add 2 hosts", "two hosts on one cable"),
        ("gigabit-pair", "remove n1", "would be 1 host"),
        ("gigabit-pair", "hosts.n1.rate=0 b/s", "not a possible rate"),
        ("two-racks", "make it faster", "not a change"),
        ("two-racks", "", "not a change"),
    ],
)
def test_what_cannot_be_changed_is_refused_with_what_there_is(
    fabric: str, change: str, said: str
) -> None:
    with pytest.raises(RequestError) as caught:
        changed(fabric, change)
    assert said in f"{caught.value.message}; {caught.value.hint}"


def test_changes_that_contradict_each_other_are_refused() -> None:
    for pair in (
        ("links.rack1.rate=1 Gb/s", "links.rack1-rack2.rate=2 Gb/s"),
        ("move n7 to rack2", "swap n7 n20"),
        ("oversubscription 2:1", "links.rack1.rate=2 Gb/s"),
        ("mtu=9000", "hosts.n1.mtu_bytes=1400"),
    ):
        with pytest.raises(RequestError, match="contradicts"):
            changed("two-racks", *pair)


def test_factors_and_ways_of_a_link_do_not_contradict_each_other() -> None:
    wiring = changed("two-racks", "links.rack1.rate=1 Gb/s", "links.rack1.rate_back=500 Mb/s")
    assert rates_mbps(wiring, "rack1")[-1] == (1000, 500)
    doubled = changed("two-racks", "links.rack1.rate*=2", "links.rack1.rate=*2")
    assert rates_mbps(doubled, "rack1")[-1] == (16000, 16000)
