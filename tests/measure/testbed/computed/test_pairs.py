"""Several pairs of processes on a simulated network, against arithmetic."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from support.made.computed import compute
from support.paths import DATA
from weft.base.errors import RequestError
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points

SHARE = 1448 / 1538
"""What TCP gets of a wire."""
ANSWERED = 1 / (1 + 90 / (2 * 1538))
"""What acknowledgements of as much in the other direction leave."""
PLAN = """
name = "pairs"
[[steps]]
pattern = "multipair"
test = "TEST"
pairs = [1, 2, 3]
sizes = ["1 B", "10 MB"]
stop = { rule = "count", repeats = 20, trials = 2 }
"""


UNEVEN = """
name = "uneven"
[[hosts]]
ids = "n[1-2]"
attach = "s1"
link = { rate = "100 Mb/s" }
[[attachments]]
hosts = "n[1-2]"
attach = "s2"
link = { rate = "20 Mb/s" }
[[switches]]
ids = "s[1-2]"
"""


def points(
    tmp_path: Path,
    test: str,
    policies: Sequence[str] = ("alone", "independent", "striped", "shared"),
    on: str = "sim:two-nics(overhead=7us)",
) -> dict[tuple[str, int], MultiPairPoint]:
    plan = tmp_path / "pairs.toml"
    plan.write_text(PLAN.replace("TEST", test) + f"interfaces = {list(policies)}\n")
    found = multi_pair_points(compute(tmp_path / test, str(plan), on))
    return {(one.policy, one.pairs): one for one in found if one.size_bytes > 1}


def test_pairs_share_an_interface_and_several_interfaces_add_up(tmp_path: Path) -> None:
    found = points(tmp_path, "one-way")
    wire = 100 * SHARE
    rate = {key: one.sum_mbps.median for key, one in found.items()}
    expected = {("shared", 1): 1, ("shared", 3): 1, ("independent", 2): 2, ("striped", 1): 2}
    for key, wires in expected.items():
        assert rate[key] == pytest.approx(wires * wire, rel=2e-3), key
    # One interface carries twice as much as the other, for twice as long.
    assert rate["independent", 3] == pytest.approx(1.5 * wire, rel=2e-3)
    each = [one.throughput_mbps.median for one in found["independent", 3].each]
    assert each == pytest.approx([wire / 2, wire, wire / 2], rel=2e-3)


def test_both_ways_share_no_more_than_what_acknowledgements_take(tmp_path: Path) -> None:
    found = points(tmp_path, "two-way")
    for (policy, pairs), wires in {("shared", 1): 2, ("shared", 2): 2, ("striped", 2): 4}.items():
        expected = wires * 100 * SHARE * ANSWERED
        got = found[policy, pairs].sum_mbps.median
        assert got == pytest.approx(expected, rel=2e-3), policy


def test_round_trips_that_meet_go_and_return_together(tmp_path: Path) -> None:
    found = points(tmp_path, "latency")
    wire_s = 10e6 / SHARE * 8 / 100e6
    for key, share in {("shared", 1): 1, ("shared", 2): 2, ("independent", 2): 1}.items():
        latency = found[key].latency_us
        assert latency is not None
        assert latency.median == pytest.approx(share * wire_s * 1e6, rel=2e-3), key


def test_small_messages_come_as_fast_as_an_end_handles_them(tmp_path: Path) -> None:
    plan = DATA / "plans/quick_pairs.toml"
    found = multi_pair_points(compute(tmp_path / "run", str(plan), "sim:two-nics(overhead=100us)"))
    two = next(one for one in found if one.policy == "independent" and one.test == "latency")
    # Two ends, and over two links a frame of 91 bytes and the delay.
    one_way_us = 2 * (100 + 91 * 8 / 100 + 5)
    assert two.latency_us is not None
    assert two.latency_us.median == pytest.approx(one_way_us, rel=1e-3)
    tiny = next(one for one in found if one.test == "two-way" and one.size_bytes == 1)
    windows_us = 8 * 100 + one_way_us
    assert tiny.each[0].throughput_mbps.median == pytest.approx(2 * 8 * 8 / windows_us, rel=0.01)


def test_a_bond_spreads_frames_and_has_more_acknowledgements(tmp_path: Path) -> None:
    one_way, two_way = (points(tmp_path, test, ["bonded"]) for test in ("one-way", "two-way"))
    assert one_way["bonded", 1].sum_mbps.median == pytest.approx(200 * SHARE, rel=2e-3)
    answered = 1 / (1 + 90 / 1538)
    assert two_way["bonded", 2].sum_mbps.median == pytest.approx(400 * SHARE * answered, rel=2e-3)


def test_the_slowest_interface_sets_the_pace_of_a_bond(tmp_path: Path) -> None:
    fabric = tmp_path / "uneven.toml"
    fabric.write_text(UNEVEN)
    found = points(tmp_path, "one-way", ["bonded", "independent"], f"sim:{fabric}")
    assert found["bonded", 1].sum_mbps.median == pytest.approx(2 * 20 * SHARE, rel=2e-3)
    assert found["independent", 1].sum_mbps.median == pytest.approx(100 * SHARE, rel=2e-3)


def test_what_only_a_kernel_does_is_refused(tmp_path: Path) -> None:
    settings = {"steps__one-way__interfaces": "['mptcp']"}
    plan = str(DATA / "plans/quick_pairs.toml")
    with pytest.raises(RequestError, match="mptcp is measured, not simulated"):
        compute(tmp_path / "run", plan, "sim:two-nics", **settings)
