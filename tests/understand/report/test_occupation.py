"""What the report draws of the insides of nodes."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from support.made.computed import compute
from weft.runs.folder import RunFolder
from weft.understand.drawing.figure import Figure
from weft.understand.node.occupation import budgets, occupation
from weft.understand.report.figures.pair.stacks import GAP
from weft.understand.report.page import Report


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    folder = tmp_path_factory.mktemp("inside")
    return [compute(folder / name, "netpipe", f"node:p4-400-{name}") for name in ("base", "onload")]


@pytest.fixture(scope="module")
def figures(runs: list[RunFolder]) -> dict[str, Figure]:
    return {figure.name: figure for figure in Report(runs).figures}


def test_every_run_has_its_stacks_and_all_share_the_lines(figures: dict[str, Figure]) -> None:
    wanted = {"busy-1", "busy-2", "budget-1", "budget-2", "interrupts", "latency-budget"}
    shared = {"occupation-i-o-bus", "occupation-memory-bus", "occupation-link-out"}
    assert wanted | shared <= set(figures)
    series = {row["series"] for row in figures["interrupts"].tables["interrupts"]}
    assert series == {"base", "onload"}


def test_lanes_are_as_high_as_processors_are_busy(
    runs: list[RunFolder], figures: dict[str, Figure]
) -> None:
    for number, run in enumerate(runs, start=1):
        name = f"busy-{number}"
        heights: dict[tuple[str, str], float] = defaultdict(float)
        for row in figures[name].tables[name]:
            heights[row["lane"], row["size_text"]] += (row["top"] - row["bottom"]) / (1 - GAP)
        drawn = {lane for lane, _ in heights}
        shares = {f"{one.node} {one.part}" for one in occupation(run) if one.part.startswith("cpu")}
        assert drawn == ({"n1 cpu0", "n2 cpu0"} if number == 1 else shares)
        for busy in occupation(run):
            lane = f"{busy.node} {busy.part}"
            if lane in drawn and busy.size_bytes == 64:
                assert heights[lane, "64 B"] == pytest.approx(busy.share, abs=1e-4)


def test_the_latency_s_bars_end_at_the_latency(
    runs: list[RunFolder], figures: dict[str, Figure]
) -> None:
    rows = figures["latency-budget"].tables["latency-budget"]
    for run in runs:
        smallest = min(budgets(run), key=lambda one: one.size_bytes)
        mine = [row for row in rows if row["run"] == run.directory.name]
        assert max(row["right"] for row in mine) == pytest.approx(smallest.total_us, rel=1e-5)
        assert all(a["right"] == b["left"] for a, b in pairwise(mine))


def test_runs_of_testbeds_without_insides_have_none_of_it(tmp_path: Path) -> None:
    run = compute(tmp_path / "sim", "netpipe", "sim:pair")
    assert not {figure.name for figure in Report([run]).figures} & {"busy-1", "interrupts"}


def test_figures_are_drawn(figures: dict[str, Figure], tmp_path: Path) -> None:
    for name in ("busy-2", "budget-1", "interrupts", "latency-budget"):
        svg, png = figures[name].write(tmp_path)
        assert "cpu1" in svg.read_text() or name != "busy-2"
        assert png.stat().st_size > 5_000
