"""perftest's shapes as published: it needs InfiniBand or RoCE, which is not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps, refusal
from weft.diagnose.ensemble.rates import Rates
from weft.formats.importers.imported import Options

RULE = "-" * 87 + "\n"
HEAD = """ Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Mtu             : 4096[B]
"""
LATENCY = (
    f"{RULE}                    Send Latency Test\n{HEAD}{RULE} local address: LID 0x01 QPN 0x0091\n{RULE}"
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
    "   99% percentile[usec]   99.9% percentile[usec] \n"
    "Conflicting CPU frequency values detected: 1500.000000 != 1663.676000. CPU Frequency is not max.\n"
    " 2       1000          0.79           5.30         0.81              0.82         0.12      0.84        5.30   \n"
    " 4       1000          0.77           3.43         0.79              0.80         0.03      0.82        3.43   \n"
    f"{RULE}"
)
BANDWIDTH = (
    f"{RULE}                    RDMA_Write{{}} BW Test\n{HEAD}{RULE}"
    " #bytes     #iterations    BW peak[{0}]    BW average[{0}]   MsgRate[Mpps]\n"
    " 4096       5000             9590.10            9582.67\t\t   2.453164\n"
    f"{RULE}"
)


def bandwidth(unit: str, both: str = "") -> str:
    return BANDWIDTH.replace("{}", both).replace("{0}", unit)


def test_latency_is_the_mean_of_half_the_round_trip(tmp_path: Path) -> None:
    run = imported(tmp_path, "perftest", LATENCY)
    assert latencies_us(run) == pytest.approx({2: 0.82, 4: 0.80})
    assert set(run.samples["messages"].to_pylist()) == {1000}
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


def test_latency_of_messages_needs_no_such_warning(tmp_path: Path) -> None:
    run = imported(tmp_path, "perftest", LATENCY)
    assert "one-sided" not in [one.code for one in run.meta.warnings]


@pytest.mark.parametrize("unit", ["MB/sec", "MiB/sec"])
def test_its_megabytes_are_binary_as_its_message_rate_proves(tmp_path: Path, unit: str) -> None:
    rates = rates_mbps(imported(tmp_path, "perftest", bandwidth(unit)))
    assert rates == pytest.approx({4096: 2.453164 * 4096 * 8}, rel=1e-6)


def test_gigabits_are_decimal(tmp_path: Path) -> None:
    rates = rates_mbps(imported(tmp_path, "perftest", bandwidth("Gb/sec")))
    assert rates == pytest.approx({4096: 9582.67e3}, rel=1e-6)


def test_both_directions_are_divided(tmp_path: Path) -> None:
    run = imported(tmp_path, "perftest", bandwidth("MB/sec", " Bidirectional"))
    expected = 9582.67 * 2**20 * 8 / 1e6 / 2
    assert Rates.of(run).mbps.tolist() == pytest.approx([expected] * 2, rel=1e-6)


def test_a_cut_table_is_told(tmp_path: Path) -> None:
    cut = LATENCY[: LATENCY.rindex(" 4  ") + 30]
    assert "line 12: the file ends inside this line" in refusal(tmp_path, "perftest", cut).message
    run = imported(tmp_path, "perftest", cut, Options(partial=True))
    assert latencies_us(run) == pytest.approx({2: 0.82}) and run.meta.status == "partial"


def test_several_outputs_are_several_launches(tmp_path: Path) -> None:
    run = imported(tmp_path, "perftest", LATENCY * 3 + bandwidth("MB/sec"))
    assert run.meta.plan.launches == 3 and len(run.meta.plan.steps) == 2
