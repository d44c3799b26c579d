"""`weft fit` and the tables that it reads."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from network.model.test_laws_fit import NIC_BOUND, rates
from support.here import refusal, weft, weft_json
from support.made.cases import cases
from support.runs import affine_us, launches_of, pingpong_run, stolen_mark, write_run

SIZES = [2**power for power in range(20)]


def rates_csv(path: Path) -> Path:
    columns = rates(NIC_BOUND, noise=0.01)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rates_csv(tmp_path_factory.mktemp("fit") / "sweep.csv")


def test_laws_as_json(table: Path) -> None:
    document = weft_json("fit", table, "--model", "laws", "--hold", "link_mbps=1000")
    keys = {
        "model",
        "parameters",
        "coverage",
        "rms_error_pct",
        "misfits",
        "doubts",
        "notes",
        "residuals",
    }
    assert set(document) == keys
    found = {each["name"]: each for each in document["parameters"]}
    assert found["beta"]["low"] < 1.5 < found["beta"]["high"]
    assert found["link_mbps"] == {
        "name": "link_mbps", "value": 1000, "low": None, "high": None, "held": True,
    }  # fmt: skip
    assert len(document["residuals"]) == 2 * 15
    assert set(document["residuals"][0]) == {
        "gamma", "quantity", "measured", "predicted", "error_pct",
    }  # fmt: skip


def test_a_ceiling_is_fitted_on_request_and_by_laws_only(table: Path) -> None:
    laws = (table, "--model", "laws", "--hold", "link_mbps=1000")
    names = [
        {each["name"] for each in weft_json("fit", *laws, *more)["parameters"]}
        for more in ((), ("--ceiling",))
    ]
    assert names[1] - names[0] == {"ceiling_mbps"}
    said = refusal("fit", table, "--model", "laws-modified", "--ceiling")
    assert "--ceiling: laws-modified has none" in said


def test_sizes_are_printed_in_full(tmp_path: Path) -> None:
    sizes = [1, 1024, 1048573, 1048576]
    pingpong_run(tmp_path / "run", sizes, launches_of(affine_us(sizes, 28.0, 94.1)))
    text = weft("fit", tmp_path / "run", "--model", "hockney").stdout
    assert [line.split()[0] for line in text.splitlines()[-4:]] == [str(size) for size in sizes]


def test_parquet_gives_what_csv_gives(table: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "sweep.parquet"
    pq.write_table(pa.table(dict(rates(NIC_BOUND, noise=0.01))), parquet)
    held = ("--model", "laws", "--hold", "link_mbps=1000")
    found = [weft_json("fit", file, *held)["parameters"] for file in (table, parquet)]
    assert found[0] == found[1]


def test_hockney_has_intervals_over_launches(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0), noise=0.02)
    pingpong_run(tmp_path / "run", SIZES, times_us)
    document = weft_json("fit", tmp_path / "run", "--model", "hockney")
    assert document["coverage"] == 0.9375
    for each, truth in zip(document["parameters"], (20.0, 600.0), strict=True):
        assert each["low"] <= each["value"] <= each["high"]
        assert each["value"] == pytest.approx(truth, rel=0.02)
    assert [row["size_bytes"] for row in document["residuals"]] == SIZES
    assert 0 < document["rms_error_pct"] < 3


def test_an_open_parameter_is_said_by_its_bound(table: Path) -> None:
    document = weft_json("fit", table, "--model", "laws")
    assert all(np.isfinite(each["value"]) for each in document["parameters"])
    (link,) = (each for each in document["parameters"] if each["name"] == "link_mbps")
    assert link["high"] is None and link["value"] > 2 * link["low"]
    said = weft("fit", table, "--model", "laws").stdout
    assert "laws, intervals hold with 95.0%" in said
    assert "open: the points do not bound it" in said
    assert "before_mbps" in said and "after_mbps" in said
    (row,) = (line.split() for line in said.splitlines() if line.split()[:1] == ["link_mbps"])
    assert row[1] == ">" and 0.99 * link["low"] < float(row[2]) <= link["low"]
    assert len(row[2].rstrip("0").replace(".", "")) <= 3


@pytest.mark.parametrize("launches", [1, 2])
def test_hockney_of_one_or_two_launches_has_none(tmp_path: Path, launches: int) -> None:
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0), launches)
    pingpong_run(tmp_path / "run", SIZES, times_us)
    text = weft("fit", tmp_path / "run", "--model", "hockney").stdout
    assert "hockney, without intervals" in text


@pytest.mark.parametrize(("text", "said"), cases("outputs", "no_sweeps"))
def test_what_is_no_sweep_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "sweep.csv"
    file.write_text(text)
    assert said in refusal("fit", file, "--model", "laws")


def test_a_file_that_is_not_there_and_a_run_are_refused(tmp_path: Path) -> None:
    for name in ("none.csv", "none.parquet"):
        assert "no such file" in refusal("fit", tmp_path / name, "--model", "laws")
    write_run(tmp_path / "run", [])
    said = refusal("fit", tmp_path / "run", "--model", "laws")
    assert "no stream of it had an application load" in said


@pytest.mark.parametrize(
    ("model", "hold", "said"),
    [
        *(("laws", hold, "--hold") for hold in ("p", "p=", "p=much")),
        ("laws", "=1", "not a parameter"),
        ("hockney", "latency_us=1", "--hold"),
    ],
)
def test_a_wrong_hold_is_refused(table: Path, model: str, hold: str, said: str) -> None:
    assert said in refusal("fit", table, "--model", model, "--hold", hold)


def test_a_fit_to_a_disturbed_run_says_so_first_and_states_no_interval(tmp_path: Path) -> None:
    times = np.outer([25.0, 30.0, 110.0], np.ones(5))[:, :, None]
    marks = [stolen_mark(launch) for launch in range(5)]
    done = [[0, launch] for launch in range(5)]
    pingpong_run(tmp_path / "run", [8, 1024, 16384], times, done=done, disturbed=marks)
    shown = weft("fit", tmp_path / "run", "--model", "hockney").stdout.splitlines()
    assert shown[0].startswith("disturbed: 5 of 5 launches were disturbed: the hypervisor")
    assert shown[1] == "hockney, without intervals: nothing can be concluded from the run"
    document = weft_json("fit", tmp_path / "run", "--model", "hockney")
    assert document["doubts"] and [one["low"] for one in document["parameters"]] == [None, None]
