"""Networks shown, exported and read from other tools' files."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from support.here import weft, weft_json
from weft import _core
from weft.diagnose.ensemble.rates import Rates
from weft.errors import RequestError
from weft.execute.request import RunRequest, start_run
from weft.fabric.describe import Description
from weft.fabric.dot import to_dot
from weft.fabric.simgrid.exporter import to_simgrid
from weft.plan import catalog
from weft.testbed.computed.network import open_simulated, simulate

HEAD = "<?xml version='1.0'?>\n<platform version=\"4.1\">\n"


def write(tmp_path: Path, body: str, head: str = HEAD) -> Path:
    path = tmp_path / "platform.xml"
    path.write_text(f"{head}{body}\n</platform>\n")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(RequestError) as caught:
        open_simulated(str(path))
    return caught.value.message


def describe(name: str) -> Description:
    return Description(open_simulated(name).model)


def test_a_network_and_a_way_are_shown() -> None:
    said = weft("fabric", "show", "xibalba-e7-config2", "--way", "n1", "n49").stdout
    for name in (
        "n1 out",
        "into module1/asic1",
        "module1 to backplane",
        "backplane to module2",
        "n49 in",
    ):
        assert name in said
    assert "n[1-96]" in said
    found = weft_json("fabric", "show", "torus(dims=4x4)", "--way", "n0-0", "n2-1")
    assert [hop["name"] for hop in found["way"]] == ["n0-0 +1", "n1-0 +1", "n2-0 +2"]
    assert len(found["constraints"]) == 16 * 4 and found["constraints"][0]["mbps"] == 10_000


def test_the_list_has_fabrics_and_generators() -> None:
    found = weft_json("fabric", "list")
    assert "two-racks" in found["fabrics"]
    assert {"fat-tree", "torus", "dragonfly"} <= {one["name"] for one in found["generators"]}
    for one in found["generators"]:
        assert describe(one["example"]).hosts


def test_an_unknown_host_or_network_is_refused() -> None:
    assert weft("fabric", "show", "two-racks", "--way", "n1", "n99").returncode == 2
    said = weft("fabric", "show", "fat-tri(k=4)")
    assert said.returncode == 2 and "fat-tree(k=32" in said.stderr


def test_a_platform_comes_back_as_it_went(tmp_path: Path) -> None:
    path = tmp_path / "out.xml"
    path.write_text(weft("fabric", "export", "xibalba-e7-32", "simgrid").stdout)
    there, back = describe("xibalba-e7-32"), describe(str(path))
    assert back.hosts == there.hosts
    payload = np.array([rate * 1448 / 1538 for rate in there.capacities_mbps])
    assert back.capacities_mbps == pytest.approx(payload, rel=1e-12)
    assert back.delays_us == pytest.approx(there.delays_us)
    for src, dst in (("n1", "n2"), ("n1", "n32"), ("n32", "n1")):
        assert [hop.name for hop in back.way(src, dst)] == [hop.name for hop in there.way(src, dst)]


def test_an_exported_platform_carries_what_the_fabric_does(tmp_path: Path) -> None:
    path = tmp_path / "out.xml"
    path.write_text(to_simgrid(describe("two-racks")))
    rates = []
    # In a platform nothing is acknowledged.
    for name in ("two-racks(segments_per_ack=0)", str(path)):
        request = RunRequest("random-permutations", f"sim:{name}", str(tmp_path / f"r{len(rates)}"))
        rates.append(Rates.of(start_run(request)).mbps)
    assert rates[0] == pytest.approx(rates[1], rel=1e-4)


def test_it_is_xml_that_other_readers_accept() -> None:
    root = ElementTree.fromstring(to_simgrid(describe("one-way-slow")))
    (zone,) = root
    assert [len(zone.findall(kind)) for kind in ("host", "link", "route")] == [16, 32, 240]


def test_a_zone_with_routes_in_both_directions(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """<zone id="world" routing="Full">
 <host id="A" speed="10Gf" core="4"/><host id="B" speed="10Gf"/><host id="C" speed="10Gf"/>
 <link id="AB" bandwidth="12.5GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
 <link id="BC" bandwidth="8Gbps" latency="2ms"/>
 <route src="A" dst="B"><link_ctn id="AB" direction="UP"/></route>
 <route src="A" dst="C"><link_ctn id="AB" direction="UP"/><link_ctn id="BC"/></route>
