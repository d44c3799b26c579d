"""Facts of a node from a recorded cluster of four nodes with one thing changed."""

from __future__ import annotations

from support.made.recorded_cluster import Cluster
from weft.operate.acceptance.node_facts import node_facts


def odd_facts(cluster: Cluster) -> dict[str, object]:
    """What is known of n2 and not alike of n1."""
    record = cluster.record()
    usual = node_facts(record, "n1")
    return {key: one for key, one in node_facts(record, "n2").items() if one != usual[key]}


def test_facts_say_what_is_odd_about_a_node() -> None:
    assert odd_facts(Cluster()) == {}
    slow, kernel, busy, lossy = (Cluster() for _ in range(4))
    slow.interface("n2")["link_mbps"] = 10_000
    assert odd_facts(slow) == {"link_mbps": 10_000, "link_slower_than_others": True}
    kernel.nodes["n2"]["facts"] |= {"kernel": "5.10.0-1"}
    assert odd_facts(kernel) == {"driver_differs": True}
    busy.nodes["n2"]["system"]["busy"] = [0.0, 0.9]
    assert odd_facts(busy).keys() == {"busy_share", "busy_above_others"}
    lossy.paths["n2", "n3"]["answered"] -= 2
    assert odd_facts(lossy) == {"lost_when_idle": True}
    assert node_facts(None, "n2") == node_facts(Cluster().record(), "n9") == {}
