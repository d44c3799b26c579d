"""Files as people have them: logs, other units, tests that failed. The right values stand in public reports."""

from pathlib import Path

import pytest

from support.importing import DATA, imported, latencies_us, rates_mbps, refusal, warned
from weft.runs.folder import RunFolder
from weft.understand.formats.importers.imported import ImportOptions


def of(directory: Path, format: str, name: str, options: ImportOptions | None = None) -> RunFolder:
    return imported(directory, format, f"reports/{name}", options)


def message(run: RunFolder, code: str) -> str:
    [found] = [one.message for one in run.meta.warnings if one.code == code]
    return found


def test_netperf_s_unit_is_that_of_its_header(tmp_path: Path) -> None:
    """1121.55 MBytes/s of 2^20 bytes."""
    rates = rates_mbps(of(tmp_path, "netperf", "netperf_mbytes.txt"))
    assert rates == {16384: pytest.approx(1121.55 * 2**20 * 8 / 1e6, rel=1e-4)}


def test_requests_in_flight_at_once_share_the_time(tmp_path: Path) -> None:
    """-b 16: 17 are on their way, so a round trip takes 17 / 238,511 s."""
    run = of(tmp_path, "netperf", "netperf_rr_burst.txt")
    assert latencies_us(run) == {1024: pytest.approx(35.6, abs=0.05)}
    assert run.meta.source and run.meta.source["tests"][0]["in_flight"] == 17


def test_a_rate_in_bits_a_second_is_not_taken_for_transactions(tmp_path: Path) -> None:
    run = of(tmp_path, "netperf", "netperf_rr_keys_f_m.txt")
    assert latencies_us(run) == {1: pytest.approx(78.26 / 2, rel=1e-3)}
    assert "THROUGHPUT=75.78 is not transactions" in message(run, "netperf-says")


KEYS = """MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to 10.3.0.9 () port 0 AF_INET : demo
THROUGHPUT=12000
"""


def test_a_rate_of_transactions_is_held_against_its_unit_and_mean_latency(tmp_path: Path) -> None:
    assert "THROUGHPUT has no unit" in refusal(tmp_path, "netperf", KEYS).message
    sure = KEYS + "THROUGHPUT_UNITS=Trans/s\n"
    contradiction = refusal(tmp_path, "netperf", sure + "MEAN_LATENCY=40\n")
    assert "contradict each other" in contradiction.message
    agreed = imported(tmp_path, "netperf", sure + "MEAN_LATENCY=83.1\n")
    assert latencies_us(agreed) == {1: pytest.approx(0.5e6 / 12000, rel=1e-4)}


def test_tests_between_prompts_are_launches_with_their_commands(tmp_path: Path) -> None:
    run = of(tmp_path, "netperf", "netperf_prompts.txt")
    assert run.meta.plan.launches == 2 and run.meta.status == "complete"
    rates = sorted(
        8e3 * row["size_bytes"] * row["messages"] / row["elapsed_ns"]
        for row in run.samples.to_pylist()
    )
    assert rates == [pytest.approx(9406.44, rel=1e-4), pytest.approx(9412.12, rel=1e-4)]
    assert run.meta.source
    first, second = run.meta.source["tests"]
    assert "-I 99" in first["command"] and "-l 30" in second["command"]
    assert first["send_socket_bytes"] == "16384"


@pytest.mark.parametrize("name", ["qperf_conf_last.txt", "qperf_conf_cpu.txt"])
def test_qperf_s_conf_is_about_the_nodes(tmp_path: Path, name: str) -> None:
    run = of(tmp_path, "qperf", name)
    assert latencies_us(run) == {1: pytest.approx(22.5)}
    assert rates_mbps(run) == {65536: pytest.approx(1.17e3 * 8, rel=1e-4)}
    assert [node["name"] for node in run.meta.nodes] == ["n1", "n2"]
    facts = {"cpus": 16, "cpu_model": "Intel Xeon @ 2.60GHz", "kernel": "3.10.0"}
    assert all(node["facts"] == facts for node in run.meta.nodes)


