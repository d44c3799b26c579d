"""Files of other monitors become series with every loss, at the time of each probe."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.importing import DATA
from weft.base.errors import RequestError
from weft.links.analysis.series import ProbeSeries
from weft.links.formats.read import read_probes
from weft.links.formats.source import ProbeOptions


def _read(path: Path, **options: Any) -> tuple[str, list[ProbeSeries], list[str]]:
    name, found = read_probes(path, ProbeOptions(**{"src": "a"} | options))
    return name, found.series, found.notes


def _series(path: Path, **options: Any) -> ProbeSeries:
    _, [series], _ = _read(path, **options)
    return series


def test_ping() -> None:
    name, [series], _ = _read(DATA / "ping_20221126_D.txt")
    assert (name, series.src, series.dst) == ("ping", "a", "127.0.0.1")
    assert series.rtt_s * 1e3 == pytest.approx([0.020, 0.069, 0.026, 0.026])
    assert set(series.size_bytes) == {56}
    assert series.start + series.time_s[0] == pytest.approx(1795482758.845285, abs=1e-5)


def test_ping_announces_losses() -> None:
    series = _series(DATA / "ping_20221126_D_lost.txt")
    assert series.lost.tolist() == [True] * 4  # "4 packets transmitted, 0 received"


def test_ping_numbers_that_wrap_or_are_missing_are_lost(tmp_path: Path) -> None:
    numbers = (65534, 65535, 0, 3)
    line = "[{}.5] 64 bytes from 10.0.0.2: icmp_seq={} ttl=64 time=0.5 ms\n"
    file = tmp_path / "ping.txt"
    file.write_text("".join(line.format(1795482700 + n % 65534, n) for n in numbers))
    series = _series(file)
    assert len(series) == 6
    assert series.lost.sum() == 2


def test_fping_with_hosts_and_time_outs() -> None:
    _, found, _ = _read(DATA / "fping_5.1_D.txt")
    by_host = {one.dst: one for one in found}
    assert by_host["127.0.0.1"].lost.sum() == 0
    assert by_host["10.255.255.1"].lost.tolist() == [True] * 5
    assert set(by_host["127.0.0.1"].size_bytes) == {56}


@pytest.mark.parametrize("is_array", [True, False])
def test_ripe_atlas(tmp_path: Path, is_array: bool) -> None:
    packets = [{"rtt": 31.5}, {"x": "*"}, {"rtt": 32.5}]
    result = {"fw": 5020, "dst_addr": "192.0.2.7", "size": 48, "result": packets, "prb_id": 7}
    result |= {"timestamp": 1654959318, "type": "ping", "msm_id": 1}
    file = tmp_path / "atlas.json"
    other = {"type": "dns", "prb_id": 7, "result": {"rt": 3.1}}
    file.write_text(
        json.dumps([result, other]) if is_array else f"{json.dumps(result)}\n{json.dumps(other)}"
    )
    series = _series(file)
    assert (series.src, series.dst) == ("probe-7", "192.0.2.7")
    assert np.nan_to_num(series.rtt_s).tolist() == pytest.approx([0.0315, 0, 0.0325])


def test_results_of_ripe_atlas_that_are_damaged_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "atlas.json"
    file.write_text('[{"prb_id": 7, "timestamp": "today", "result": []}]')
    with pytest.raises(RequestError, match="no results of RIPE Atlas: Expected `float`"):
        _read(file)


def test_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("hello\n")
    with pytest.raises(RequestError, match="not a file of probes"):
        _read(file)
