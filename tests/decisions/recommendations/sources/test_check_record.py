"""What a record of `weft check` leads to."""

from __future__ import annotations

import json
from pathlib import Path

from support.made.recorded_cluster import Cluster
from support.made.searched import search
from weft.decisions.recommendations.action import FindingCheck
from weft.decisions.recommendations.judging import JudgingRequest
from weft.decisions.recommendations.recommend import recommend
from weft.decisions.recommendations.recommendations import RecommendationList


def of(cluster: Cluster, folder: Path, twin: str | None = None) -> RecommendationList:
    file = folder / "check.json"
    file.write_text(json.dumps({"can_run": True} | cluster.record().to_json()))
    return recommend([str(file)], JudgingRequest(twin))


def test_a_good_cluster_has_nothing_to_do(tmp_path: Path) -> None:
    found = of(Cluster(), tmp_path)
    assert found.verdict == "Nothing to do: 4 of 4 nodes answer, no findings."


def test_an_odd_mtu_is_set_like_the_others_and_shown_by_checking_again(tmp_path: Path) -> None:
    cluster = Cluster(8)
    cluster.interface("n5")["mtu_bytes"] = 1400
    (one,) = of(cluster, tmp_path).actions
    assert (one.id, one.kind, one.nodes) == ("differs-mtu-n5", "fix", ("n5",))
    assert "ip link set" in one.do and one.checks == (FindingCheck("differs-mtu", ("n5",)),)
    (one,) = of(cluster, tmp_path, "wrong-mtu").actions
    assert one.changes == ("hosts.n5.mtu_bytes=1500",)
    assert one.effect and 1.0 <= one.effect.ratio.median < 1.02


def test_a_dead_node_comes_before_all_that_is_worth_more(tmp_path: Path) -> None:
    cluster = Cluster(16)
    cluster.interface("n7")["link_mbps"] = 10
    cluster.nodes["n3"] |= {"failure": "no route to host", "interfaces": [], "system": {}}
    cluster.paths = {ends: one for ends, one in cluster.paths.items() if "n3" not in ends}
    first, second = of(cluster, tmp_path, "bad-cable").actions
    assert first.blocks and first.nodes == ("n3",)
    assert second.id == "link-n7" and second.effect and second.effect.ratio.low > 5


def test_a_check_and_a_search_that_see_the_same_are_one_recommendation(tmp_path: Path) -> None:

    cluster = Cluster(16)
    cluster.interface("n7")["link_mbps"] = 10
    document = cluster.record().to_json()
    document["testbed"] = {"kind": "sim", "name": "bad-cable"}
    for node in document["nodes"]:
        node["addresses"] = [""]
    file = tmp_path / "check.json"
    file.write_text(json.dumps(document))
    found = recommend([str(file), str(search("bad-cable"))], JudgingRequest("bad-cable"))
    (one,) = found.actions
    assert {each.source for each in one.evidence} >= {str(file), str(search("bad-cable"))}
    assert FindingCheck("differs-link-speed", ("n7",)) in one.checks
