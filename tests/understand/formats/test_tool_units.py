"""What each tool counts, against numbers of its real outputs."""

import json
from pathlib import Path

import pytest

from support.importing import DATA, imported, latencies_us, rates_mbps, refusal, warned
from weft.runs.folder import RunFolder
from weft.understand.ensemble.rates import MedianRates
from weft.understand.formats.importers.imported import ImportOptions


def test_osu_latency_is_the_mean_half_round_trip_and_bandwidth_in_decimal_megabytes(
    tmp_path: Path,
) -> None:
    run = imported(tmp_path / "latency", "osu", DATA / "osu_latency_7.4.txt")
    expected = {1: 0.38, 2: 3.26, 4: 3.59, 8: 4.52, 16: 2.34, 32: 9.15, 64: 1.80}
    assert latencies_us(run) == pytest.approx(expected)
    assert run.meta.statistic == "mean"
    rates = rates_mbps(imported(tmp_path / "bandwidth", "osu", DATA / "osu_bw_7.4.txt"))
    assert rates[1] == pytest.approx(9.54 * 8, rel=1e-6)
    assert rates[64] == pytest.approx(463.59 * 8, rel=1e-6)


def test_osu_rates_of_several_pairs_are_divided_among_them(tmp_path: Path) -> None:
    run = imported(tmp_path, "osu", "osu_mbw_mr_7.4.txt")
    rates = MedianRates.of(run)
    largest = rates.where(rates.size == 64)
    ends = set(zip(largest.src.tolist(), largest.dst.tolist(), strict=True))
    assert ends == {(0, 2), (1, 3)}
    assert largest.mbps.tolist() == pytest.approx([484.98 * 8 / 2] * 2, rel=1e-6)


def test_osu_both_directions_are_divided_too_and_collectives_are_named(tmp_path: Path) -> None:
    text = (
        "# OSU MPI Bi-Directional Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n8   100.00\n\n"
        "# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n4   1.00\n"
    )
    run = imported(tmp_path, "osu", text)
    assert MedianRates.of(run).mbps.tolist() == pytest.approx([400.0, 400.0])
    assert "left-out" in warned(run)


def test_imb_pingpong_is_one_way_and_sendrecv_counts_once(tmp_path: Path) -> None:
    run = imported(tmp_path, "imb", "imb_mpi1.txt")
    assert latencies_us(run) == pytest.approx({1: 0.36, 2: 0.36, 4: 0.37, 8: 0.37, 16: 0.44})
    ring = MedianRates.of(run).where(MedianRates.of(run).step == 1)
    both = ring.where(ring.size == 16).mbps.tolist()
    assert sum(both) == pytest.approx(67.17 * 8, rel=0.01), "IMB's Mbytes/sec is of both"
    assert "no-bytes" in warned(run)
    assert run.meta.source is not None
    assert run.meta.source["tests"][0]["empty_message_ns"] == [700.0]


def test_iperf3_counts_what_arrived(tmp_path: Path) -> None:
    document = json.loads((DATA / "iperf3_3.12_p2.json").read_text())
    received = document["end"]["sum_received"]
    assert received["bytes"] < document["end"]["sum_sent"]["bytes"]
    run = imported(tmp_path, "iperf3", "iperf3_3.12_p2.json")
    expected = received["bytes"] * 8 / received["seconds"] / 1e6
    assert rates_mbps(run) == pytest.approx({131072: expected}, rel=1e-6)


def test_iperf3_tells_directions_apart(tmp_path: Path) -> None:
    run = imported(tmp_path / "both", "iperf3", DATA / "iperf3_3.12_bidir.json")
    names = [step.name for step in run.meta.plan.steps]
    assert names == ["tcp-client-to-server", "tcp-server-to-client-2"]
    back = imported(tmp_path / "back", "iperf3", DATA / "iperf3_3.12_reverse.json")
    assert back.meta.plan.steps[0].name == "tcp-server-to-client"


def test_iperf3_udp_tells_losses(tmp_path: Path) -> None:
    text = (DATA / "iperf3_udp.json").read_text()
    lossy = text.replace('"lost_packets":\t0', '"lost_packets":\t19')
    run = imported(tmp_path, "iperf3", lossy)
    assert run.meta.plan.steps[0].transport == "udp"
    assert any("19 of 382 datagrams" in warning.message for warning in run.meta.warnings)


