"""Labs with an inside: what chips, uplinks, single routes and cables do to real traffic."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.live import traffic
from support.live.virtual_cluster import star
from support.paths import DATA
from weft.base import catalog
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.testbed import Lab, open_lab

pytestmark = pytest.mark.timed

PAYLOAD_SHARE = 1448 / 1538
"""Of a cable's rate; inside a switch, without preamble and gap, it is 1448/1518."""
INSIDE_SHARE = 1448 / 1518


CHIPS = (DATA / "fabrics/chips.toml").read_text()

STAR = star(4).replace("100 Mb/s", "20 Mb/s")


@pytest.fixture(autouse=True)
def none_outlives(own_registry: None) -> Iterator[None]:
    """No lab stays behind a test."""
    yield
    assert registry.entries() == []


@contextlib.contextmanager
def lab_of(folder: Path, text: str) -> Iterator[Lab]:
    """A lab of the fabric that a text describes."""
    fabric = folder / "fabric.toml"
    fabric.write_text(text)
    with open_lab(str(fabric)) as lab:
        yield lab


def enter(lab: Lab, host: int) -> traffic.Enter:
    """Hosts are counted from 1, as in their names."""
    return lambda argv: lab.node_command(lab.nodes[host - 1], argv)


def rates_mbps(lab: Lab, *flows: tuple[int, int], seconds: float = 1.5) -> list[float]:
    """What each of some flows carries in the same span of time, after a while to settle."""
    pairs = [(enter(lab, src), enter(lab, dst), lab.nodes[dst - 1].address) for src, dst in flows]
    return traffic.rates_of_a_span_mbps(pairs, seconds)


def is_capped(rates: list[float], mbps: float) -> bool:
    """Whether flows share a capacity of so much wire rate: they get no more, and most of it.

    TCP does not fill a shared queue evenly, and this machine may have other things to do.
    """
    return 0.7 * mbps * PAYLOAD_SHARE < sum(rates) < 1.03 * mbps * INSIDE_SHARE


def reaches(lab: Lab, src: int, address: str) -> bool:
    """Whether a packet gets to an address and an answer back: nothing listens there, and the host says so."""
    program = (
        "import socket, sys; s = socket.socket(); s.settimeout(1); "
        f"sys.exit(0 if s.connect_ex(('{address}', 9)) == 111 else 1)"
    )
    command = enter(lab, src)([sys.executable, "-I", "-c", program])
    return subprocess.run(command, check=False).returncode == 0


def test_a_chip_and_an_uplink_cap_what_crosses_them_and_nothing_else(tmp_path: Path) -> None:
    with lab_of(tmp_path, CHIPS) as lab:
        uncapped = rates_mbps(lab, (1, 2), (3, 4))
        capped = rates_mbps(lab, (1, 2), (2, 1), (3, 4), (4, 3))
        crossing = rates_mbps(lab, (1, 5), (2, 6))
        there, back, inner = rates_mbps(lab, (1, 5), (6, 2), (3, 4))
    assert is_capped(uncapped, 40) and is_capped(uncapped[:1], 20)
    # Their cables would carry 80.
    assert is_capped(capped, 40)
    assert is_capped(crossing, 10)
    # Each direction has a capacity of its own, though TCP does not use both well at once.
    assert there + back > 1.2 * 10 and max(there, back) < 10
    assert is_capped([inner], 20)


def test_an_overridden_host_is_slow_and_a_path_only_one_way(tmp_path: Path) -> None:
    different = (
        '[[overrides]]\nids = "n4"\nlink = { rate = "2 Mb/s", rate_back = "20 Mb/s" }\n'
        '[[paths]]\nfrom = "n1"\nto = "n2"\nrate = "5 Mb/s"\n'
    )
    with lab_of(tmp_path, STAR + different) as lab:
        slow_path, other_path, slow_host = rates_mbps(lab, (1, 2), (3, 1), (4, 3))
        way_back, to_slow_host = rates_mbps(lab, (2, 1), (3, 4))
    assert is_capped([slow_path], 5) and is_capped([slow_host], 2)
    assert all(is_capped([rate], 20) for rate in (other_path, way_back, to_slow_host))


def test_a_dead_cable_takes_everything_and_delivers_nothing(tmp_path: Path) -> None:
    with lab_of(tmp_path, STAR + '[[overrides]]\nids = "n2"\ndead = true\n') as lab:
        addresses = [node.address for node in lab.nodes]
        assert reaches(lab, 1, addresses[2])
        assert not reaches(lab, 1, addresses[1])
        assert not reaches(lab, 2, addresses[0])


def test_the_second_network_is_another_way_to_the_same_host() -> None:
    with open_lab("xibalba-dual", 0.1) as lab:
        first, last = lab.nodes[0], lab.nodes[31]
        assert first.addresses == ("10.0.0.1", "10.1.0.1")
        assert last.address == last.addresses[0] == "10.0.0.32"
        assert all(reaches(lab, 1, address) for address in last.addresses)
        shown = subprocess.check_output(enter(lab, 32)(["cat", "/proc/net/dev"]))
    assert b"eth0" in shown and b"eth1" in shown


NOT_BUILT = ("pair", "xibalba-e7-loaded", "xen-like")
"""Two hosts alone; a capacity that depends on ports, which is simulated only; virtual machines."""


@pytest.mark.parametrize("name", sorted({*catalog.names("fabric")} - {*NOT_BUILT}))
def test_catalogue_fabrics_join_their_hosts(name: str) -> None:
    with open_lab(name, 0.5) as lab:
        assert reaches(lab, 1, lab.nodes[-1].address)
        assert reaches(lab, len(lab.nodes), lab.nodes[0].address)


def test_96_hosts_are_up_and_down_in_seconds() -> None:
    start = time.monotonic()
    lab = open_lab("xibalba-e7-config2", 0.1)
    with lab:
        up_s = time.monotonic() - start
        assert len(lab.nodes) == 96
        assert reaches(lab, 1, lab.nodes[95].address)
        assert reaches(lab, 96, lab.nodes[24].address)
        far = rates_mbps(lab, (1, 96), seconds=1)
        described = lab.describe()
        start = time.monotonic()
    assert up_s < 5 and time.monotonic() - start < 2
    assert is_capped(far, 10)
    if len(os.sched_getaffinity(0)) > 1:
        assert 0 < described["headroom"]["least"] <= described["headroom"]["mean"] <= 1
