"""Networks shown, exported and read from other tools' files."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from support.here import refusal, weft, weft_json
from support.made.cases import cases
from support.made.computed import compute
from support.paths import DATA
from support.refusals import refused
from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.faces.api.start import simulate
from weft.measure.testbed.computed.network import open_simulated
from weft.network.fabrics.describe import Description
from weft.network.fabrics.dot import to_dot
from weft.network.fabrics.simgrid.exporter import to_simgrid
from weft.understand.ensemble.rates import MedianRates

HEAD = "<?xml version='1.0'?>\n<platform version=\"4.1\">\n"


def write(tmp_path: Path, body: str, head: str = HEAD) -> Path:
    path = tmp_path / "platform.xml"
    path.write_text(f"{head}{body}\n</platform>\n")
    return path


def refusal_of(path: Path) -> str:
    with pytest.raises(RequestError) as caught:
        open_simulated(str(path))
    return caught.value.message


def describe(name: str) -> Description:
    return Description(open_simulated(name).model)


def test_a_network_and_a_way_are_shown() -> None:
    said = weft("fabric", "show", "xibalba-e7-config2", "--way", "n1", "n49").stdout
    hops = (
        "n1 out",
        "into module1/asic1",
        "module1 to backplane",
        "backplane to module2",
        "n49 in",
    )
    assert all(name in said for name in (*hops, "n[1-96]"))
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
    assert "n99" in refusal("fabric", "show", "two-racks", "--way", "n1", "n99")
    assert "fat-tree(k=32" in refusal("fabric", "show", "fat-tri(k=4)")


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
    # In a platform nothing is acknowledged.
    names = {"there": "two-racks(segments_per_ack=0)", "back": str(path)}
    there, back = (
        MedianRates.of(compute(tmp_path / to, "random-permutations", f"sim:{name}")).mbps
        for to, name in names.items()
    )
    assert there == pytest.approx(back, rel=1e-4)


def test_it_is_xml_that_other_readers_accept() -> None:
    root = ElementTree.fromstring(to_simgrid(describe("one-way-slow")))
    (zone,) = root
    assert [len(zone.findall(kind)) for kind in ("host", "link", "route")] == [16, 32, 240]


def test_a_zone_with_routes_in_both_directions(tmp_path: Path) -> None:
    found = describe(str(write(tmp_path, (DATA / "platforms/three_hosts.xml").read_text())))
    assert found.hosts == ["A", "B", "C"]
    assert [vars(hop) for hop in found.way("C", "A")] == [
        {"name": "BC", "mbps": 8000.0, "delay_us": 2000.0},
        {"name": "AB down", "mbps": 100_000.0, "delay_us": 1.0},
    ]
    with refused("no way from B to C"):
        found.way("B", "C")


def test_clusters(tmp_path: Path) -> None:
    common = 'id="c" prefix="node-" suffix="" speed="1Gf" bw="125MBps" lat="50us"'
    flat = write(tmp_path, f'<cluster {common} radical="0-3,8" bb_bw="2.25GBps" bb_lat="500us"/>')
    found = describe(str(flat))
    assert found.hosts == [f"node-{i}" for i in (0, 1, 2, 3, 8)]
    hops = [hop.name for hop in found.way("node-0", "node-8")]
    assert hops == ["node-0 out", "backbone", "node-8 in"]
    zone = f'<zone id="w" routing="Full">\n<cluster {common} {{}}/></zone>'
    shape = 'radical="0-15" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"'
    tree = describe(str(write(tmp_path, zone.format(shape))))
    assert len(tree.constraints) == 2 * (16 + 4 * 2)
    shape = 'radical="0-11" topology="TORUS" topo_parameters="3,2,2"'
    assert describe(str(write(tmp_path, zone.format(shape)))).capacities_mbps[0] == 1000


@pytest.mark.parametrize(
    ("body", "why"),
    cases("platforms", "not_supported"),
)
def test_what_is_not_supported_is_named_with_its_line(tmp_path: Path, body: str, why: str) -> None:
    assert why in refusal_of(write(tmp_path, body))


def test_a_large_network_is_not_exported_pair_by_pair() -> None:
    with refused("too many for a route for each pair"):
        to_simgrid(describe("fat-tree(k=16)"))


def test_links_of_a_graph_are_coloured_by_their_loads(tmp_path: Path) -> None:
    run = compute(tmp_path / "run", "ring", "sim:two-racks")
    text = catalog.read(catalog.find("fabric", "two-racks"))
    fabric = json.loads(_core.load_fabric(text, "f", 1.0))
    plain, loaded = to_dot(fabric), to_dot(fabric, run)
    assert plain.count(" -- ") == loaded.count(" -- ") == 33
    assert "color" not in plain and loaded.count("color=") == 33
    trunk = next(line for line in loaded.splitlines() if '"rack1" -- "rack2"' in line)
    assert "25 %" in trunk, "one of sixteen hosts crosses, at the rate of its port"
    other = compute(tmp_path / "other", "ring", "sim:fat-tree-16")
    with refused("not simulated on two-racks"):
        to_dot(fabric, other)


def test_each_of_several_cables_has_its_own_colour(tmp_path: Path) -> None:
    path = DATA / "fabrics/cables.toml"
    small = {f"steps__{mode}__sizes": '["40 kB"]' for mode in ("phased", "unphased")}
    run = compute(tmp_path / "run", "alltoall", f"sim:{path}", **small)
    fabric = json.loads(_core.load_fabric(path.read_text(), "f", 1.0))
    cables = [line for line in to_dot(fabric, run).splitlines() if '"s1" -- "s2"' in line]
    assert len(cables) == 3 and all("color=" in line for line in cables)
    shares = {line.split("\\n")[1].split(" %")[0] for line in cables}
    assert len(shares) > 1, "a hash does not spread the pairs evenly over the cables"


@pytest.mark.smoke("dot")
@pytest.mark.skipif(shutil.which("dot") is None, reason="no dot here: apt-get install graphviz")
def test_graphviz_reads_it_where_there_is_one() -> None:
    text = weft("fabric", "export", "xibalba-dual", "dot").stdout
    subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)


def test_a_path_between_two_hosts_of_a_platform_is_simulated(tmp_path: Path) -> None:
    cluster = '<cluster id="c" prefix="n" suffix="" radical="0-1" bw="1Gbps" lat="10us"/>'
    path, small = write(tmp_path, cluster), {"steps.pingpong.sizes": "['1 KiB']"}
    table = simulate("latency", f"{path}(overhead=0us)", settings=small).stored.samples
    one_way_us = table["elapsed_ns"][0].as_py() / table["messages"][0].as_py() / 2e3
    assert one_way_us == pytest.approx(20 + 8.192, rel=1e-4)


@pytest.mark.parametrize(("policy", "mbps"), [("SHARED", 75), ("FATPIPE", 300)])
def test_a_fatpipe_is_not_shared(tmp_path: Path, policy: str, mbps: int) -> None:
    cluster = '<cluster id="c" prefix="n" suffix="" radical="0-3" bw="1Gbps" lat="10us" {}/>'
    path = write(tmp_path, cluster.format(f'bb_bw="300Mbps" bb_sharing_policy="{policy}"'))
    table = simulate(
        "aapc", f"{path}(overhead=0us)", settings={"steps.aapc.sizes": ["10 MB"]}
    ).stored.samples
    rates_mbps = 8e4 / (table["elapsed_ns"].to_numpy() / 1e6)
    assert rates_mbps == pytest.approx(mbps, rel=1e-3)
    hops = [hop.name for hop in describe(str(path)).way("n0", "n3")]
    assert hops == ["n0 out", "backbone", "n3 in"]
    assert to_simgrid(describe(str(path))).count(f'sharing_policy="{policy}"') >= 1
