"""Verdicts on a recorded cluster of four nodes with one thing changed."""

from __future__ import annotations

from support.made.recorded_cluster import Cluster
from weft.operate.acceptance.check_verdicts import check_verdict, usable, with_lost
from weft.operate.acceptance.requirements import requirement
from weft.operate.acceptance.verdict import RequirementVerdict

ASKED = {
    "nodes.count": 4,
    "nodes.same": "all",
    "mtu.path": True,
    "mtu.at_least": "1500 B",
    "clocks.offset": "10 ms",
    "loss.datagrams": "20 %",
}


def judged(cluster: Cluster) -> dict[str, RequirementVerdict]:
    record = cluster.record()
    return {key: check_verdict(requirement(key, value), record) for key, value in ASKED.items()}


def wrong(cluster: Cluster) -> dict[str, tuple[str, str]]:
    """Of the requirements that are not met, the first symptom's kind and element."""
    found = {key: one for key, one in judged(cluster).items() if one.status != "met"}
    assert {one.status for one in found.values()} <= {"not met"}, found
    return {key: (one.symptoms[0].kind, one.symptoms[0].element) for key, one in found.items()}


def test_a_good_cluster_meets_all() -> None:
    assert wrong(Cluster()) == {}


def test_each_fault_spoils_its_requirement_and_no_other() -> None:
    driver, narrow, clock, dead, lossy = (Cluster() for _ in range(5))
    driver.interface("n2")["driver_version"] = "1.0"
    assert wrong(driver) == {"nodes.same": ("driver-differs", "n2")}
    for way in narrow.ways_of("n3"):
        way["mtu_bytes"] = 1400
    assert wrong(narrow) == {"mtu.path": ("mtu", "n3")}
    for ends, path in clock.paths.items():
        path["clock_offset_us"] = 5e5 * ((ends[1] == "n1") - (ends[0] == "n1"))
    assert wrong(clock) == {"clocks.offset": ("clock", "n1")}
    assert judged(clock)["clocks.offset"].symptoms[0].facts == {"offset_us": 5e5}
    dead.nodes["n4"] |= {"failure": "no login", "interfaces": [], "system": {}}
    dead.paths = {ends: path for ends, path in dead.paths.items() if "n4" not in ends}
    assert wrong(dead) == {"nodes.count": ("node-dead", "n4")}
    assert usable(dead.record()) == ("n1", "n2", "n3")
    dead.nodes["n3"] |= {"failure": "no login", "interfaces": [], "system": {}}
    dead.paths = {ends: path for ends, path in dead.paths.items() if "n3" not in ends}
    assert wrong(dead)["nodes.count"] == ("node-dead", "n[3-4]")
    for way in lossy.ways_of("n2"):
        way["answered"] = way["asked"] // 2
    assert wrong(lossy)["loss.datagrams"] == ("loss", "n2")


def test_a_node_that_fails_later_is_missed_too() -> None:
    count = judged(Cluster())["nodes.count"]
    found = with_lost(count, {"n2": "the agent ended with signal 9"})
    assert found.status == "not met" and found.symptoms[0].element == "n2"
    assert "n2: the agent ended with signal 9" in found.evidence
    assert with_lost(count, {}) == count
