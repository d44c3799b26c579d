"""Importing fabtests, in the shapes of its source (`show_perf`) and of published outputs of fi_pingpong."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps, refusal
from weft.plan.pattern import Stream

PINGPONG = """\
bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
64      10      =10      1.2k        0.00s     21.69       2.95       0.34
256     10      =10      5k          0.00s    116.36       2.20       0.45
4k      10      =10      80k         0.00s   1077.89       3.80       0.26
1m      10      =10      20m         0.00s   8867.45     118.25       0.01
"""
BENCHMARK = """\
bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
64      10k     1.2m        0.02s     72.31       0.89       1.13
1k      10k     19m         0.02s    943.78       1.08       0.92
"""
BANDWIDTH = """\
name                                              bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
rdm_tagged_bw                                     4k      1k      250m        0.10s   2621.44       1.56       0.64
"""
LISTED = """\
---
/usr/bin/fi_rdm_pingpong -m 10.0.0.2 :
- { xfer_size: 64, iterations: 10000, total: 1280000, time: 0.017702, MB/sec: 72.31, usec/xfer: 0.89, Mxfers/sec: 1.13 }
- { xfer_size: 1000, iterations: 10000, total: 20000000, time: 0.02, MB/sec: 1000.00, usec/xfer: 1.00, Mxfers/sec: 1 }
"""


def test_a_transfer_of_a_pingpong_is_half_a_round_trip(tmp_path: Path) -> None:
    """From the column with more digits: at 64 B the rate."""
    found = latencies_us(imported(tmp_path, "fabtests", PINGPONG))
    expected = {64: 64 / 21.69, 256: 256 / 116.36, 4096: 3.8, 1 << 20: 118.25}
    assert found == pytest.approx(expected, rel=1e-4)


def test_two_transfers_an_iteration_are_a_pingpong(tmp_path: Path) -> None:
    run = imported(tmp_path, "fabtests", BENCHMARK)
    assert latencies_us(run) == pytest.approx({64: 64 / 72.31, 1024: 1024 / 943.78})
    assert run.samples["messages"].to_pylist() == [10_000, 10_000]


def test_a_window_of_transfers_is_a_stream(tmp_path: Path) -> None:
    run = imported(tmp_path, "fabtests", BANDWIDTH)
    assert rates_mbps(run) == pytest.approx({4096: 8 * 2621.44})
    assert run.meta.plan.steps[0].pattern == Stream(window=64)


def test_lines_of_m_are_whole_numbers_and_name_the_program(tmp_path: Path) -> None:
    run = imported(tmp_path, "fabtests", LISTED)
    assert latencies_us(run) == pytest.approx({64: 64 / 72.31, 1000: 1.0})
    assert run.meta.plan.steps[0].name == "fi-rdm-pingpong"


def test_several_outputs_are_launches(tmp_path: Path) -> None:
    assert imported(tmp_path, "fabtests", PINGPONG * 3).meta.plan.launches == 3


@pytest.mark.parametrize("source", [PINGPONG, LISTED])
def test_a_file_that_ends_inside_a_line_was_cut(tmp_path: Path, source: str) -> None:
    error = refusal(tmp_path, "fabtests", source[:-20])
    assert "ends inside this line" in error.message and "--partial" in error.hint


def test_a_row_without_a_result_is_refused(tmp_path: Path) -> None:
    text = PINGPONG.replace("64      10      =10 ", "64      ten     =ten")
    assert "line 2: no result" in refusal(tmp_path, "fabtests", text).message


def test_a_time_that_is_joined_to_its_neighbour_is_refused(tmp_path: Path) -> None:
    text = PINGPONG.replace("0.00s     21.69", "0.00s21.69")
    assert "line 2: no result" in refusal(tmp_path, "fabtests", text).message


def test_a_table_whose_header_does_not_begin_its_line_has_no_results(tmp_path: Path) -> None:
    text = PINGPONG.replace("bytes   #sent", "| bytes   #sent")
    assert "ends before the first row" in refusal(tmp_path, "fabtests", text).message
