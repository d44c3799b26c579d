"""perftest's shapes as published: it needs InfiniBand or RoCE, which is not here."""

from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps, refusal
from support.paths import DATA
from weft.understand.ensemble.rates import MedianRates
from weft.understand.formats.importers.imported import ImportOptions

LATENCY = (DATA / "published/perftest_latency.txt").read_text()
BANDWIDTH = (DATA / "published/perftest_bandwidth.txt").read_text()


def bandwidth(unit: str, both: str = "") -> str:
    return BANDWIDTH.replace("{}", both).replace("{0}", unit)


def test_latency_is_the_mean_of_half_the_round_trip(tmp_path: Path) -> None:
    run = imported(tmp_path, "perftest", LATENCY)
    assert latencies_us(run) == pytest.approx({2: 0.82, 4: 0.80})
    assert set(run.samples["messages"].to_pylist()) == {1000}
    assert "one-sided" not in [one.code for one in run.meta.warnings]
    assert run.meta.plan.steps[0].transport == "rdma"


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("RDMA_Write", "half the time of two writes"),
        ("RDMA_Read", "the time of the whole read"),
        ("Atomic", "the time of the whole operation"),
    ],
)
def test_one_sided_latency_says_what_it_is(tmp_path: Path, verb: str, what: str) -> None:
    run = imported(tmp_path, "perftest", LATENCY.replace("Send", verb))
    (said,) = [one.message for one in run.meta.warnings if one.code == "one-sided"]
    assert what in said and verb in said


@pytest.mark.parametrize(
    ("unit", "mbps"),
    [("MB/sec", 2.453164 * 4096 * 8), ("MiB/sec", 2.453164 * 4096 * 8), ("Gb/sec", 9582.67e3)],
)
def test_its_megabytes_are_binary_as_its_message_rate_proves_and_gigabits_decimal(
    tmp_path: Path, unit: str, mbps: float
) -> None:
    rates = rates_mbps(imported(tmp_path, "perftest", bandwidth(unit)))
    assert rates == pytest.approx({4096: mbps}, rel=1e-6)


def test_both_directions_are_divided(tmp_path: Path) -> None:
    run = imported(tmp_path, "perftest", bandwidth("MB/sec", " Bidirectional"))
    expected = 9582.67 * 2**20 * 8 / 1e6 / 2
    assert MedianRates.of(run).mbps.tolist() == pytest.approx([expected] * 2, rel=1e-6)


def test_a_cut_table_is_told_and_several_outputs_are_several_launches(tmp_path: Path) -> None:
    cut = LATENCY[: LATENCY.rindex(" 4  ") + 30]
    assert "line 12: the file ends inside this line" in refusal(tmp_path, "perftest", cut).message
    run = imported(tmp_path, "perftest", cut, ImportOptions(partial=True))
    assert latencies_us(run) == pytest.approx({2: 0.82}) and run.meta.status == "partial"
    (tmp_path / "all").mkdir()
    run = imported(tmp_path / "all", "perftest", LATENCY * 3 + bandwidth("MB/sec"))
    assert run.meta.plan.launches == 3 and len(run.meta.plan.steps) == 2