def test_qperf_s_sizes_over_rdma_are_its_defaults(tmp_path: Path) -> None:
    run = of(tmp_path, "qperf", "qperf_rdma_lat.txt")
    sizes = {"latency": set(), "rate": set()}
    for step in run.meta.plan.steps:
        sizes["rate" if step.pattern.kind == "stream" else "latency"].update(step.sizes.bytes)
    assert sizes == {"latency": {1}, "rate": {65536}}
    halves_us = [
        row["elapsed_ns"] / row["messages"] / 2e3
        for row in run.samples.to_pylist()
        if row["size_bytes"] == 1
    ]
    assert sorted(halves_us) == [pytest.approx(us, rel=1e-4) for us in (12.2, 12.8, 21.4)]
    assert "-m" in next(one.hint for one in run.meta.warnings if one.code == "size-assumed")


def test_a_size_that_would_beat_the_measured_bandwidth_is_refused(tmp_path: Path) -> None:
    options = ImportOptions(size_bytes=65536)
    error = refusal(tmp_path, "qperf", "reports/qperf_rdma_lat.txt", options)
    assert "43 Gb/s" in error.message and "37.4 Gb/s" in error.message


def test_a_row_of_which_validation_failed_is_no_result(tmp_path: Path) -> None:
    run = of(tmp_path, "osu", "osu_latency_validation.txt")
    assert sorted(latencies_us(run)) == [1, 1024, 1048576]
    assert "line 8" in message(run, "validation-failed")
    assert "DEVICE" in message(run, "device-memory")


def test_results_are_found_in_a_log_of_several_programs(tmp_path: Path) -> None:
    run = of(tmp_path, "osu", "osu_all_spack_log.txt")
    assert latencies_us(run)[1048576] == pytest.approx(119.65)
    names = [step.name for step in run.meta.plan.steps]
    assert len(names) == 3 and "multiple" in names[2] and "bi-directional" in names[0]
    assert "Hello World, MPI Init" in message(run, "left-out")
    assert message(run, "passed-over").startswith("4 lines were passed over")


def test_warnings_of_an_mpi_around_and_behind_a_table_are_passed_over(tmp_path: Path) -> None:
    run = of(tmp_path, "osu", "osu_latency_warn.txt")
    assert latencies_us(run) == {
        size: pytest.approx(us) for size, us in ((1, 1.31), (2, 1.30), (1048576, 120.01))
    }
    assert "7 lines" in message(run, "passed-over") or "6 lines" in message(run, "passed-over")


def test_start_up_lines_of_an_mpi_are_passed_over(tmp_path: Path) -> None:
    run = of(tmp_path, "osu", "osu_mbw_mr_impi_debug.txt")
    assert len(run.meta.nodes) == 30
    rates = [
        8e3 * row["size_bytes"] * row["messages"] / row["elapsed_ns"]
        for row in run.samples.to_pylist()
        if row["size_bytes"] == 1024
    ]
    assert len(rates) == 15 and sum(rates) == pytest.approx(6212.0 * 8, rel=1e-4)


def test_device_memory_is_said(tmp_path: Path) -> None:
    run = of(tmp_path, "osu", "osu_cuda_DD.txt")
    assert rates_mbps(run)[33554432] == pytest.approx(93130.52 * 8, rel=1e-4)
    assert "Send Buffer on DEVICE" in message(run, "device-memory")


def test_a_collective_is_called_one_and_too_few_processes_are_told(tmp_path: Path) -> None:
    assert "a collective" in refusal(tmp_path, "osu", "reports/osu_allreduce.txt").message
    error = refusal(tmp_path, "osu", "reports/osu_two_processes.txt")
    assert "OSU printed no result" in error.message and "two processes" in error.message


def test_one_label_before_all_lines_is_taken_off(tmp_path: Path) -> None:
    run = of(tmp_path, "sockperf", "sockperf_prefixed.txt")
    assert latencies_us(run) == {14: pytest.approx(88.612, rel=1e-4)}
    assert run.meta.source and run.meta.source["label"] == "[OUTPUT]"


OSU = """# OSU MPI Latency Test v7.4
# Size          Latency (us)
1                       1.31
1024                    2.50
"""


