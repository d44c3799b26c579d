"""Several pairs of processes inside two nodes with several interfaces, against arithmetic."""

from pathlib import Path

import pytest

from support.made.computed import compute
from weft.base.errors import RequestError
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points

PLAN = """
name = "pairs"
[[steps]]
pattern = "multipair"
test = "TEST"
pairs = [1, 2]
interfaces = ["alone", "independent", "shared", "striped", "bonded"]
sizes = ["1 MiB"]
stop = { rule = "count", repeats = 20, trials = 2 }
"""
FRAME_BYTES, ACK_BYTES = 4096 + 52 + 14, 52 + 14
MOST, LEAST = (4096 / (FRAME_BYTES + acks * ACK_BYTES) for acks in (0.4, 2))
"""What payload has of a bus: an acknowledgement goes with every second frame, and others tell of more room."""
ALL = ("eth1", "eth2", "eth3", "eth4")
BUSY_BUS = {
    **{f"processors.cpu{cpu}.clock": "500 GHz" for cpu in range(4)},
    **{f"interfaces.{name}.gap": "0 s" for name in ALL},
    "memory.miss": "1.4 ns",
    "memory.hit": "0 s",
    "memory.collision": "0 s",
    "nic.coalesce_time": "0 s",
    "memory.bus": "1000 Gb/s",
    "link.rate": "100 Gb/s",
    "io_bus.rate": "1 Gb/s",
    "io_bus.access": "0 s",
    "io_buses.pci1.rate": "1 Gb/s",
    "io_buses.pci1.access": "0 s",
}
"""Nothing but buses takes time."""


def points(
    tmp_path: Path,
    test: str,
    changes: dict[str, str],
    placement: str = "bypass",
    **settings: str,
) -> dict[tuple[str, int], MultiPairPoint]:
    tmp_path.mkdir(exist_ok=True)
    plan = tmp_path / "pairs.toml"
    plan.write_text(PLAN.replace("TEST", test))
    inside = ",".join(f"{key}={value}" for key, value in changes.items())
    on = f"node:opteron-4nic-{placement}({inside})"
    found = multi_pair_points(compute(tmp_path / "run", str(plan), on, **settings))
    return {(one.policy, one.pairs): one for one in found}


def rates(found: dict[tuple[str, int], MultiPairPoint]) -> dict[tuple[str, int], float]:
    return {key: one.sum_mbps.median for key, one in found.items()}


def test_interfaces_on_one_bus_share_it(tmp_path: Path) -> None:
    found = rates(points(tmp_path, "one-way", BUSY_BUS))
    for key in (("independent", 1), ("independent", 2), ("shared", 2)):
        assert 1000 * LEAST < found[key] < 1000 * MOST, key
    # Three of four stripes are on one bus.
    assert 1000 * 4 / 3 * LEAST < found["striped", 2] < 1000 * 4 / 3 * MOST


def test_interfaces_on_two_buses_do_not_share_them(tmp_path: Path) -> None:
    found = rates(points(tmp_path, "one-way", {**BUSY_BUS, "interfaces.eth2.bus": "pci1"}))
    assert 1000 * LEAST < found["shared", 2] < 1000 * MOST
    assert 2000 * LEAST < found["independent", 2] < 2000 * MOST


def test_both_ways_share_a_bus(tmp_path: Path) -> None:
    found = rates(points(tmp_path, "two-way", BUSY_BUS))
    assert 1000 * LEAST < found["independent", 1] < 1000 * MOST


def test_stripes_and_bonds_use_all_interfaces(tmp_path: Path) -> None:
    changes = {**BUSY_BUS, "interfaces.eth2.bus": "pci1", "interfaces.eth4.bus": "pci1"}
    found = rates(points(tmp_path, "one-way", changes))
    for policy in ("striped", "bonded"):
        assert 2000 * LEAST < found[policy, 1] < 2000 * MOST, policy


def test_an_interface_asks_for_the_bus_again_after_its_gap(tmp_path: Path) -> None:
    changes = {**BUSY_BUS, **{f"interfaces.{name}.gap": "100 us" for name in ALL}}
    found = rates(points(tmp_path, "one-way", changes))
    most, least = (
        4096 * 8 / (100 + FRAME_BYTES * 8e-3 + acks * (100 + ACK_BYTES * 8e-3)) for acks in (0.5, 1)
    )
    assert least < found["shared", 2] < most
    # The bus is free for the other one meanwhile.
    assert 2 * least < found["independent", 2] < 2 * most


