"""The judgement over recorded facts."""

import json

import msgspec
import pytest
from msgspec.structs import replace

from support.made.recorded_cluster import Cluster
from weft.faces.cli.output import plain
from weft.measure.execute.mpi.trial import MpiTrial
from weft.operate.preflight.assess import CheckVerdict, judge
from weft.operate.preflight.finding import Finding
from weft.operate.preflight.link import slot_gbps
from weft.operate.preflight.mpi import describe_mpi
from weft.operate.preflight.probe import distances
from weft.operate.preflight.record import ClusterRecord


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def only(verdict: CheckVerdict) -> Finding:
    (finding,) = verdict.findings
    assert finding.message and finding.hint
    return finding


def test_a_good_cluster_has_nothing_odd_and_its_record_survives_json(cluster: Cluster) -> None:
    record = cluster.record()
    verdict = judge(record)
    assert verdict.can_run and not verdict.findings
    assert msgspec.json.decode(json.dumps(record.to_json()), type=ClusterRecord) == record


def test_a_node_without_an_agent_stops_the_run(cluster: Cluster) -> None:
    dead = {"failure": "the agent ended with status 1", "interfaces": [], "system": {}}
    cluster.nodes["n3"] |= dead
    cluster.paths = {ends: path for ends, path in cluster.paths.items() if "n3" not in ends}
    verdict = judge(cluster.record())
    finding = only(verdict)
    assert not verdict.can_run
    assert (finding.code, finding.kind, finding.nodes) == ("no-agent", "failure", ("n3",))
    assert "n3: the agent ended" in finding.message


def test_a_dead_data_network_is_blamed_on_the_node_that_all_miss(cluster: Cluster) -> None:
    missing = ("round_trip_us", "clock_offset_us", "clock_error_us", "mtu_bytes")
    for path in cluster.ways_of("n2"):
        path |= {"connect_error": "Connection timed out", "datagram_error": "no answer"}
        path |= {"answered": 0} | dict.fromkeys(missing)
    verdict = judge(cluster.record())
    finding = only(verdict)
    assert not verdict.can_run and finding.nodes == ("n2",)
    assert "6 of 6 connections" in finding.message and "control network is up" in finding.hint


def test_an_address_that_no_interface_has_or_a_port_that_is_taken_is_a_failure() -> None:
    cluster = Cluster()
    cluster.nodes["n1"]["interfaces"] = [None]
    assert only(judge(cluster.record())).code == "no-interface"
    cluster = Cluster()
    cluster.nodes["n1"]["complaint"] = "Address already in use"
    finding = only(judge(cluster.record()))
    assert (finding.code, finding.kind) == ("cannot-listen", "failure")


def test_an_interface_that_is_down_is_a_failure_unless_it_carries(cluster: Cluster) -> None:
    cluster.interface("n1")["up"] = False
    assert not judge(cluster.record()).findings
    for path in cluster.ways_of("n1"):
        path["connect_error"] = "Network is unreachable"
    # Datagrams are answered still.
    assert only(judge(cluster.record())).code == "unreachable"
    for path in cluster.ways_of("n1"):
        path["answered"] = 0
    found = [finding.code for finding in judge(cluster.record()).findings]
    assert found[:2] == ["no-interface", "unreachable"]


def test_a_smaller_mtu_is_a_difference_with_the_command(cluster: Cluster) -> None:
    cluster.interface("n4")["mtu_bytes"] = 1500
    for path in cluster.ways_of("n4"):
        path["mtu_bytes"] = 1500
    finding = only(judge(cluster.record()))
    assert (finding.code, finding.kind, finding.nodes) == ("differs-mtu", "difference", ("n4",))
    assert "MTU is 1500 on n4, 9000 on n1, n2, n3" in finding.message
    assert finding.hint.endswith("ip link set ens1 mtu 9000")


def test_a_switch_that_drops_large_packets_is_found(cluster: Cluster) -> None:
    for path in cluster.paths.values():
        path["mtu_bytes"] = 1500
    found = list(judge(cluster.record()).findings)
    assert {finding.code for finding in found} == {"path-mtu"}
    assert "packets over 1500 bytes do not get through" in found[0].message
    assert "both interfaces take 9000" in found[0].message


def test_differences_come_before_warnings_and_after_failures(cluster: Cluster) -> None:
    for name in cluster.nodes:
        cluster.nodes[name]["system"]["governors"] = ["schedutil"]
    cluster.settings("n2")["tcp_wmem_max"] = 65536
    cluster.nodes["n3"]["interfaces"] = [None]
    verdict = judge(cluster.record())
    kinds = [finding.kind for finding in verdict.findings]
    assert kinds == sorted(kinds, key=["failure", "difference", "warning"].index)
    assert set(kinds) == {"failure", "difference", "warning"}
    # Findings are data.
    document = plain(verdict.to_json())
    assert document["can_run"] is False
    assert set(document["findings"][0]) == {"code", "message", "hint", "kind", "nodes"}
    assert len(document["nodes"]) == 4 and len(document["paths"]) == 12


def test_buffers_are_held_against_rate_times_delay(cluster: Cluster) -> None:
    for path in cluster.paths.values():
        path["round_trip_us"] = 2000.0
    found = judge(cluster.record()).findings
    assert {finding.code for finding in found} == {"buffer"} and len(found) == 8
    # 100 Gb/s over 2 ms are 25,000,000 bytes, and half of a buffer is data.
    assert "need 50000000" in found[0].message
    assert "34% of the rate" in found[0].hint and "50000000" in found[0].hint
    # Made-up speeds have no product.
    for name in cluster.nodes:
        cluster.interface(name)["driver"] = "veth"
    assert not judge(cluster.record()).findings


