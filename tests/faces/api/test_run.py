"""Runs from Python: what they say, show and hand to other libraries."""

import inspect
import re
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import weft
from support.here import weft_json
from support.refusals import refused
from support.runs import affine_us, launches_of, pingpong_run
from weft.base.result import html_lines
from weft.faces.api.request import run_request
from weft.measure.execute.options.run_options import RunOptions

SIZES = [1, 8, 64, 512, 4096, 32768, 262144]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pair with 20 us and 800 Mb/s."""
    directory = tmp_path_factory.mktemp("api") / "pair"
    pingpong_run(directory, SIZES, launches_of(affine_us(SIZES, 20, 800), noise=0.01))
    return directory


def test_points_are_what_the_command_line_shows(folder: Path) -> None:
    shown = weft_json("show", folder)["points"]
    rows = list(weft.open(folder).points.rows())
    assert [row["size_bytes"] for row in rows] == [one["size_bytes"] for one in shown]
    for row, one in zip(rows, shown, strict=True):
        assert row["latency_low_us"] == one["latency_us"]["low"]
        assert row["throughput_high_mbps"] == one["throughput_mbps"]["high"]


def test_other_libraries_read_the_tables(folder: Path) -> None:
    points = weft.open(folder).points
    frame = points.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["size_bytes"]) == SIZES
    assert pyarrow.table(points).equals(points.to_arrow())
    for found in (points.to_polars(), polars.DataFrame(points)):
        assert found["size_bytes"].to_list() == SIZES
        assert found.columns == points.columns
    arrow = points.to_arrow()  # DuckDB finds it by its name.
    largest = duckdb.sql("select max(size_bytes) from arrow").fetchall()
    assert largest == [(SIZES[-1],)] and arrow.num_rows == len(SIZES)
    assert duckdb.from_arrow(points).aggregate("max(size_bytes)").fetchall() == largest


def test_a_table_that_is_not_there_is_named_with_those_that_are(folder: Path) -> None:
    tables = weft.open(folder).tables
    assert list(tables["signatures"].columns)
    with pytest.raises(weft.RequestError, match="no table 'signature'") as caught:
        _ = tables["signature"]
    assert "did you mean signatures?" in caught.value.hint
    assert tables.get("signature") is None and "signature" not in tables


def test_a_library_that_is_missing_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = weft.open(folder).points
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(weft.RequestError, match=f"{name} is not installed") as caught:
            getattr(points, f"to_{name}")()
        assert f"pip install {name}" in caught.value.hint
        assert str(caught.value).endswith(f"hint: {caught.value.hint}")
    assert points["size_bytes"].tolist() == SIZES
    with refused("no column 'size'"):
        points["size"]


def test_a_run_says_its_finding(folder: Path) -> None:
    run = weft.open(folder)
    for text in (repr(run), run._repr_html_()):
        assert re.search(r"20(\.\d)? µs latency", text)
        assert "peak" in text and "half of it from" in text and "complete" in text
        assert " object at 0x" not in text
    assert "<script" not in html_lines(["<script>"])


def test_figures_are_charts(folder: Path, tmp_path: Path) -> None:
    run = weft.open(folder)
    assert {"throughput", "signature"} <= {*run.figures}
    chart = run.plot()
    assert chart.to_dict()["title"]["text"].startswith("Network signature")
    chart.properties(width=300).save(str(tmp_path / "s.svg"))
    assert "20" in (tmp_path / "s.svg").read_text()
    with refused("no figure 'througput'"):
        run.plot("througput")


def test_two_runs_are_compared(folder: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    pingpong_run(slow, SIZES, launches_of(affine_us(SIZES, 40, 800), noise=0.01, seed=2))
    found = weft.compare(folder, slow)
    assert found.points["ratio"][0] == pytest.approx(2.0, rel=0.05)
    assert found.points["is_significant"][0]
    assert " of 7 differ, if runs of one network differ by no more than launches do" in repr(found)
    assert "signature" in found.figures and found.plot().to_dict()["layer"]


@pytest.mark.parametrize(
    ("launches", "said"),
    [
        ((1, 1), "too few launches to say where surely: 1 of each"),
        ((3, 3), "too few launches to say where surely: 3 of each"),
        ((1, 3), "too few launches to say where surely: 1 and 3"),
    ],
)
def test_too_few_launches_are_counted(tmp_path: Path, launches: tuple[int, int], said: str) -> None:
    runs = [tmp_path / name for name in "ab"]
    for run, count in zip(runs, launches, strict=True):
        pingpong_run(run, SIZES, launches_of(affine_us(SIZES, 20, 800), count, noise=0.01))
    assert said in repr(weft.compare(*runs))


def test_a_route_says_of_which_message_its_latency_is(folder: Path) -> None:
    found = next(weft.open(folder).routes.rows())
    assert (found["size_bytes"], found["latency_bytes"]) == (262144, 1)
    assert found["latency_us"] == pytest.approx(20, rel=0.05)


def test_a_fitted_model_predicts(folder: Path) -> None:
    found = weft.models["hockney"].fit(weft.open(folder))
    again = weft.fit(str(folder), model="hockney")
    assert again.values == found.values
    assert found.values["latency_us"] == pytest.approx(20, rel=0.05)
    predicted = found.predict([1, 100_000])
    assert predicted["time_us"] == pytest.approx(affine_us([1, 100_000], 20, 800), rel=0.05)
    assert predicted.columns == ["size_bytes", "time_us", "throughput_mbps"]
    assert "latency_us = 20" in repr(found) or "latency_us = 19" in repr(found)
    with refused("no model 'hockny'"):
        weft.fit(folder, model="hockny")
    with refused("hockney has none"):
        weft.fit(folder, model="hockney", ceiling=True)


def test_laws_are_a_table_and_a_figure() -> None:
    found = weft.laws(p=0.55, beta=0.4, sigma=0.62, gamma=(0, 1))
    gains = found.points
    assert np.interp(found.best.gamma, gains["gamma"], gains["gain_share"]) == pytest.approx(
        found.best.gain, rel=0.1
    )
    assert "greatest gain +88.7%" in repr(found)
    assert found.plot().to_dict()["title"]["text"].startswith("LAWS")


def test_a_diagnosis_compares_with_a_declared_fabric() -> None:
    run = weft.simulate("xray", "two-racks", scale=0.1)
    found = weft.diagnose(run, fabric="two-racks")
    assert found.differences == [] and len(found.limits)
    assert "n[1-16]" in repr(found)
    faster = weft.diagnose(run, fabric="two-racks", scale=1.0)
    assert faster.differences and faster.differences[0] in repr(faster)


def test_networks_and_nodes_are_described() -> None:
    fabric = weft.fabric("two-racks")
    assert [row["rate_mbps"] for row in fabric.way("n1", "n17").rows()] == [1000, 4000, 1000]
    assert "32 hosts" in repr(fabric) and fabric.to_dot().startswith("graph")
    machine = weft.machine("p4-400-base")
    assert machine.placement["protocol"] == "cpu0" and "Pentium" in repr(machine)
    for call in (weft.fabric, weft.machine):
        with refused("not in the catalogue"):
            call("nothing-like-it")


@pytest.mark.parametrize(
    ("on", "steps", "cluster"), [("lab:two-racks", "16", None), ("ssh:n[1-32]", None, 16)]
)
def test_nodes_are_those_of_the_steps_on_a_fabric(
    on: str, steps: str | None, cluster: int | None
) -> None:
    asked = run_request("collectives", on, RunOptions(nodes=16))
    assert (dict(asked.overrides).get("steps.*.nodes"), asked.options.nodes) == (steps, cluster)


def test_the_keywords_of_a_run_are_its_options() -> None:
    keywords = inspect.signature(weft.run).parameters
    options = inspect.signature(RunOptions).parameters
    assert {*keywords} - {*options} == {"plan", "on", "predict", "reporter"}
    given = weft.run.__annotations__
    for name, option in options.items():
        assert keywords[name].default == option.default, name
        assert given[name] == RunOptions.__annotations__[name], name
    with pytest.raises(TypeError, match="no argument launch"):
        weft.run("latency", on="sim:pair", launch=1)  # type: ignore[call-arg]


def test_a_diagnosis_and_print_say_the_warnings_of_show(tmp_path: Path) -> None:
    few = SIZES[:3]
    pingpong_run(tmp_path / "run", few, launches_of(affine_us(few, 20, 800), noise=0.01))
    run = weft.open(tmp_path / "run")
    shown = [one["code"] for one in weft_json("show", tmp_path / "run")["warnings"]]
    assert shown and [one.code for one in run.warnings] == shown
    for said in (repr(run), repr(run.diagnosis)):
        assert all(f"[{code}]" in said for code in shown)
