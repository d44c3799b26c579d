"""netperf's shapes, which its manual and published outputs show: Debian does not carry it, so none is from here."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps, refusal, warned

STREAM = """\
MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : demo
Recv   Send    Send
Socket Socket  Message  Elapsed
Size   Size    Size     Time     Throughput
bytes  bytes   bytes    secs.    10^6bits/sec

131072  16384  16384    10.03     915.55
"""
UDP = """\
MIGRATED UDP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET
Socket  Message  Elapsed      Messages
Size    Size     Time         Okay Errors   Throughput
bytes   bytes    secs            #      #   10^6bits/sec

212992    1024   10.00      492775      0     403.67
212992           10.00      492201            403.20
"""
RR = """\
MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : first burst 0
Local /Remote
Socket Size   Request  Resp.   Elapsed  Trans.
Send   Recv   Size     Size    Time     Rate
bytes  Bytes  bytes    bytes   secs.    per sec

16384  87380  64       64      10.00    5595.35
16384  87380
"""
KEYS = """\
MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : first burst 0
THROUGHPUT=50000.00
THROUGHPUT_UNITS=Trans/s
REQUEST_SIZE=8
"""
CSV = """\
MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 20005 AF_INET : histogram
Throughput,Throughput Units,Local Send Size
408.78,10^6bits/s,65536
"""


def test_a_stream_is_in_decimal_megabits(tmp_path: Path) -> None:
    run = imported(tmp_path, "netperf", STREAM)
    assert rates_mbps(run) == pytest.approx({16384: 915.55}, rel=1e-6)
    assert run.meta.plan.steps[0].transport == "tcp"


def test_of_udp_what_arrived_counts(tmp_path: Path) -> None:
    assert rates_mbps(imported(tmp_path, "netperf", UDP)) == pytest.approx({1024: 403.2}, rel=1e-4)


def test_a_transaction_is_a_round_trip(tmp_path: Path) -> None:
    expected = {64: 0.5e6 / 5595.35}
    assert latencies_us(imported(tmp_path, "netperf", RR)) == pytest.approx(expected, rel=1e-6)


def test_selected_outputs_are_read_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    keys = imported(tmp_path / "keys", "netperf", KEYS)
    assert latencies_us(keys) == pytest.approx({8: 10.0})
    assert rates_mbps(imported(tmp_path, "netperf", CSV)) == pytest.approx(
        {65536: 408.78}, rel=1e-6
    )


def test_three_runs_of_each_are_three_launches(tmp_path: Path) -> None:
    run = imported(tmp_path, "netperf", (STREAM + RR) * 3)
    assert run.meta.plan.launches == 3 and len(run.meta.plan.steps) == 2
    assert "one-launch" not in warned(run)


def test_unequal_sizes_and_connections_are_refused(tmp_path: Path) -> None:
    unequal = RR.replace("64       64 ", "32       1024 ")
    assert (
        "line 7: requests of 32 and responses of 1024"
        in refusal(tmp_path, "netperf", unequal).message
    )
    crr = RR.replace("REQUEST/RESPONSE", "Connect/Request/Response")
    assert "only Connect/Request/Response" in refusal(tmp_path, "netperf", crr).message


def test_a_missed_confidence_is_told(tmp_path: Path) -> None:
    warning = (
        "!!! WARNING\n!!! Desired confidence was not achieved within the specified iterations.\n"
    )
    run = imported(
        tmp_path, "netperf", STREAM.replace("Recv   Send    Send\n", warning + "Recv\n", 1)
    )
    assert any("Desired confidence was not achieved" in one.message for one in run.meta.warnings)
