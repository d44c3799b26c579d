"""Bills beside sums made by hand, and what cannot be added up."""

from pathlib import Path

import pytest

from weft.base import catalog
from weft.base.errors import RequestError
from weft.network.cost.bill import NetworkBill, bill_of
from weft.network.cost.performance import read_performance
from weft.network.cost.prices import read_prices
from weft.network.fabrics.load import load_fabric

MONEY = 'currency = "USD"\nyear = 2026\nsource = "test"\n'
LAYOUT = '[layout]\nhosts_per_rack = 8\nrack_width = "1 m"\nslack = "1 m"\n'
SWITCHES = f'[[cost.per_switch]]\nmodel = "small"\nports = 8\nvalue = 100\n{MONEY}'
LARGE = f'[[cost.per_switch]]\nmodel = "large"\nports = 64\nvalue = 40\nper_port = 10\n{MONEY}'
COPPER = f'[[cost.per_cable]]\nkind = "copper"\nlongest = "2 m"\nvalue = 1\nper_metre = 2\n{MONEY}'
OPTICAL = f'[[cost.per_cable]]\nkind = "optical"\nvalue = 20\nper_metre = 0.5\n{MONEY}'
NODE = f"[cost.per_node]\nvalue = 1000\n{MONEY}"
POWER = """
[cost.power]
watts_per_node = 100
watts_per_port = 2
years = 2
source = "test"
per_kwh = { value = 0.5, currency = "USD", year = 2026, source = "test" }
"""
CLOS = "clos(leaves=3,spines=2,hosts=6)"


def bill(tmp_path: Path, *prices: str, of: str = CLOS) -> NetworkBill:
    file = tmp_path / "prices.toml"
    file.write_text("".join(prices))
    return bill_of(of, read_prices(str(file)))


def totals(found: NetworkBill) -> dict[str, float]:
    return {one.name: one.total for one in found.items}


def test_the_cheapest_switch_with_enough_ports_is_taken(tmp_path: Path) -> None:
    """Leaves have 6 + 2 ports, spines 3: a large one would cost 120 as a leaf, 70 as a spine."""
    found = bill(tmp_path, SWITCHES, LARGE)
    assert totals(found) == {"small, 8 ports": 300.0, "large, 3 ports": 140.0}
    assert found.network == found.total == 440.0
    assert (found.per_node, found.share) == (440 / 18, None)
    assert found.not_priced == ("cables", "interfaces", "nodes")


def test_cables_are_of_the_cheapest_kind_that_reaches(tmp_path: Path) -> None:
    """18 hosts in three racks of a row at 0, 1 and 2 m; leaves at n3 (0 m), n9 (1 m) and n15 (1 m), spines at 1 m."""
    found = bill(tmp_path, LAYOUT, COPPER, OPTICAL)
    # Hosts' cables: leaf 1 has six of 1 m; leaf 2 two of 2 m and four of 1 m; leaf 3 four of 1 m and two of 2 m.
    hosts = 14 * 3 + 4 * 5
    # To each of the two spines: leaf 1 2 m, the others 1 m.
    assert totals(found) == {"copper cable": hosts + 2 * (5 + 3 + 3)}
    longer = LAYOUT.replace('slack = "1 m"', 'slack = "1.5 m"')
    both = totals(bill(tmp_path, longer, COPPER, OPTICAL))
    assert both == {"copper cable": 14 * 4 + 4 * 4.0, "optical cable": (4 + 2) * 21.25}


def test_interfaces_ports_nodes_and_fixed_items_count(tmp_path: Path) -> None:
    found = bill(
        tmp_path,
        f"[cost.per_interface]\nvalue = 7\n{MONEY}",
        f"[cost.per_port]\nvalue = 2\n{MONEY}",
        f"[cost.per_host_port]\nvalue = 3\n{MONEY}",
        f'[[cost.fixed]]\nname = "cabinet"\ncount = 2\nvalue = 50\n{MONEY}',
        NODE,
    )
    assert totals(found) == {
        "cabinet": 100.0,
        "port of a switch": (3 * 8 + 2 * 3) * 2.0,
        "switch, for each host's port": 18 * 3.0,
        "interface": 18 * 7.0,
        "node without interfaces": 18_000.0,
    }
    assert found.network == 100 + 60 + 54 + 126
    assert found.share == pytest.approx(340 / 18_340)
    assert found.per(read_performance("3.4 GFlop/s")).network == pytest.approx(0.1)


MIXED = "rail(units=3,hosts=4,rails=1,spines=2,rate=25 Gb/s,uplink={} Gb/s)"
PORT = f'[[cost.per_port]]\nrate = "{{}} Gb/s"\nvalue = {{}}\n{MONEY}'
CABLE = f'[[cost.per_cable]]\nkind = "{{0}}G"\nrate = "{{0}} Gb/s"\nvalue = {{1}}\n{MONEY}'


def test_prices_are_those_of_the_speed_of_a_link(tmp_path: Path) -> None:
    """12 ports and cables of hosts at 25 Gb/s; 6 uplinks, which are 12 ports."""
    prices = [PORT.format(25, 10), PORT.format(100, 40), CABLE.format(25, 1), CABLE.format(100, 5)]
    fast = bill(tmp_path, *prices, of=MIXED.format(100))
    assert fast.network == 12 * 10 + 12 * 40 + 12 * 1 + 6 * 5
    slow = bill(tmp_path, *prices, of=MIXED.format(25))
    assert slow.network == 24 * 10 + 18 * 1
    # What is faster than asked for serves too.
    assert bill(tmp_path, PORT.format(100, 40), of=MIXED.format(25)).network == 24 * 40


