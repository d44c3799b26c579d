"""What links carried: shares of capacity, the drawn fabric, the busiest limits."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.made.computed import compute
from support.made.synthetic_cluster import Cluster, Step, write_cluster_run
from support.paths import DATA
from support.runs import write_run
from weft.runs.columns.tables import LOADS_NAME
from weft.runs.folder import RunFolder
from weft.runs.link_loads import loads_of
from weft.understand.drawing.figure import Figure
from weft.understand.report.figures.busiest import MOST_ROWS
from weft.understand.report.figures.fabric_drawing import MOST_HOSTS
from weft.understand.report.frame import page_data
from weft.understand.report.page import Report


def simulated(tmp_path: Path, plan: str, on: str, **settings: str) -> dict[str, Figure]:
    """The figures of a simulated run."""
    return figures_of(compute(tmp_path / "run", plan, f"sim:{on}", **settings))


def figures_of(run: RunFolder) -> dict[str, Figure]:
    report = Report([run])
    page_data(report.figures)
    return {figure.name: figure for figure in report.figures}


def texts(figure: Figure) -> list[str]:
    return [row["text"] for row in figure.tables[f"{figure.name}-boxes"]]


def shares(figure: Figure, table: str) -> dict[str, float]:
    rows = figure.tables[f"{figure.name}-{table}"]
    return {row["name"]: row["share"] for row in rows if row["limited"]}


def test_a_load_is_the_mean_over_the_step_that_asked_most(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [])
    rows = [
        # step, phase, constraint, elapsed_ns, mbps, capacity_mbps, start_ns
        (0, 0, "a", 1000, 10.0, 100.0, 0),
        (1, 0, "a", 1000, 100.0, 100.0, 0),
        (1, 1, "b", 3000, 60.0, 120.0, 0),
        (1, 1, "free", 3000, 60.0, float("inf"), 0),
        (1, 1, "dead", 3000, 60.0, 0.0, 0),
    ]
    names = ["step", "phase", "constraint", "elapsed_ns", "mbps", "capacity_mbps", "start_ns"]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), run.directory / LOADS_NAME)
    loads = loads_of(run)
    assert set(loads) == {"a", "b"}
    assert (loads["a"].step, loads["a"].share) == (1, pytest.approx(0.25))
    assert loads["a"].peak_share == 1
    assert loads["b"].share == pytest.approx(0.5 * 0.75)


def test_a_fabric_is_drawn_with_what_its_links_carried(tmp_path: Path) -> None:
    figure = simulated(tmp_path, "ring", "two-racks")["fabric-1"]
    found = shares(figure, "lines")
    # One of sixteen hosts of a rack sends across, at the rate of its port.
    assert found["n1 out"] == pytest.approx(1, rel=0.01)
    assert found["rack2 out"] == found["rack2 in"] == pytest.approx(0.25, rel=0.01)
    assert len(found) == 2 * 33
    assert "rack2\nout and in 25 %" in texts(figure)
    assert "n7: out and in 100 %" in texts(figure)


def test_a_link_without_a_limit_is_told_from_an_idle_one(tmp_path: Path) -> None:
    figure = simulated(tmp_path, "ring", "xibalba-er16")["fabric-1"]
    lines = figure.tables["fabric-1-lines"]
    free = {row["name"] for row in lines if not row["limited"]}
    assert free == {f"module{i} {way}" for i in (1, 2, 3) for way in ("out", "in")}
    assert "Dashed" in figure.caption


def test_many_hosts_are_one_box_for_each_switch(tmp_path: Path) -> None:
    figure = simulated(tmp_path, "alltoall", "xibalba-maintenance")["fabric-1"]
    boxes = figure.tables["fabric-1-boxes"]
    assert len(boxes) == 1 + 8 + 8
    assert any(text.startswith("n[113-128]\nout and in 7 %") for text in texts(figure))
    stripes = shares(figure, "stripes")
    assert len(stripes) == 2 * 128 > MOST_HOSTS
    assert shares(figure, "lines")["rack8 in"] == pytest.approx(1, abs=0.01)


def test_boxes_do_not_overlap_and_stay_in_the_figure(tmp_path: Path) -> None:
    figure = simulated(tmp_path, "ring", "xibalba-e7-config2")["fabric-1"]
    boxes = figure.tables["fabric-1-boxes"]
    rows = max(box["bottom"] for box in boxes)
    for i, one in enumerate(boxes):
        assert 0 <= one["top"] < one["bottom"] <= rows
        for other in boxes[:i]:
            is_beside = one["right"] <= other["left"] or other["right"] <= one["left"]
            is_apart = one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
            assert is_beside or is_apart
    assert len(figure.tables["fabric-1-stripes"]) == 2 * (4 + 96)


def test_a_second_network_has_a_figure_of_its_own_once_it_is_used(tmp_path: Path) -> None:
    assert "fabric-1-network-2" not in simulated(tmp_path / "1", "ring", "xibalba-dual")
    figures = simulated(tmp_path / "2", "cast", "xibalba-dual", steps__cast__networks="2")
    assert {"fabric-1", "fabric-1-network-2"} <= set(figures)
    assert "rack1" in "".join(texts(figures["fabric-1-network-2"]))
    assert "rack1" not in "".join(texts(figures["fabric-1"]))


def test_generated_networks_and_graphs_with_several_ways_have_their_busiest_limits_alone(
    tmp_path: Path,
) -> None:
    figures = simulated(tmp_path, "random-permutations", "fat-tree(k=4)")
    assert "fabric-1" not in figures
    rows = figures["busiest-1"].tables["busiest-1"]
    assert len(rows) <= MOST_ROWS
    assert [row["place"] for row in rows] == list(range(len(rows)))
    assert all(0 < row["share"] <= row["peak_share"] <= 1.001 for row in rows)
    assert [row["share"] for row in rows] == sorted((r["share"] for r in rows), reverse=True)
    figures = simulated(tmp_path / "ring", "ring", str(DATA / "fabrics/ring_of_three.toml"))
    assert "fabric-1" not in figures and "busiest-1" in figures


def test_limits_that_carried_alike_share_a_bar(tmp_path: Path) -> None:
    figure = simulated(tmp_path, "aapc", "two-racks")["busiest-1"]
    first, second = figure.tables["busiest-1"]
    assert first["label"] == "rack1 to rack2, rack2 to rack1"
    assert second["name"] == "n[1-32] in, n[1-32] out"
    assert "of 1.00 Gb/s" in second["carried"] and second["carried"].endswith("each")


def test_a_measured_run_has_neither(tmp_path: Path) -> None:
    run = write_cluster_run(tmp_path / "c", Cluster(8), [Step.matrix()])
    assert not {name for name in figures_of(run) if name.startswith(("fabric", "busiest"))}