def test_pairs_that_are_bound_to_one_processor_share_its_time(tmp_path: Path) -> None:
    slow = {**BUSY_BUS, **{f"processors.cpu{cpu}.clock": "500 MHz" for cpu in range(4)}}
    slow |= {"io_bus.rate": "100 Gb/s", "costs.copy_accesses_per_byte": "20"}
    apart = rates(points(tmp_path, "one-way", slow))
    together = rates(points(tmp_path / "x", "one-way", slow, steps__multipair__options__cpus="[0]"))
    assert apart["independent", 2] == pytest.approx(2 * apart["independent", 1], rel=0.04)
    assert together["shared", 2] == pytest.approx(apart["shared", 1], rel=0.05)


def test_round_trips_of_several_pairs_keep_what_one_takes(tmp_path: Path) -> None:
    found = points(
        tmp_path, "latency", BUSY_BUS | {"link.rate": "1 Gb/s", "io_bus.rate": "99 Gb/s"}
    )
    one, two = found["independent", 1].latency_us, found["independent", 2].latency_us
    shared = found["shared", 2].latency_us
    assert one and two and shared
    assert two.median == pytest.approx(one.median, rel=0.01)
    assert one.median < shared.median < 2.1 * one.median


def byte_us(
    tmp_path: Path, changes: dict[str, str], placement: str = "native"
) -> dict[tuple[str, int], float]:
    found = points(tmp_path, "latency", changes, placement, steps__multipair__sizes="['1 B']")
    return {key: one.latency_us.median for key, one in found.items() if one.latency_us}


CYCLE_US = (1 + 0.34 * (0.95 * 1.4 + 0.05 * 60) * 2.2) / 2200
"""Of kernel code, with its accesses to memory."""


def test_a_bond_costs_its_driver_s_cycles_at_both_ends(tmp_path: Path) -> None:
    less, more = (
        byte_us(tmp_path / bond, {"costs.bond": bond})["bonded", 1] for bond in ("0", "5000")
    )
    assert more - less == pytest.approx(2 * 5000 * CYCLE_US, rel=0.01)


def test_a_packet_pays_on_both_sides_of_a_driver_domain(tmp_path: Path) -> None:
    less, more = (
        byte_us(tmp_path / packet, {"driver_domain.packet": packet}, "guest")
        for packet in ("1000", "6000")
    )
    for key in (("bonded", 1), ("independent", 1)):
        assert more[key] - less[key] == pytest.approx(4 * 5000 * CYCLE_US, rel=0.01), key


def test_guests_share_the_driver_domain_s_processor(tmp_path: Path) -> None:
    packet = 100_000
    found = rates(points(tmp_path, "one-way", {"driver_domain.packet": str(packet)}, "guest"))
    # What else a packet takes is a fifth of that at most.
    most, least = (1448 * 8 / (packet * CYCLE_US * of) for of in (1.4, 2.1 * 1.2))
    for policy in ("independent", "shared"):
        assert least < found[policy, 1] < most
        # One alone is limited by its own processor, which has a little more to do.
        assert found[policy, 2] < 1.3 * found[policy, 1]


def test_guests_need_a_processor_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="driver_domain"):
        points(tmp_path, "one-way", {"driver_domain.packet": "1"}, "native")


@pytest.mark.parametrize("placement", ["native", "guest"])
def test_the_catalogue_s_plan_runs_to_its_end(tmp_path: Path, placement: str) -> None:
    on, fewer = f"node:opteron-4nic-{placement}", {"steps__*__sizes": '["1 KiB", "256 KiB"]'}
    found = compute(tmp_path / "run", "multi-pair", on, **fewer)
    assert found.meta.status == "complete"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("interfaces.eth1.bus", "isa", "interfaces.eth1.bus"),
        ("interfaces.eth1.interrupt", "cpu9", "interfaces.eth1.interrupt"),
        ("interfaces.eth1.speed", "1", "speed"),
    ],
)
def test_what_an_interface_cannot_be(tmp_path: Path, key: str, value: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        points(tmp_path, "one-way", {key: value})
