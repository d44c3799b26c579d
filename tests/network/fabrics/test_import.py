"""SimGrid platforms as fabric files: what is a tree of switches comes out as one, what is not is refused."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from network.fabrics.test_formats import write
from support.here import refusal, weft, weft_json
from support.made.generated_fabric import generate
from support.paths import DATA
from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.faces.api.start import simulate
from weft.measure.testbed.computed.network import open_simulated
from weft.network.fabrics.crossings import Crossings
from weft.network.fabrics.fabric_toml import to_toml
from weft.network.fabrics.simgrid.importer import simgrid_to_toml

CLUSTER = 'id="c" prefix="node-" suffix=".lan" radical="0-11" speed="1Gf" bw="125MBps" lat="50us"'
BACKBONE = 'bb_bw="1.5Gbps" bb_lat="0"'
BY_PORTS = "xibalba-e7-loaded"
LOSSY = "mtu-hole"
NOT_SIMULATED = {BY_PORTS, LOSSY, "two-sites-storm", "three-tier-lossy-link"}
SEVERAL_PATHS = {
    "leaf-spine",
    "leaf-spine-slow-uplink",
    "rail-optimised",
    "rail-optimised-slow-link",
    "three-tier",
}
NO_TREES = {"xibalba-myrinet", "xibalba-myrinet-shared", *SEVERAL_PATHS}
ZONE = (DATA / "platforms/zone.xml").read_text()


def rates(name: str, plan: str = "random-permutations") -> pa.Table:
    """Who reached what; routes in the order of phases, sources and destinations."""
    table = simulate(plan, name).stored.samples
    return table.sort_by([(key, "ascending") for key in ("step", "phase", "src", "dst", "batch")])


def imported(tmp_path: Path, platform: Path) -> str:
    path = tmp_path / "imported.toml"
    path.write_text(simgrid_to_toml(platform))
    return str(path)


def check_rates(tmp_path: Path, platform: Path) -> None:
    """A platform has the rates of the fabric file that it is imported as."""
    one, other = rates(str(platform)), rates(imported(tmp_path, platform))
    assert np.allclose(one["elapsed_ns"], other["elapsed_ns"], rtol=2e-3)


def refusal_of(platform: Path) -> RequestError:
    with pytest.raises(RequestError) as caught:
        simgrid_to_toml(platform)
    return caught.value


def test_a_capacity_that_depends_on_ports_is_not_exported_as_another() -> None:
    said = refusal("fabric", "export", BY_PORTS, "simgrid")
    assert "'into module1/asic1' depends on how many ports contend" in said


def test_what_loses_frames_is_built_not_simulated() -> None:
    lost = "site1 to site2: packets over 1400 bytes are lost"
    assert f"{lost}, which is not simulated" in refusal("run", "latency", "--on", f"sim:{LOSSY}")
    assert f"{lost}, which SimGrid cannot say" in refusal("fabric", "export", LOSSY, "simgrid")
    assert lost in weft("fabric", "show", LOSSY).stdout
    assert weft_json("fabric", "show", LOSSY)["losses"][0]["drops_above_bytes"] == 1400


@pytest.mark.parametrize("fabric", sorted({*catalog.names("fabric")} - NOT_SIMULATED - NO_TREES))
def test_a_catalogue_fabric_comes_back_from_simgrid_with_its_rates(
    tmp_path: Path, fabric: str
) -> None:
    platform = tmp_path / "out.xml"
    platform.write_text(weft("fabric", "export", fabric, "simgrid").stdout)
    done = weft("fabric", "import", "simgrid", platform)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "imported.toml"
    path.write_text(done.stdout)
    plan = "stream" if len(open_simulated(fabric).nodes) == 2 else "random-permutations"
    there, back = rates(fabric, plan), rates(str(path), plan)
    assert there.select(["src", "dst", "size_bytes"]) == back.select(["src", "dst", "size_bytes"])
    # A SimGrid platform has no MTU, so the larger share of headers of one with a smaller MTU is lost.
    within = 2e-3 if fabric == "wrong-mtu" else 1e-6
    assert np.allclose(there["elapsed_ns"], back["elapsed_ns"], rtol=within, atol=2)


def test_names_and_order_survive(tmp_path: Path) -> None:
    platform = tmp_path / "out.xml"
    platform.write_text(weft("fabric", "export", "xibalba-maintenance", "simgrid").stdout)
    text = simgrid_to_toml(platform)
    assert 'between = ["rack[1-8]", "upper"]' in text
    assert 'ids = "n[1-128]"' in text
    mixed = write(tmp_path, ZONE.format(rate="3Gbps", policy="SPLITDUPLEX"))
    resolved = _core.load_fabric(simgrid_to_toml(mixed), "f", 1.0)
    assert [host["name"] for host in json.loads(resolved)["hosts"]] == ["b2", "a1", "b1"]


@pytest.mark.parametrize("seed", range(40))
def test_any_tree_is_found_again(seed: int) -> None:
    text = generate(seed).text
    network = _core.Network.declared(text, "f", 1.0)
    back = _core.Network.declared(to_toml(network, "again"), "f", 1.0)
    one, other = Crossings(network), Crossings(back)
    assert one.limits_bps().keys() == other.limits_bps().keys()
    assert one.hosts == other.hosts


def test_odd_routes_and_lanes_are_written() -> None:
    text = (DATA / "fabrics/odd.toml").read_text()
    written = to_toml(_core.Network.declared(text, "f", 1.0), "odd")
    for line in (
        'rate = "123.456789 Mb/s"',
        'rate_back = "10 Mb/s"',
        'delay_back = "1.5 us"',
        'from = "n1"\nto = "n5"\nrate = "7 Mb/s"\ndelay = "1 ms"',
    ):
        assert line in written


def test_a_lane_may_have_a_limit_where_the_other_has_none(tmp_path: Path) -> None:
    body = ZONE.format(rate="3Gbps", policy="SPLITDUPLEX")
    path = write(tmp_path, body.replace('"one" bandwidth="1Gbps"', '"one" bandwidth="1e18bps"'))
    assert rates(imported(tmp_path, path)).num_rows == rates(str(path)).num_rows


def test_a_cluster_is_a_switch_and_its_backbone_what_that_passes(tmp_path: Path) -> None:
    path = write(tmp_path, f'<cluster {CLUSTER} bb_bw="750MBps" bb_lat="500us"/>')
    text = simgrid_to_toml(path)
    # 6 Gb/s of messages are 6.29 Gb/s inside of a switch, whose frames have neither preamble nor gap.
    assert f'capacity = "{6 * 1518 / 1448:.9f} Gb/s"' in text
    assert 'delay = "550 us"\ndelay_back = "50 us"' in text
    check_rates(tmp_path, path)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f'<cluster {CLUSTER} topology="TORUS" topo_parameters="4,3"/>', "node-0.lan +1"),
        (
            f'<cluster {CLUSTER} topology="FAT_TREE" topo_parameters="2;3,4;1,2;1,1"/>',
            "not that of a link or switch in a tree",
        ),
        (ZONE.format(rate="3Gbps", policy="SHARED"), "three: both directions share it"),
        (ZONE.format(rate="3Gbps", policy="FATPIPE"), "three: a FATPIPE"),
        (ZONE.format(rate="3Gbps", policy="SPLITDUPLEX").replace("b1", "b(1)"), "b(1)"),
        (
            ZONE.format(rate="3Gbps", policy="SPLITDUPLEX").replace(
                '<route src="a1" dst="b1">', '<route src="a1" dst="b1" symmetrical="NO">'
            ),
            "no way from b1 to a1",
        ),
    ],
)
def test_what_is_no_tree_is_refused_with_the_way_out(tmp_path: Path, body: str, why: str) -> None:
    error = refusal_of(write(tmp_path, body))
    assert why in error.message
    assert "--on sim:" in (error.hint or "")


@pytest.mark.parametrize(
    ("first", "other", "is_tree"), [(BACKBONE, "", True), ("", BACKBONE, False)]
)
def test_a_backbone_is_written_where_it_is_or_not_at_all(
    tmp_path: Path, first: str, other: str, is_tree: bool
) -> None:
    """In a fabric file only the root lets all that passes it share: of two clusters alike the first."""
    body = '<zone id="w" routing="Full">'
    for name, more in (("a", first), ("b", other)):
        body += f'<cluster id="{name}" prefix="{name}" suffix="" radical="0-3" speed="1Gf" bw="1Gbps" lat="0" {more}/>'
    body += """<link id="l" bandwidth="2Gbps" latency="5us" sharing_policy="SPLITDUPLEX"/>
<zoneRoute src="a" dst="b" gw_src="aa_router" gw_dst="bb_router"><link_ctn id="l" direction="UP"/></zoneRoute></zone>"""
    platform = write(tmp_path, body)
    if is_tree:
        check_rates(tmp_path, platform)
    else:
        assert "b backbone: both directions share it" in refusal_of(platform).message


def test_a_fat_tree_with_one_parent_each_is_a_tree(tmp_path: Path) -> None:
    shape = 'topology="FAT_TREE" topo_parameters="2;4,3;1,1;1,1"'
    check_rates(tmp_path, write(tmp_path, f"<cluster {CLUSTER} {shape}/>"))


def test_other_formats_and_missing_files_are_refused(tmp_path: Path) -> None:
    refusal("fabric", "import", "dot", tmp_path / "x.dot")
    assert "none.xml" in refusal("fabric", "import", "simgrid", tmp_path / "none.xml")
