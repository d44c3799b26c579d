"""Runs that keep some transfers only: what they say is that of the same run with all of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.here import weft, weft_json
from support.made.computed import compute
from support.refusals import refused
from support.runs import change_meta
from weft.measure.execute.request import resume_run
from weft.runs.digests import Digests
from weft.runs.folder import STREAM_NAME, TABLE_NAME, RunFolder
from weft.understand.ensemble.phases import bottlenecks, phases
from weft.understand.ensemble.rates import MedianRates

FABRIC = "clos(leaves=4,spines=2,hosts=6)"
TRANSFERS = 24 * 23
ROWS = 100


def alltoall(
    folder: Path, rows: int | None, threads: int | None = None, **settings: str
) -> RunFolder:
    more = f",rows={rows}" * (rows is not None) + f",threads={threads}" * (threads is not None)
    return compute(folder, "alltoall", "sim:" + FABRIC.replace(")", f"{more})"), **settings)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, RunFolder]:
    """A run with all transfers, and one with some."""
    folder = tmp_path_factory.mktemp("digests")
    return alltoall(folder / "whole", None), alltoall(folder / "some", ROWS)


def test_phases_and_bottlenecks_are_those_of_all_transfers(
    pair: tuple[RunFolder, RunFolder],
) -> None:
    whole, some = pair
    assert len(phases(whole)) == len(phases(some)) == 24
    for mine, theirs in zip(phases(some), phases(whole), strict=True):
        assert (mine.step, mine.phase, mine.routes) == (theirs.step, theirs.phase, theirs.routes)
        assert (mine.size_bytes, mine.slowest) == (theirs.size_bytes, theirs.slowest)
        for name in ("rate_mbps", "elapsed_ms", "mean_mbps", "aggregate_mbps"):
            assert getattr(mine, name) == pytest.approx(getattr(theirs, name), rel=1e-9), name
    held, expected = bottlenecks(some), bottlenecks(whole)
    assert sum(one.transfers for one in held) == sum(one.transfers for one in expected)
    assert held[0].share <= 1 and {one.step for one in held} == {0, 1}


def test_quantiles_are_those_of_all_transfers_to_a_tenth_of_a_per_cent(
    pair: tuple[RunFolder, RunFolder],
) -> None:
    whole, some = pair
    rates = MedianRates.of(whole)
    for step in (0, 1):
        found = Digests.of(some).of_step(step).quantiles_mbps((0.0, 0.1, 0.5, 0.9, 1.0))
        mbps = rates.mbps[rates.step == step]
        expected = np.quantile(mbps, (0.0, 0.1, 0.5, 0.9, 1.0), method="inverted_cdf")
        assert found == pytest.approx(expected, rel=1.1e-3)
        assert (found[0], found[-1]) == pytest.approx((expected[0], expected[-1]), rel=1e-9)
        assert Digests.of(some).of_step(step).transfers == TRANSFERS


def test_what_is_kept_is_what_the_whole_run_has(pair: tuple[RunFolder, RunFolder]) -> None:
    whole, some = pair
    names = ("step", "phase", "src", "dst", "elapsed_ns", "messages")
    rows = [
        set(zip(*(run.samples[name].to_pylist() for name in names), strict=True)) for run in pair
    ]
    assert rows[1] < rows[0]
    by_step = [some.samples["step"].to_pylist().count(step) for step in (0, 1)]
    assert by_step[0] == 23 * (ROWS // 23)
    assert 0.6 * ROWS < by_step[1] < 1.4 * ROWS
    assert set(some.samples["phase"].to_pylist()) == set(whole.samples["phase"].to_pylist())


def test_every_output_says_what_was_kept(pair: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    whole, some = (run.directory for run in pair)
    shown = weft_json("show", some)
    assert [one["step"] for one in shown["sampled"]] == [0, 1]
    assert {one["code"] for one in shown["warnings"]} == {"sampled"}
    assert len(shown["phases"]) == 24 and len(shown["transfers"]) < 3 * ROWS
    text = weft("show", some).stdout
    assert f"{TRANSFERS} transfers" in text and f"of {TRANSFERS} are kept" in text
    assert "only a sample" in weft_json("diagnose", some)["verdict"]
    compared = weft_json("compare", some, whole)
    assert compared["worst_abs_error_pct"] < 1e-6
    assert "sampled-routes" in [one["code"] for one in compared["warnings"]]
    report = tmp_path / "report.html"
    assert weft("report", some, "--out", report).returncode == 0
    assert "chosen by a hash of phase and ends" in report.read_text()


def test_more_threads_keep_the_same(pair: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    again = alltoall(tmp_path / "again", ROWS, threads=5)
    assert again.samples.equals(pair[1].samples)
    effort = [run.meta.testbed["simulation"] for run in (again, pair[1])]
    assert effort[0]["fingerprint"] == effort[1]["fingerprint"]


def test_a_killed_run_goes_on_without_doubling_anything(tmp_path: Path) -> None:
    """As if killed behind phase 9: its digest is there and its samples are not."""
    run = alltoall(tmp_path / "run", ROWS, steps__unphased__sizes='["1 kB"]')
    expected = phases(run)
    folder = run.directory
    kept = run.samples.filter(pa.compute.field("phase") < 9)
    kept = kept.filter(pa.compute.field("step") == 0)
    with pa.ipc.new_stream(folder / STREAM_NAME, kept.schema) as stream:
        stream.write_table(kept)
    (folder / TABLE_NAME).unlink()
    change_meta(folder, done=[], status="partial")
    resumed = resume_run(str(folder))
    assert resumed.meta.status == "complete" and phases(resumed) == expected
    assert resumed.samples.num_rows == run.samples.num_rows
    assert Digests.of(resumed).transfers == 2 * TRANSFERS


WHOLE = "must be a whole number from 1 to 50,000,000"
LONG = "up to 999,999,000,000 transfers over 1,000,000 nodes: about 3,333 minutes"


@pytest.mark.parametrize(
    ("on", "said"),
    [
        ("crossbar(hosts=4,rows=0)", WHOLE),
        ("crossbar(hosts=4,rows=many)", WHOLE),
        ("crossbar(hosts=4,rows=1e9)", WHOLE),
        ("torus(dims=100x100x100)", LONG),
    ],
)
def test_wrong_numbers_and_a_million_hosts_by_a_slip_are_refused(
    tmp_path: Path, on: str, said: str
) -> None:
    with refused(said):
        compute(tmp_path / "run", "aapc", f"sim:{on}")
    assert not (tmp_path / "run").exists()