def test_iperf3_failures_and_texts_are_named(tmp_path: Path) -> None:
    assert "Connection refused" in refusal(tmp_path, "iperf3", "iperf3_3.12_error.json").message
    assert "-J" in refusal(tmp_path, "iperf3", "iperf3_3.12.txt").hint
    text = (DATA / "iperf3_tcp.json").read_text()
    odd = text.replace('"lost_percent":\t0', '"lost_percent":\t-nan')
    assert rates_mbps(imported(tmp_path, "iperf3", odd))


@pytest.mark.parametrize(
    ("name", "expected_us"),
    [("sockperf_pp.txt", 6.825), ("sockperf_3.7_rtt.txt", 69.980 / 2)],
)
def test_sockperf_is_half_the_round_trip_and_a_whole_one_is_halved(
    tmp_path: Path, name: str, expected_us: float
) -> None:
    run = imported(tmp_path, "sockperf", name)
    assert latencies_us(run) == pytest.approx({14: expected_us})
    assert "size-assumed" in warned(run)


def test_sockperf_throughput_says_its_size(tmp_path: Path) -> None:
    run = imported(tmp_path, "sockperf", "sockperf_3.7_tp.txt")
    assert rates_mbps(run) == pytest.approx({1024: 221669 * 1024 * 8 / 1e6}, rel=1e-6)


def test_sockperf_packets_are_rows(tmp_path: Path) -> None:
    refused = refusal(tmp_path, "sockperf", "sockperf_full_head.csv")
    assert "line 2000" in refused.message and "--partial" in refused.hint
    run = imported(tmp_path, "sockperf", "sockperf_full_head.csv", ImportOptions(partial=True))
    samples = run.samples.to_pydict()
    assert run.meta.statistic == "batch" and set(samples["size_bytes"]) == {64}
    assert samples["elapsed_ns"][:2] == [13290, 12910]
    assert samples["start_ns"][0] == 2419630987
    assert len(samples["batch"]) == len(set(samples["batch"])) == 1979


def test_qperf_takes_what_arrived_and_reads_exact_sizes(tmp_path: Path) -> None:
    run = imported(tmp_path / "plain", "qperf", DATA / "qperf_0.4.11.txt")
    assert latencies_us(run, "tcp") == pytest.approx({1: 33.5})
    assert rates_mbps(run, "tcp") == pytest.approx({65536: 3.41 * 8e3}, rel=1e-6)
    assert rates_mbps(run, "udp") == pytest.approx({32768: 6.54 * 8e3}, rel=1e-6)
    options = ImportOptions(size_bytes=1024)
    bits = imported(tmp_path / "bits", "qperf", DATA / "qperf_0.4.11_bits.txt", options)
    assert rates_mbps(bits) == pytest.approx({1024: 7370}, rel=1e-6)
    exact = imported(tmp_path / "exact", "qperf", DATA / "qperf_0.4.11_vv.txt")
    assert set(rates_mbps(exact)) == {65536} and "size-assumed" not in warned(exact)


def test_qperf_over_sizes_is_one_curve(tmp_path: Path) -> None:
    run = imported(tmp_path, "qperf", "qperf_0.4.11_sweep.txt")
    assert latencies_us(run) == pytest.approx({1: 33.1, 8: 30.8, 64: 32.1, 512: 38.0})
    assert run.meta.plan.launches == 1 and len(run.meta.plan.steps) == 1


def mpigraph_mbps(run: RunFolder) -> dict[tuple[int, int], float]:
    rates = MedianRates.of(run)
    ends = zip(rates.src.tolist(), rates.dst.tolist(), strict=True)
    return dict(zip(ends, rates.mbps.tolist(), strict=True))


def test_mpigraph_is_from_sender_to_receiver_in_binary_megabytes(tmp_path: Path) -> None:
    run = imported(tmp_path / "whole", "mpigraph", DATA / "mpigraph.out")
    found = mpigraph_mbps(run)
    assert len(found) == 12
    assert found[1, 0] == pytest.approx(3572.786 * 2**20 * 8 / 1e6, rel=1e-4)
    assert found[0, 3] == pytest.approx(11679.951 * 2**20 * 8 / 1e6, rel=1e-4)
    assert [node["name"] for node in run.meta.nodes] == ["vm:0", "vm:1", "vm:2", "vm:3"]
    # Cut in its second table it gives the first.
    text = (DATA / "mpigraph.out").read_text()
    cut = imported(
        tmp_path, "mpigraph", text[: text.index("vm:2 from")], ImportOptions(partial=True)
    )
    assert mpigraph_mbps(cut)[0, 3] == pytest.approx(10050.979 * 2**20 * 8 / 1e6, rel=1e-4)
    assert cut.meta.status == "partial"


