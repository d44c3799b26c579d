"""Importing fabtests, in the shapes of its source (`show_perf`) and of published outputs of fi_pingpong."""

from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps, refusal
from support.paths import DATA
from weft.plan.pattern import Stream

PINGPONG = (DATA / "published/fabtests_pingpong.txt").read_text()
BENCHMARK = (DATA / "published/fabtests_benchmark.txt").read_text()
BANDWIDTH = (DATA / "published/fabtests_bandwidth.txt").read_text()
LISTED = (DATA / "published/fabtests_listed.txt").read_text()


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


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("64      10      =10 ", "64      ten     =ten", "line 2: no result"),
        # A time that is joined to its neighbour, and a header that does not begin its line.
        ("0.00s     21.69", "0.00s21.69", "line 2: no result"),
        ("bytes   #sent", "| bytes   #sent", "ends before the first row"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refusal(tmp_path, "fabtests", PINGPONG.replace(old, new)).message
