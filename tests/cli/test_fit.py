"""`weft fit` and the tables that it reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.test_show import invoke
from model.test_laws_fit import NIC_BOUND, rates
from support.runs import affine_us, launches_of, pingpong_run, write_run
from weft.cli.fit import fit
from weft.errors import RequestError

SIZES = [2**power for power in range(20)]
GOOD = "gamma,gain\n0,0.5\n0.5,0.4\n1,0.3\n2,0.2\n"


def rates_csv(path: Path) -> Path:
    columns = rates(NIC_BOUND, noise=0.01)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_laws_as_json(tmp_path: Path) -> None:
    table = rates_csv(tmp_path / "sweep.csv")
    done = invoke(fit, table, "--model", "laws", "--hold", "link_mbps=1000", "--json")
    document = json.loads(done.stdout)
    assert set(document) == {"model", "parameters", "coverage", "rms_error_pct", "residuals"}
    found = {each["name"]: each for each in document["parameters"]}
    assert found["beta"]["low"] < 1.5 < found["beta"]["high"]
    assert found["link_mbps"] == {
        "name": "link_mbps", "value": 1000, "low": None, "high": None, "held": True,
    }  # fmt: skip
    assert len(document["residuals"]) == 2 * 15
    assert set(document["residuals"][0]) == {
        "gamma", "quantity", "measured", "predicted", "error_pct",
    }  # fmt: skip


def test_laws_as_a_table(tmp_path: Path) -> None:
    table = rates_csv(tmp_path / "sweep.csv")
    text = invoke(fit, table, "--model", "laws").stdout
    assert "laws, intervals hold with 95.0%" in text
    assert "open: the points do not bound it" in text
    assert "before_mbps" in text and "after_mbps" in text


def test_sizes_are_printed_in_full(tmp_path: Path) -> None:
    sizes = [1, 1024, 1048573, 1048576]
    pingpong_run(tmp_path / "run", sizes, launches_of(affine_us(sizes, 28.0, 94.1)))
    text = invoke(fit, tmp_path / "run", "--model", "hockney").stdout
    assert [line.split()[0] for line in text.splitlines()[-4:]] == [str(size) for size in sizes]


def test_parquet_gives_what_csv_gives(tmp_path: Path) -> None:
    columns = rates(NIC_BOUND, noise=0.01)
    pq.write_table(pa.table(dict(columns)), tmp_path / "sweep.parquet")
    rates_csv(tmp_path / "sweep.csv")
    held = ("--model", "laws", "--hold", "link_mbps=1000", "--json")
    csv, parquet = (
        json.loads(invoke(fit, tmp_path / f"sweep.{kind}", *held).stdout)
        for kind in ("csv", "parquet")
    )
    assert csv["parameters"] == parquet["parameters"]


def test_hockney_has_intervals_over_launches(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0), noise=0.02)
    pingpong_run(tmp_path / "run", SIZES, times_us)
    document = json.loads(invoke(fit, tmp_path / "run", "--model", "hockney", "--json").stdout)
    assert document["coverage"] == 0.9375
    for each, truth in zip(document["parameters"], (20.0, 600.0), strict=True):
        assert each["low"] <= each["value"] <= each["high"]
        assert each["value"] == pytest.approx(truth, rel=0.02)
    assert [row["size_bytes"] for row in document["residuals"]] == SIZES
    assert 0 < document["rms_error_pct"] < 3


def test_an_open_parameter_is_said_by_its_bound(tmp_path: Path) -> None:
    table = rates_csv(tmp_path / "sweep.csv")
    document = json.loads(invoke(fit, table, "--model", "laws", "--json").stdout)
    (link,) = (each for each in document["parameters"] if each["name"] == "link_mbps")
    assert link["high"] is None and link["value"] > 2 * link["low"]
    said = invoke(fit, table, "--model", "laws").stdout
    (row,) = (line.split() for line in said.splitlines() if line.split()[:1] == ["link_mbps"])
    assert row[1] == ">" and 0.99 * link["low"] < float(row[2]) <= link["low"]
    assert len(row[2].rstrip("0").replace(".", "")) <= 3


@pytest.mark.parametrize("launches", [1, 2])
def test_hockney_of_one_or_two_launches_has_none(tmp_path: Path, launches: int) -> None:
    times_us = launches_of(affine_us(SIZES, 20.0, 600.0), launches)
    pingpong_run(tmp_path / "run", SIZES, times_us)
    assert (
        "hockney, without intervals" in invoke(fit, tmp_path / "run", "--model", "hockney").stdout
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot be read as a table"),
        ("gamma,gain\n", "no rows"),
        ("gamma,mbps\n0,1\n", "has the columns gamma, mbps"),
        ("gamma,before_mbps\n0,1\n", "has the columns gamma, before_mbps"),
        (GOOD.replace("0.4", "fast"), "column gain: not numbers"),
        (GOOD.replace("0.5,", "-0.5,"), "column gamma, row 2: -0.5"),
        (GOOD.replace("0.3", "-1"), "column gain, row 3: -1"),
        (GOOD.replace("0.3", ""), "column gain, row 3: nan"),
        ("gamma,before_mbps,after_mbps\n0,10,0\n", "column after_mbps, row 1: 0"),
        ("gamma,gain\n0,0.5\n", "1 measured values do not determine p, beta, sigma"),
    ],
)
def test_what_is_no_sweep_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "sweep.csv"
    file.write_text(text)
    with pytest.raises(RequestError) as refused:
        invoke(fit, file, "--model", "laws")
    assert said in refused.value.message


def test_a_file_that_is_not_there_and_a_run_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such file"):
        invoke(fit, tmp_path / "none.csv", "--model", "laws")
    with pytest.raises(RequestError, match="no such file"):
        invoke(fit, tmp_path / "none.parquet", "--model", "laws")
    write_run(tmp_path / "run", [])
    with pytest.raises(RequestError, match="no stream of it had an application load"):
        invoke(fit, tmp_path / "run", "--model", "laws")


@pytest.mark.parametrize("hold", ["p", "p=", "p=much", "=1"])
def test_a_malformed_hold_is_refused(tmp_path: Path, hold: str) -> None:
    table = rates_csv(tmp_path / "sweep.csv")
    with pytest.raises(RequestError):
        invoke(fit, table, "--model", "laws", "--hold", hold)


def test_hockney_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="--hold"):
        invoke(fit, tmp_path, "--model", "hockney", "--hold", "latency_us=1")


def test_numpy_is_not_in_the_document(tmp_path: Path) -> None:
    table = rates_csv(tmp_path / "sweep.csv")
    values = json.loads(invoke(fit, table, "--model", "laws", "--json").stdout)["parameters"]
    assert all(np.isfinite(each["value"]) for each in values)