@pytest.mark.parametrize("label", ["[1,0]<stdout>:", "0: ", "[node-a:0]: ", "[1,0]<stdout>: "])
def test_labels_of_launchers_are_taken_off_and_others_lines_counted(
    tmp_path: Path, label: str
) -> None:
    log = "".join(f"{label}{line}\n" for line in OSU.splitlines())
    run = imported(tmp_path, "osu", f"{log}[1,1]<stderr>:a warning of rank 1\n")
    assert latencies_us(run) == {1: pytest.approx(1.31), 1024: pytest.approx(2.5)}
    assert "a warning of rank 1" in message(run, "passed-over")


@pytest.mark.parametrize("label", ["[1,0]<stdout>:", "0: ", "[1,0]<stdout>:[OUTPUT] "])
@pytest.mark.parametrize(
    ("tool", "name", "rate"),
    [("iperf3", "iperf37_bidir.json", 939), ("perftest", "ib_write_bw_json.json", 394_020)],
)
def test_labels_before_json_are_taken_off(
    tmp_path: Path, label: str, tool: str, name: str, rate: float
) -> None:
    text = (DATA / "reports" / name).read_text()
    log = "".join(f"{label}{line}\n" for line in text.splitlines())
    run = imported(tmp_path, tool, f"{log}[1,1]<stderr>:a warning of rank 1\n")
    assert max(rates(run)) == pytest.approx(rate, rel=1e-3)
    assert "a warning of rank 1" in message(run, "passed-over")


def test_what_stands_around_perftest_s_json_is_passed_over(tmp_path: Path) -> None:
    text = (DATA / "reports/ib_write_bw_json.json").read_text()
    run = imported(tmp_path, "perftest", f"$ ib_write_bw --out_json\n{text}$ exit\n")
    assert rates(run) == [pytest.approx(394_020, rel=1e-3)]
    assert "2 lines" in message(run, "passed-over")


def test_json_without_its_beginning_is_refused(tmp_path: Path) -> None:
    error = refusal(tmp_path, "perftest", '"n_iterations": 5\n}\n')
    assert "line 1: not perftest's JSON" in error.message


def test_a_host_that_fping_could_not_look_up_is_named(tmp_path: Path) -> None:
    run = of(tmp_path, "fping", "fping_C_icmp_errors.txt")
    assert "n9 was not probed: Name or service not known" in message(run, "passed-over")


def test_both_directions_of_iperf3_are_taken_where_their_keys_are_alike(tmp_path: Path) -> None:
    run = of(tmp_path, "iperf3", "iperf37_bidir.json")
    one, other = (step.name for step in run.meta.plan.steps)
    assert one == "tcp-client-to-server" and other.startswith("tcp-server-to-client")
    assert rates(run) == [pytest.approx(500, rel=1e-3), pytest.approx(939, rel=1e-3)]


def test_a_warning_before_iperf3_s_json_is_passed_over(tmp_path: Path) -> None:
    run = of(tmp_path, "iperf3", "iperf312_bidir_warn.json")
    assert rates(run) == [pytest.approx(909.87, rel=1e-4), pytest.approx(926.12, rel=1e-4)]
    assert "--bidir option is in use" in message(run, "passed-over")


def test_an_error_behind_iperf3_s_json_is_told(tmp_path: Path) -> None:
    run = of(tmp_path, "iperf3", "iperf3_trailing_error.json")
    assert rates(run) == [pytest.approx(940.8, rel=1e-4)]
    assert "line 93" in message(run, "iperf3-says") and "passed-over" not in warned(run)


def test_perftest_s_json_has_the_unit_that_its_message_rate_tells(tmp_path: Path) -> None:
    run = of(tmp_path, "perftest", "ib_write_bw_json.json")
    assert rates(run) == [pytest.approx(394_020, rel=1e-4)]
    assert run.meta.source and run.meta.source["tests"][0]["Device"] == "mlx5_0"
    changed = (DATA / "reports/ib_write_bw_json.json").read_text().replace("0.751534", "0.5")
    other = tmp_path / "other"
    other.mkdir()
    assert "in no unit that perftest has" in refusal(other, "perftest", changed).message


def rates(run: RunFolder) -> list[float]:
    """Of all rows, in Mb/s."""
    return sorted(
        8e3 * row["size_bytes"] * row["messages"] / row["elapsed_ns"]
        for row in run.samples.to_pylist()
    )