</zone>""",
    )
    found = describe(str(path))
    assert found.hosts == ["A", "B", "C"]
    assert [vars(hop) for hop in found.way("C", "A")] == [
        {"name": "BC", "mbps": 8000.0, "delay_us": 2000.0},
        {"name": "AB down", "mbps": 100_000.0, "delay_us": 1.0},
    ]
    with pytest.raises(RequestError, match="no way from B to C"):
        found.way("B", "C")


def test_clusters(tmp_path: Path) -> None:
    common = 'id="c" prefix="node-" suffix="" speed="1Gf" bw="125MBps" lat="50us"'
    flat = write(tmp_path, f'<cluster {common} radical="0-3,8" bb_bw="2.25GBps" bb_lat="500us"/>')
    found = describe(str(flat))
    assert found.hosts == [f"node-{i}" for i in (0, 1, 2, 3, 8)]
    assert [hop.name for hop in found.way("node-0", "node-8")] == [
        "node-0 out",
        "backbone",
        "node-8 in",
    ]
    zone = '<zone id="w" routing="Full">\n<cluster {} {}/></zone>'
    tree = write(
        tmp_path,
        zone.format(common, 'radical="0-15" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"'),
    )
    assert len(describe(str(tree)).constraints) == 2 * (16 + 4 * 2)
    grid = write(
        tmp_path, zone.format(common, 'radical="0-11" topology="TORUS" topo_parameters="3,2,2"')
    )
    assert describe(str(grid)).capacities_mbps[0] == 1000


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<zone id="w" routing="Vivaldi"/>', ':3: routing="Vivaldi"'),
        ('<zone id="w">\n<disk id="d"/></zone>', ":4: <disk> is not supported"),
        (
            '<zone id="w">\n<link id="l" bandwidth="1Bps" sharing_policy="WIFI"/></zone>',
            ':4: sharing_policy="WIFI"',
        ),
        ('<zone id="w">\n<link id="l" bandwidth="0Bps"/></zone>', ":4: bandwidth = '0Bps'"),
        ('<zone id="w">\n<link id="l" bandwidth="fast"/></zone>', ":4: bandwidth = 'fast'"),
        ('<zone id="w">\n<host id="a"/>\n<route src="a" dst="b"/></zone>', ":5: no host 'b'"),
        ('<zone id="w"><host id="a"/></zone>', "two hosts at least"),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" topology="VIVALDI" topo_parameters="1"/>',
            'topology="VIVALDI"',
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" topology="DRAGONFLY" topo_parameters="1;1;1;8"/>',
            ":3: topo_parameters: '1;1;1;8' is not groups,links",
        ),
        (
            '<cluster id="c" radical="0-8" bw="1Bps" topology="DRAGONFLY" topo_parameters="3,1;3,1;1,1;1"/>',
            "3 groups: each needs a router",
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" topology="FAT_TREE" topo_parameters="1;8;1;0"/>',
            "every number must be 1 or more",
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" topology="FAT_TREE" topo_parameters="2;8;1;2"/>',
            "a number for each level",
        ),
        (
            '<cluster id="c" radical="0-8" bw="1Bps" topology="FAT_TREE" topo_parameters="1;8;1;2"/>',
            "make 8 hosts, radical 9",
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" sharing_policy="WIFI"/>',
            'sharing_policy="WIFI": only SPLITDUPLEX and SHARED and FATPIPE here',
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" topology="TORUS" topo_parameters="4,2" sharing_policy="SHARED"/>',
            'only "SPLITDUPLEX" is supported with TORUS',
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" topology="TORUS" topo_parameters="4,2" limiter_link="1Bps"/>',
            "limiter_link with TORUS is not supported",
        ),
        (
            '<cluster id="c" radical="0-7" bw="1Bps" bb_bw="1Bps" bb_sharing_policy="WIFI"/>',
            'bb_sharing_policy="WIFI"',
        ),
        (
            '<cluster id="c" radical="0-6" bw="1Bps" topology="TORUS" topo_parameters="2,2"/>',
            "make 4 hosts, radical 7",
        ),
        ('<cluster id="c" radical="0-9999999" bw="1Bps"/>', "more hosts than can be simulated"),
        ("<zone", ":4: not XML"),
    ],
)
def test_what_is_not_supported_is_named_with_its_line(tmp_path: Path, body: str, why: str) -> None:
    assert why in refusal(write(tmp_path, body))


def test_a_large_network_is_not_exported_pair_by_pair() -> None:
    with pytest.raises(RequestError, match="too many for a route for each pair"):
        to_simgrid(describe("fat-tree(k=16)"))


def test_links_of_a_graph_are_coloured_by_their_loads(tmp_path: Path) -> None:
    run = start_run(RunRequest("ring", "sim:two-racks", str(tmp_path / "run")))
    fabric = json.loads(
        _core.load_fabric(catalog.read(catalog.find("fabric", "two-racks")), "f", 1.0)
    )
    plain, loaded = to_dot(fabric), to_dot(fabric, run)
    assert plain.count(" -- ") == loaded.count(" -- ") == 33
    assert "color" not in plain and loaded.count("color=") == 33
    trunk = next(line for line in loaded.splitlines() if '"rack1" -- "rack2"' in line)
    assert "25 %" in trunk, "one of sixteen hosts crosses, at the rate of its port"
    other = start_run(RunRequest("ring", "sim:fat-tree-16", str(tmp_path / "other")))
    with pytest.raises(RequestError, match="not simulated on two-racks"):
        to_dot(fabric, other)


def test_each_of_several_cables_has_its_own_colour(tmp_path: Path) -> None:
    text = """
