"""What a dry run says."""

from pathlib import Path
from typing import Any

import pytest

from support.clusters.hosts import host_file, local_nodes
from support.here import weft, weft_json
from support.live.loopback import Loopback
from weft.base.errors import RequestError
from weft.measure.execute.dry_run import foresee
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, foresee_run, start_run
from weft.plan.load import load_plan
from weft.plan.plan import Plan


def callers(plan: Plan, nodes: int) -> dict[str, list[str]]:
    document = foresee(plan, "here", Loopback(nodes)).to_json()
    return {node["node"]: node["from"] for node in document["nodes"]}


def test_of_a_pair_the_first_connects_to_the_second() -> None:
    assert callers(load_plan("signature"), 3) == {"n1": [], "n2": ["n1"]}


def test_among_many_each_connects_to_each() -> None:
    assert callers(load_plan("ring"), 3) == {
        "n1": ["n2", "n3"],
        "n2": ["n1", "n3"],
        "n3": ["n1", "n2"],
    }


def test_what_needs_no_network_listens_nowhere() -> None:
    assert set(map(tuple, callers(load_plan("overhead"), 2).values())) == {()}


def datagrams(plan: Plan) -> list[dict[str, Any]]:
    document = foresee(plan, "here", Loopback(2)).to_json()
    return [node["datagrams"] for node in document["nodes"]]


def test_datagrams_and_echoes_are_told_beside_connections() -> None:
    assert datagrams(load_plan("udp")) == [[], [{"protocol": "udp", "from": ["n1"]}]]
    assert callers(load_plan("udp"), 2)["n2"] == ["n1"]
    assert datagrams(load_plan("icmp")) == [[], [{"protocol": "icmp", "from": ["n1"]}]]
    assert callers(load_plan("icmp"), 2)["n2"] == []
    rows = [foresee(load_plan(plan), "here", Loopback(2)).rows()[1] for plan in ("udp", "icmp")]
    assert [row[2:] for row in rows] == [
        ("127.0.0.1, tcp and udp any free port", "n1"),
        ("127.0.0.1, icmp echo", "n1"),
    ]


def test_a_real_web_server_is_asked_in_both_loops_and_a_simulated_one_in_one(
    tmp_path: Path,
) -> None:
    told = weft("run", "webserver", "--on", local_nodes(tmp_path, "n[1-2]"), "--dry-run").stdout
    assert "steps: webserver, webserver-closed" in told
    assert weft_json("run", "webserver", "--on", "node:p4-400-base", "--dry-run")["steps"] == [
        "webserver"
    ]


def test_every_network_of_a_node_is_listed_and_nothing_starts(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    spec = host_file(
        tmp_path,
        f"""
ports = "5000-5003"
[[nodes]]
ids = "n[1-2]"
command = "touch {marker} {{node}}"
address = ["10.0.0.[1-2]", "10.1.0.[1-2]"]
""",
    )
    told = weft_json("run", "ring", "--on", spec, "--dry-run", "--out", tmp_path / "r")
    assert told == {
        "plan": "ring",
        "testbed": spec,
        "steps": ["ring"],
        "nodes": [
            {
                "node": f"n{one}",
                "login": f"touch {marker} n{one}",
                "addresses": [f"10.0.0.{one}", f"10.1.0.{one}"],
                "ports": "5000-5003",
                "protocol": "tcp",
                "from": [f"n{other}"],
                "datagrams": [],
            }
            for one, other in ((1, 2), (2, 1))
        ],
    }
    assert not marker.exists() and not (tmp_path / "r").exists()
    table = weft("run", "ring", "--on", spec, "--dry-run").stdout
    assert "nothing was started" in table and "10.0.0.1" in table


def test_a_dry_run_refuses_the_processors_that_the_run_would() -> None:
    request = RunRequest("latency", "local:2", RunOptions(cpus=[0, 9999]))
    with pytest.raises(RequestError, match="9999") as dry:
        foresee_run(request)
    with pytest.raises(RequestError) as real:
        start_run(request)
    assert str(dry.value) == str(real.value)


def test_a_dry_run_refuses_a_folder_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "note").touch()
    with pytest.raises(RequestError, match="already exists"):
        foresee_run(RunRequest("latency", "sim:pair", RunOptions(out=tmp_path)))
