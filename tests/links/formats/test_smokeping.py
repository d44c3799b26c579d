"""SmokePing's rounds become probes: every loss, no answer that was not there, and nothing where nothing was measured.

While tests/data's file was written, all echoes were dropped for 62 s, and SmokePing was stopped for 85 s."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from support.importing import DATA
from weft.base.errors import RequestError
from weft.links.analysis.series import ProbeSeries
from weft.links.formats.read import read_probes
from weft.links.formats.source import ProbeOptions

DUMP = DATA / "smokeping_2.7.3.xml"


def _series(path: Path, options: ProbeOptions | None = None) -> ProbeSeries:
    _, found = read_probes(path, options or ProbeOptions())
    return found.series[0]


def test_every_loss_of_the_file_is_a_lost_probe() -> None:
    series = _series(DUMP)
    assert (series.src, series.dst) == ("here", "smokeping_2.7.3")
    # The losses of the rows of 20 s, added up: 18.25.
    assert series.lost.sum() == 18
    assert np.nanmin(series.rtt_s) == pytest.approx(27e-6)
    assert np.nanmax(series.rtt_s) == pytest.approx(504e-6)


def test_an_outage_is_seen_and_a_stop_is_a_gap() -> None:
    series = _series(DUMP)
    unix_s = series.start + series.time_s
    during = (unix_s > 1795492480) & (unix_s < 1795492530)
    assert series.lost[during].all()
    assert [(b + series.start, e + series.start) for b, e in series.gaps()] == [
        (pytest.approx(1795492558), pytest.approx(1795492642))
    ]


def test_ranks_are_spread_over_the_step() -> None:
    series = _series(DUMP)
    step = series.time_s // 20
    for one in np.unique(step):
        assert len(np.unique(series.time_s[step == one])) == (step == one).sum()


def test_another_archive_is_taken_on_request() -> None:
    assert _series(DUMP, ProbeOptions(step_s=80)).interval_s == pytest.approx(16)
    with pytest.raises(RequestError, match="no archive of averages over 300 s"):
        _series(DUMP, ProbeOptions(step_s=300))


@pytest.mark.smoke("rrdtool")
def test_dump_fetch_and_database_are_alike(tmp_path: Path) -> None:
    database = tmp_path / "lab-b~slave1.rrd"
    subprocess.run(["rrdtool", "restore", DUMP, database], check=True)
    from_database, fetched = _series(database), _series(DATA / "smokeping_2.7.3_fetch.txt")
    assert (from_database.src, from_database.dst) == ("slave1", "lab-b")
    dumped = _series(DUMP)
    assert from_database.rtt_s == pytest.approx(dumped.rtt_s, nan_ok=True)
    late = dumped.start + dumped.time_s >= fetched.start + fetched.time_s[0]
    assert dumped.rtt_s[late][20:] == pytest.approx(fetched.rtt_s[20:], nan_ok=True)


def test_without_rrdtool_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "x.rrd").write_bytes(b"RRD\x000003\x00")
    with pytest.raises(RequestError, match=r"x\.rrd: .* rrdtool, which is not installed") as caught:
        _series(tmp_path / "x.rrd")
    assert "rrdtool dump" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("<name> loss </name>", "<name> bits </name>", "of something else than SmokePing"),
        ("</rrd>", "", "not whole XML"),
        ("<step>20</step>", "<step>often</step>", "invalid literal"),
        ("<v>5.0000000000e+00</v>", "", "values for 8 data sources"),
    ],
)
def test_damaged_dumps_are_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    file = tmp_path / "x.xml"
    file.write_text(DUMP.read_text().replace(old, new, 1))
    with pytest.raises(RequestError, match=rf"x\.xml.*{why}"):
        _series(file)