name = "cables"
routing = "hash"
[[hosts]]
ids = "n[1-16]"
attach = "s[1-2]"
per_switch = 8
link = { rate = "1 Gb/s" }
[[switches]]
ids = "s[1-2]"
"""
    link = '[[links]]\nbetween = ["s1", "s2"]\nrate = "1 Gb/s"\n'
    path = tmp_path / "cables.toml"
    path.write_text(text + 3 * link)
    settings = [("steps.phased.sizes", '["40 kB"]'), ("steps.unphased.sizes", '["40 kB"]')]
    run = start_run(
        RunRequest("alltoall", f"sim:{path}", str(tmp_path / "run"), overrides=settings)
    )
    fabric = json.loads(_core.load_fabric(path.read_text(), "f", 1.0))
    cables = [line for line in to_dot(fabric, run).splitlines() if '"s1" -- "s2"' in line]
    assert len(cables) == 3 and all("color=" in line for line in cables)
    shares = {line.split("\\n")[1].split(" %")[0] for line in cables}
    assert len(shares) > 1, "a hash does not spread the pairs evenly over the cables"


@pytest.mark.smoke("dot")
def test_graphviz_reads_it_where_there_is_one(tmp_path: Path) -> None:
    said = weft("fabric", "export", "xibalba-dual", "dot").stdout
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"], input=said, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("no dot here: apt-get install graphviz")
    assert done.returncode == 0, done.stderr


def test_a_path_between_two_hosts_of_a_platform_is_simulated(tmp_path: Path) -> None:
    path = write(
        tmp_path, '<cluster id="c" prefix="n" suffix="" radical="0-1" bw="1Gbps" lat="10us"/>'
    )
    table = simulate(
        "latency", f"{path}(overhead=0us)", overrides=[("steps.pingpong.sizes", "['1 KiB']")]
    )
    one_way_us = table["elapsed_ns"][0].as_py() / table["messages"][0].as_py() / 2e3
    assert one_way_us == pytest.approx(20 + 8.192, rel=1e-4)


@pytest.mark.parametrize(("policy", "mbps"), [("SHARED", 75), ("FATPIPE", 300)])
def test_a_fatpipe_is_not_shared(tmp_path: Path, policy: str, mbps: int) -> None:
    cluster = '<cluster id="c" prefix="n" suffix="" radical="0-3" bw="1Gbps" lat="10us" {}/>'
    path = write(tmp_path, cluster.format(f'bb_bw="300Mbps" bb_sharing_policy="{policy}"'))
    table = simulate("aapc", f"{path}(overhead=0us)", overrides=[("steps.aapc.sizes", "['10 MB']")])
    rates_mbps = 8e4 / (table["elapsed_ns"].to_numpy() / 1e6)
    assert rates_mbps == pytest.approx(mbps, rel=1e-3)
    assert [hop.name for hop in describe(str(path)).way("n0", "n3")] == [
        "n0 out",
        "backbone",
        "n3 in",
    ]
    assert to_simgrid(describe(str(path))).count(f'sharing_policy="{policy}"') >= 1