@pytest.mark.parametrize(
    ("speed", "width", "expected_gbps"),
    [("2.5 GT/s PCIe", 1, 1.72), ("8.0 GT/s PCIe", 8, 54.2), ("16.0 GT/s PCIe", 16, 216.8)],
)
def test_a_slot_carries_its_lanes_less_codes_and_headers(
    speed: str, width: int, expected_gbps: float
) -> None:
    assert slot_gbps({"speed": speed, "width": width}) == pytest.approx(expected_gbps, rel=1e-3)


def test_a_card_with_too_few_lanes_is_named_with_what_it_carries(cluster: Cluster) -> None:
    for name in cluster.nodes:
        cluster.interface(name)["slot"] |= {"width": 8, "max_width": 8}
    finding = only(judge(cluster.record()))
    assert finding.code == "slot-too-narrow" and len(finding.nodes) == 4
    assert "x8 at 8.0 GT/s PCIe) carries 54.2 Gb/s, its link 100" in finding.message
    assert "lspci -s 0000:3b:00.0" in finding.hint


def test_lanes_that_are_not_used_half_duplex_and_other_kernels_are_told(cluster: Cluster) -> None:
    cluster.interface("n1")["slot"]["width"] = 4
    codes = [finding.code for finding in judge(cluster.record()).findings]
    assert codes == ["differs-pcie-width", "slot-too-narrow", "slot-reduced"]
    cluster = Cluster()
    cluster.interface("n1")["duplex"] = "half"
    cluster.nodes["n2"]["facts"]["kernel"] = "5.10.0"
    codes = [finding.code for finding in judge(cluster.record()).findings]
    assert codes == ["differs-kernel", "differs-duplex"]


def test_an_offload_off_on_one_node_is_told_once_and_on_all_once(cluster: Cluster) -> None:
    cluster.interface("n2")["offloads"]["tso"] = False
    finding = only(judge(cluster.record()))
    assert (finding.code, finding.hint) == ("differs-offload-tso", "ethtool -K ens1 tso on")
    for name in cluster.nodes:
        cluster.interface(name)["offloads"]["tso"] = False
    finding = only(judge(cluster.record()))
    assert finding.code == "offload-tso" and "n[1-4], ens1: tso is off" in finding.message


@pytest.mark.parametrize(("offset_us", "says"), [(3.2e6, "ahead of"), (-3.2e6, "behind")])
def test_a_clock_that_is_off_is_told_with_its_direction(
    cluster: Cluster, offset_us: float, says: str
) -> None:
    for path in cluster.ways_of("n3"):
        path["clock_offset_us"] = offset_us if path["dst"] == "n3" else -offset_us
    finding = only(judge(cluster.record()))
    assert finding.nodes == ("n3",) and f"3.2 s {says} " in finding.message


def test_a_clock_is_not_blamed_within_what_the_way_allows(cluster: Cluster) -> None:
    for path in cluster.ways_of("n3"):
        path |= {"clock_offset_us": 30_000.0, "clock_error_us": 25_000.0, "round_trip_us": 50.0}
    assert not judge(cluster.record()).findings


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("governors", ["powersave"], "governor"),
        ("busy", [0.0, 0.93], "busy"),
        ("open_files", 70, "open-files"),
    ],
)
def test_what_all_nodes_share_is_one_warning_each(
    cluster: Cluster, key: str, value: object, code: str
) -> None:
    for node in cluster.nodes.values():
        node["system"][key] = value
    found = judge(cluster.record())
    assert found.can_run and {finding.code for finding in found.findings} == {code}


def test_time_outs_memory_losses_and_errors_are_told(cluster: Cluster) -> None:
    for name, node in cluster.nodes.items():
        cluster.settings(name)["retries2"] = 3
        cluster.interface(name)["received_errors"] = 7
        node["system"]["numa_nodes"] = "0-1"
    cluster.paths["n1", "n2"]["answered"] = 6
    codes = {finding.code for finding in judge(cluster.record()).findings}
    assert codes == {"time-out", "receive-errors", "numa", "datagrams-lost"}


def test_few_nodes_try_all_and_many_some_both_ways() -> None:
    assert distances(1) == [] and distances(4) == [1, 2, 3]
    assert distances(32) == [1, 2, 4, 8, 16, 24, 28, 30, 31]
    assert len(distances(4096)) == 23


def test_an_mpi_that_does_not_work_is_named_with_what_is_missing(cluster: Cluster) -> None:
    broken = MpiTrial("openmpi", problem="mpicc cannot compile: no mpi.h", hint="libopenmpi-dev")
    record = replace(cluster.record(), mpi=[broken, MpiTrial("mpich", "4.0.2")])
    verdict = judge(record)
    finding = only(verdict)
    assert verdict.can_run and (finding.code, finding.hint) == ("mpi-unusable", "libopenmpi-dev")
    assert "Open MPI on this machine cannot be used: mpicc cannot" in finding.message
    assert describe_mpi([MpiTrial("mpich", "4.0.2")]).endswith("--transport mpi: MPICH 4.0.2")
    assert "libopenmpi-dev" in describe_mpi([])
    assert msgspec.json.decode(json.dumps(record.to_json()), type=ClusterRecord) == record
