"""Importing ucx_perftest."""

from pathlib import Path

import pytest

from support.importing import DATA, imported, latencies_us, rates_mbps, refusal, warned
from weft.understand.formats.importers.imported import ImportOptions


def test_the_mean_over_all_iterations_is_half_a_round_trip(tmp_path: Path) -> None:
    """Of 'Final:', not of the lines before it, and not the mean of the last second."""
    run = imported(tmp_path, "ucx", "ucx_1.13_latency.txt")
    assert latencies_us(run) == pytest.approx({8: 59.493})
    assert "size-assumed" in warned(run)
    assert run.samples["messages"].to_pylist() == [20000]


def test_what_the_server_prints_says_the_size(tmp_path: Path) -> None:
    run = imported(tmp_path, "ucx", "ucx_1.13_sweep.txt")
    assert latencies_us(run) == pytest.approx({8: 5.548, 1024: 5.927, 65536: 45.081})
    assert rates_mbps(run) == pytest.approx({65536: 65536 * 8 / 32.4})
    assert "size-assumed" not in warned(run)
    (left_out,) = [one.message for one in run.meta.warnings if one.code == "left-out"]
    assert "get latency" in left_out, "a whole round trip of one side"


def test_a_size_that_the_rates_contradict_is_refused(tmp_path: Path) -> None:
    error = refusal(tmp_path, "ucx", "ucx_1.13_bandwidth.txt")
    assert "line 6: messages of 8 bytes do not give this bandwidth" in error.message
    assert "--size" in error.hint and "65534 and 65537" in error.hint
    options = ImportOptions(size_bytes=65536)
    rates = rates_mbps(imported(tmp_path, "ucx", "ucx_1.13_bandwidth.txt", options))
    assert rates == pytest.approx({65536: 65536 * 8 / 36.19})


def test_a_table_that_does_not_say_what_was_tested_is_refused(tmp_path: Path) -> None:
    assert "without -v" in refusal(tmp_path, "ucx", "ucx_1.13_v.txt").hint


def test_thousands_may_be_separated_but_a_decimal_comma_is_refused(tmp_path: Path) -> None:
    text = (DATA / "ucx_1.13_latency.txt").read_text()
    comma = refusal(tmp_path, "ucx", text.replace("59.493", "59,493"))
    assert "decimal comma" in comma.message
    separated = text.replace("20000      4.699", "20,000     4.699").replace("16809", "16,809")
    assert separated.count(",") == 2
    assert latencies_us(imported(tmp_path, "ucx", separated)) == pytest.approx({8: 59.493})


@pytest.mark.parametrize("lines", [4, 6])
def test_a_table_without_its_final_row_was_cut(tmp_path: Path, lines: int) -> None:
    whole = (DATA / "ucx_1.13_latency.txt").read_text().splitlines(keepends=True)
    text = "".join(whole[:lines])
    assert "before the final row" in refusal(tmp_path, "ucx", text).message