def test_mpigraph_names_hosts_where_each_has_one_process(tmp_path: Path) -> None:
    text = (DATA / "mpigraph.out").read_text()
    for rank in range(4):
        text = text.replace(f"vm:{rank}", f"n{rank + 1}:{rank}")
    run = imported(tmp_path, "mpigraph", text)
    assert [node["name"] for node in run.meta.nodes] == ["n1", "n2", "n3", "n4"]


def test_fping_round_trips_are_halved_and_losses_told(tmp_path: Path) -> None:
    run = imported(tmp_path, "fping", "fping_5.1_loss.txt")
    names = [node["name"] for node in run.meta.nodes]
    assert names == ["here", "127.0.0.1", "127.0.0.2", "127.0.0.3"]
    samples = run.samples.to_pydict()
    assert samples["elapsed_ns"][:2] == [332000, 53000]
    assert [samples["dst"].count(node) for node in (1, 2, 3)] == [5, 3, 0]
    told = [warning.message for warning in run.meta.warnings if warning.code == "packets-lost"]
    assert told == ["127.0.0.2 lost 2 of 5 echoes", "127.0.0.3 never answered"]


def test_fping_replies_say_their_size(tmp_path: Path) -> None:
    run = imported(tmp_path, "fping", "fping_5.1_replies.txt")
    assert set(run.samples["size_bytes"].to_pylist()) == {56}
    assert "size-assumed" not in warned(run)


def test_neper_transactions_are_round_trips_on_both_sides(tmp_path: Path) -> None:
    client = imported(tmp_path / "client", "neper", DATA / "neper_tcp_rr.txt")
    expected_us = (1061.380631212 - 1060.380512613) / 54409 / 2 * 1e6
    assert latencies_us(client) == pytest.approx({1: expected_us}, rel=1e-6)
    server = imported(tmp_path / "server", "neper", DATA / "neper_srv.txt")
    assert latencies_us(server)[1] == pytest.approx(expected_us, rel=0.001)


def test_neper_samples_are_what_was_added_and_streams_have_their_unit(tmp_path: Path) -> None:
    run = imported(tmp_path, "neper", "neper_samples.csv")
    samples = run.samples.to_pydict()
    assert samples["messages"] == [26916, 10759, 8633, 8100, 7]
    assert samples["elapsed_ns"][0] == pytest.approx(400_003_197, abs=200)
    text = "buffer_size=16384\nnum_flows=1\ninvalid_secret_count=0\nthroughput=800.00\nthroughput_units=Mbit/s\n"
    (tmp_path / "stream").mkdir()
    rates = rates_mbps(imported(tmp_path / "stream", "neper", text))
    assert rates == pytest.approx({16384: 800.0}, rel=1e-6)


def test_netgauge_gives_medians_and_parameters_are_no_times(tmp_path: Path) -> None:
    error = refusal(tmp_path, "netgauge", "ng_loggp.stdout")
    assert "line 4: LogGP's parameters" in error.message and "PRTT(1,0,s)" in error.hint
    times = latencies_us(imported(tmp_path, "netgauge", "ng_oneone.stdout"))
    assert len(times) == 34
    assert times[4096] == pytest.approx(4096 * 8 / 12609.40, rel=1e-5)


def test_netgauge_files_have_round_trips_and_medians(tmp_path: Path) -> None:
    for name, text, times_us in (
        (
            "loggp",
            "# size n PRTT(1,0,s) PRTT(n,0,s)\n1 16 10.0 160.0\n1025 16 14.0 170.0\n",
            {1: 5.0, 1025: 7.0},
        ),
        (
            "mpi",
            "## Netgauge v2.4.6 - mode mpi - 2 processes\n"
            "8 - 1.00 1.10 1.05 9.00 (0.10 1) - 2.00 2.60 2.50 8.00 (0.10 1) - 1 2 3 4\n",
            {8: 2.5},
        ),
    ):
        (tmp_path / name).mkdir()
        assert latencies_us(imported(tmp_path / name, "netgauge", text)) == times_us