def test_a_part_that_is_faster_than_any_price_has_none(tmp_path: Path) -> None:
    slow = [PORT.format(25, 10), CABLE.format(25, 1)]
    found = bill(tmp_path, *slow, of=MIXED.format(100))
    assert found.network == 12 * 10 + 12 * 1
    assert found.not_priced == (
        "ports of switches of 100 Gb/s",
        "cables of 100 Gb/s",
        "interfaces",
        "nodes",
    )
    assert bill(tmp_path, *slow, of=MIXED.format(25)).not_priced == ("interfaces", "nodes")


def test_a_switch_is_of_a_model_for_its_fastest_port(tmp_path: Path) -> None:
    models = [SWITCHES + 'rate = "25 Gb/s"\n', LARGE + 'rate = "100 Gb/s"\n']
    found = bill(tmp_path, *models, of=MIXED.format(100))
    assert totals(found) == {"large, 6 ports": 300.0, "large, 3 ports": 140.0}
    assert totals(bill(tmp_path, models[0], of=MIXED.format(25))) == {
        "small, 6 ports": 300.0,
        "small, 3 ports": 200.0,
    }
    none = bill(tmp_path, models[0], NODE, of=MIXED.format(100))
    assert none.not_priced == ("switches of 100 Gb/s", "cables", "interfaces")


def test_a_host_that_routes_is_more_than_an_interface(tmp_path: Path) -> None:
    found = bill(tmp_path, NODE, of="torus(dims=4x4)")
    assert found.not_priced == ("cables", "interfaces", "routers in interfaces")


def test_energy_is_paid_for_years(tmp_path: Path) -> None:
    found = bill(tmp_path, NODE, POWER)
    hours = 2 * 365.25 * 24
    assert totals(found)["energy of switches, kWh"] == pytest.approx(30 * 2 / 1000 * hours * 0.5)
    assert found.network == totals(found)["energy of switches, kWh"]
    assert found.nodes == pytest.approx(18_000 + 18 * 0.1 * hours * 0.5)


def test_a_bill_of_a_runs_fabric_is_that_of_its_name() -> None:
    assert bill_of(load_fabric("xibalba-er16")) == bill_of("xibalba-er16")


@pytest.mark.parametrize(
    ("name", "share", "per_port"),
    [
        ("xibalba-er16", 0.20, 818),
        ("xibalba-e7-config1", 0.13, 480),
        ("xibalba-e7-config2", 0.13, 480),
        ("xibalba-e7-config3", 0.13, 480),
        ("xibalba-maintenance", 0.04, 145),
        ("xibalba-myrinet", 0.35, 1800),
        ("xibalba-myrinet-shared", 0.30, 1800),
    ],
)
def test_the_published_networks_have_the_published_shares(
    name: str, share: float, per_port: float
) -> None:
    found = bill_of(name)
    assert found.share == pytest.approx(share, rel=0.05)
    assert found.per_port == pytest.approx(per_port, rel=1e-3)
    assert not found.not_priced


@pytest.mark.parametrize("name", catalog.names("price"))
def test_the_catalogues_prices_know_switches_and_cables(name: str) -> None:
    network = "dragonfly(groups=9,routers=4,hosts=2,global=2,rate=6 Gb/s)"
    found = bill_of(network, read_prices(name))
    assert found.of_kind("switch") > 0 and found.of_kind("cable") > 0
    assert found.not_priced == ("interfaces", "nodes")


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ((SWITCHES.replace("8", "7"),), "a switch of 8 ports has no price; the largest has 7"),
        ((LARGE.replace("40", "-75"), NODE), "would cost -45 USD"),
        ((LAYOUT, COPPER.replace("2 m", "1.2 m")), "a cable of 2 m is longer than any kind"),
        ((COPPER,), "nothing says where racks stand"),
        ((NODE, COPPER.replace("USD", "EUR")), "EUR and USD cannot be added"),
        ((NODE, COPPER.replace("2026", "2020")), "2020 and 2026 cannot be added"),
        ((LAYOUT,), "no prices"),
    ],
)
def test_what_cannot_be_added_up_is_refused(
    tmp_path: Path, prices: tuple[str, ...], said: str
) -> None:
    with pytest.raises(RequestError, match=said):
        bill(tmp_path, *prices)


def test_a_fabric_without_prices_says_where_they_may_come_from() -> None:
    with pytest.raises(RequestError, match="nothing says what its parts cost") as refused:
        bill_of("two-racks")
    assert "slim-fly-2014" in refused.value.hint
    old = load_fabric("two-racks") | {"cost": {"per_port": {"value": 480, "currency": "USD"}}}
    with pytest.raises(RequestError, match="neither year nor source"):
        bill_of(old)  # type: ignore[arg-type]


def test_performances_are_read() -> None:
    assert read_performance("60 GFlop/s").value == 60_000
    for wrong in ("60", "60 GFlops", "0 GFlop/s", "fast"):
        with pytest.raises(RequestError, match="not a performance"):
            read_performance(wrong)
