"""Whether a record says anything of the nodes that it is asked about."""

import pytest

from support.made.recorded_cluster import Cluster
from weft.base.errors import RequestError
from weft.operate.preflight.reach import refuse_unreached, unseen


def silent(cluster: Cluster, *names: str, code: str = "agent-login-silent") -> Cluster:
    """The cluster without agents on some nodes."""
    for name in names:
        why = f"no host named {name}-mgmt is known" if "name" in code else "its ssh is silent"
        cluster.nodes[name] |= {
            "failure": why,
            "failure_code": code,
            "interfaces": [],
            "system": {},
            "try_command": f"ssh -- admin@{name}-mgmt true",
        }
        for ends in [ends for ends in cluster.paths if name in ends]:
            del cluster.paths[ends]
    return cluster


def test_all_of_a_whole_record_is_seen() -> None:
    record = Cluster().record()
    refuse_unreached(record)
    assert unseen(record, "path-mtu", ()) == unseen(record, "differs-mtu", ("n2",)) == []


def test_a_node_without_an_agent_is_not_seen_and_a_stranger_neither() -> None:
    record = silent(Cluster(), "n2").record()
    refuse_unreached(record)
    assert unseen(record, "differs-mtu", ("n1", "n2")) == ["n2"]
    assert unseen(record, "differs-mtu", ()) == ["n2"]
    assert unseen(record, "differs-mtu", ("n9",)) == ["n9"]


def test_what_paths_show_needs_paths_on_which_datagrams_are_answered() -> None:
    cluster = Cluster()
    for path in cluster.ways_of("n3"):
        path |= {"answered": 0, "datagram_error": "no answer"}
    record = cluster.record()
    assert unseen(record, "path-mtu", ("n3",)) == ["n3"]
    assert unseen(record, "unreachable", ("n3",)) == unseen(record, "busy", ("n3",)) == []


def test_a_cluster_without_any_agent_says_nothing_of_its_nodes() -> None:
    record = silent(Cluster(), "n1", "n2", "n3", "n4").record()
    with pytest.raises(RequestError, match=r"none of 4 nodes .* n\[1-4\]: its ssh is silent") as no:
        refuse_unreached(record)
    assert "ssh -- admin@n1-mgmt true" in no.value.hint


def test_a_name_that_does_not_exist_is_the_request_s_fault_even_if_others_answer() -> None:
    record = silent(Cluster(), "n2", "n3", code="agent-name-unknown").record()
    with pytest.raises(
        RequestError, match=r"^n\[2-3\]: no host named n2-mgmt is known, and the others likewise\n"
    ):
        refuse_unreached(record)
