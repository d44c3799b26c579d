"""owamp's one-way delays and pScheduler's results keep every packet, and say what clocks they are by."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.importing import DATA
from weft.base.errors import RequestError
from weft.links.analysis.times import hourly
from weft.links.formats.read import read_all, read_probes
from weft.links.formats.source import ProbeOptions, ReadSeries
from weft.runs.probes import KINDS

RAW = DATA / "owping_5.2.3_R.txt"
LATENCY = DATA / "published" / "pscheduler_latency.json"
ARCHIVED = DATA / "published" / "pscheduler_archived.jsonl"


def _read(path: Path, options: ProbeOptions | None = None) -> ReadSeries:
    return read_probes(path, options or ProbeOptions())[1]


def test_raw_packets_with_their_losses() -> None:
    found = _read(RAW, ProbeOptions(src="a", dst="b"))
    [series] = found.series
    assert series.lost.sum() == 2
    assert series.start + series.time_s[0] == pytest.approx(1795492433.6982, abs=1e-3)
    assert np.nanmedian(series.rtt_s) == pytest.approx(70.5e-6, rel=0.1)
    assert "not synchronised for 20 of 20" in found.notes[0]


def test_a_one_way_delay_is_not_halved() -> None:
    [series] = _read(RAW).series
    assert hourly(series).alpha_s == pytest.approx([np.nanmedian(series.rtt_s)], rel=0.1)


def test_a_histogram_has_the_delays_of_its_packets() -> None:
    [series], [raw] = _read(LATENCY).series, _read(RAW).series
    assert (series.src, series.dst, len(series)) == ("lab-a", "lab-b", 20)
    assert series.lost.sum() == raw.lost.sum()
    ours, theirs = np.sort(series.rtt_s), np.sort(raw.rtt_s)
    assert ours == pytest.approx(theirs, abs=0.6e-6, nan_ok=True)
    assert {KINDS[one] for one in series.kind} == {"one-way"}


def test_archived_runs_of_several_tests() -> None:
    _, found = read_all([ARCHIVED], ProbeOptions())
    [series] = found.series
    by_kind = {KINDS[kind]: part for (kind, _), part in series.groups().items()}
    assert by_kind["icmp"].lost.tolist() == [False, False, True, False, False, False, True]
    assert np.diff(by_kind["icmp"].time_s) == pytest.approx([0.5] * 6)
    assert by_kind["one-way"].lost.sum() == 2
    assert any("1 runs did not succeed" in note for note in found.notes)


def test_a_bare_result_needs_its_time(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(json.loads(LATENCY.read_text())["result"]))
    with pytest.raises(RequestError, match="without the time of its start") as caught:
        _read(file)
    assert "--start" in caught.value.hint
    [series] = _read(file, ProbeOptions(src="a", dst="b", start_s=1795492736)).series
    assert (series.src, series.dst, len(series)) == ("a", "b", 20)


def _delay_below_zero(record: Any) -> None:
    record["result"]["histogram-latency"]["-0.3"] = 2


def _throughput(record: Any) -> None:
    record["test"]["type"] = "throughput"


def _no_packets(record: Any) -> None:
    del record["result"]["histogram-latency"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_delay_below_zero, "a one-way delay of -0.03 ms"),
        (_throughput, "a test of type 'throughput'"),
        (_no_packets, "no roundtrips, raw-packets or histogram-latency"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, change: Any, why: str) -> None:
    record = json.loads(LATENCY.read_text())
    change(record)
    file = tmp_path / "one.json"
    file.write_text(json.dumps(record))
    with pytest.raises(RequestError, match=rf"one\.json: {why}"):
        _read(file)


def test_a_delay_below_zero_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "raw.txt"
    first, *rest = RAW.read_text().splitlines(keepends=True)
    number, sent, *more = first.split()
    file.write_text(
        "".join([*rest, " ".join([number, sent, *more[:2], str(int(sent) - 9), *more[3:]])])
    )
    with pytest.raises(RequestError, match=r"raw\.txt:20: a delay of -"):
        _read(file)
