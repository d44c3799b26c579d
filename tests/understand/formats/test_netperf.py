"""netperf's shapes, which its manual and published outputs show: Debian does not carry it, so none is from here."""

from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps, refusal, warned
from support.paths import DATA

STREAM = (DATA / "published/netperf_stream.txt").read_text()
UDP = (DATA / "published/netperf_udp.txt").read_text()
RR = (DATA / "published/netperf_rr.txt").read_text()
KEYS = (DATA / "published/netperf_keys.txt").read_text()
CSV = (DATA / "published/netperf_csv.txt").read_text()


@pytest.mark.parametrize(
    ("text", "rates", "times"),
    [
        (STREAM, {16384: 915.55}, {}),
        # Of UDP what arrived counts.
        (UDP, {1024: 492201 * 1024 * 8e-6 / 10}, {}),
        # A transaction is a round trip.
        (RR, {}, {64: 0.5e6 / 5595.35}),
        # Selected outputs are read by their names.
        (KEYS, {}, {8: 10.0}),
        (CSV, {65536: 408.78}, {}),
    ],
    ids=["stream", "udp", "rr", "keys", "csv"],
)
def test_rates_are_decimal_and_transactions_are_round_trips(
    tmp_path: Path, text: str, rates: dict[int, float], times: dict[int, float]
) -> None:
    run = imported(tmp_path, "netperf", text)
    assert rates_mbps(run) == pytest.approx(rates, rel=1e-6)
    assert latencies_us(run) == pytest.approx(times, rel=1e-6)
    assert run.meta.plan.steps[0].transport == ("udp" if text == UDP else "tcp")


def test_three_runs_of_each_are_three_launches(tmp_path: Path) -> None:
    run = imported(tmp_path, "netperf", (STREAM + RR) * 3)
    assert run.meta.plan.launches == 3 and len(run.meta.plan.steps) == 2
    assert "one-launch" not in warned(run)


def test_unequal_sizes_and_connections_are_refused(tmp_path: Path) -> None:
    unequal = refusal(tmp_path, "netperf", RR.replace("64       64 ", "32       1024 "))
    assert "line 7: requests of 32 and responses of 1024" in unequal.message
    crr = RR.replace("REQUEST/RESPONSE", "Connect/Request/Response")
    assert "only Connect/Request/Response" in refusal(tmp_path, "netperf", crr).message


def test_a_missed_confidence_is_told(tmp_path: Path) -> None:
    said = "Desired confidence was not achieved"
    warning = f"!!! WARNING\n!!! {said} within the specified iterations.\nRecv\n"
    run = imported(tmp_path, "netperf", STREAM.replace("Recv   Send    Send\n", warning, 1))
    assert any(said in one.message for one in run.meta.warnings)
