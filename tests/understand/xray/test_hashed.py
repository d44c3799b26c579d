"""Searches on simulated fabrics whose leaves reach each other over several spines, by a hash of each connection."""

from pathlib import Path

import pytest

from support.made.computed import compute
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose

LINK_MBPS = 9415
SPINES, HOSTS = 4, 8


@pytest.fixture(scope="module")
def clos(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    fabric = f"sim:clos(leaves=4,spines={SPINES},hosts={HOSTS},routing=hash)"
    return compute(tmp_path_factory.mktemp("clos") / "run", "xray", fabric)


def test_uplinks_carry_what_their_links_do(clos: RunFolder) -> None:
    found = diagnose(clos)
    assert {(one.kind, len(one.members)) for one in found.limits} == {("uplink", HOSTS)}
    assert len(found.limits) >= 6
    for one in found.limits:
        assert one.capacity_mbps.median == pytest.approx(SPINES * LINK_MBPS, rel=0.01)


def test_flows_that_meet_are_no_core_and_no_slow_routes(clos: RunFolder) -> None:
    found = diagnose(clos)
    assert found.slow == []
    assert found.has_several_paths
    assert any(text.startswith("whether what joins the parts of 32") for text in found.undecided)
    assert "Flows between the same leaves are held up unevenly" in found.verdict
    assert f"`weft run paths --on '{clos.meta.testbed['spec']}'`" in found.verdict


def test_of_several_networks_it_is_said_once(tmp_path: Path) -> None:
    found = diagnose(compute(tmp_path / "run", "xray", "sim:rail-optimised-slow-link"))
    assert found.verdict.count("weft run paths") == 1
    assert "There are several paths between hosts on networks 1-4, and" in found.verdict
    assert found.slow == []
    limits = [(one.network, one.kind, one.direction) for one in found.limits]
    assert sorted(limits) == [(3, "trunk", "in"), (3, "trunk", "out")]
    for one in found.limits:
        assert one.capacity_mbps.median == pytest.approx(300 * LINK_MBPS / 10_000, rel=0.01)


def test_a_route_over_a_slow_link_is_slow_by_itself(tmp_path: Path) -> None:
    found = diagnose(compute(tmp_path / "run", "xray", "sim:leaf-spine-slow-uplink"))
    behind = {f"n{number}" for number in range(9, 13)}
    assert found.slow
    for one in found.slow:
        assert one.kind == "route"
        assert len(behind.intersection(one.nodes)) == 1
        assert one.rate_mbps.median < 20
    assert found.limits == []


def test_a_core_is_doubted_where_few_rounds_were_uneven(tmp_path: Path) -> None:
    """Of few hosts at a leaf, flows of two leaves seldom run side by side."""
    found = diagnose(
        compute(tmp_path / "run", "xray", "sim:clos(leaves=4,spines=2,hosts=4,routing=hash,seed=2)")
    )
    assert {one.kind for one in found.limits} == {"uplink"}
    for one in found.limits:
        assert one.capacity_mbps.median == pytest.approx(2 * LINK_MBPS, rel=0.01)
