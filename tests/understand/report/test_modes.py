"""Ridges of sizes, of which some are folded."""

from pathlib import Path

import numpy as np
import pytest

from support.made.synthetic import Network, write_run
from weft.understand.report.figures.pair.modes import ONE, SEVERAL, modes_figures
from weft.understand.report.material import ReportMaterial
from weft.understand.report.ridges import MOST_RIDGES, ridges_of


def test_a_size_of_two_modes_stands_out_and_narrow_sizes_are_folded(tmp_path: Path) -> None:
    material = ReportMaterial([write_run(tmp_path / "r", launches=7)])
    [figure] = modes_figures(material)
    rows = figure.tables["modes-1-ridges"]
    assert {row["size"] for row in rows if row["kind"] == SEVERAL} == {8192}
    assert len({row["size"] for row in rows}) == MOST_RIDGES
    sizes = len(material.series[0].points)
    assert f"{sizes - MOST_RIDGES} more sizes with narrower distributions" in figure.caption
    modes = [row["ratio"] for row in figure.tables["modes-1-peaks"]]
    assert modes[1] / modes[0] == pytest.approx(1.6, rel=0.05)


def test_ridges_of_two_modes_have_a_valley_between_them(tmp_path: Path) -> None:
    [one] = ReportMaterial([write_run(tmp_path / "r", launches=7)]).series
    [ridge] = [each for each in ridges_of(one) if each.has_modes]
    at = np.array(ridge.point.modes.locations) / ridge.median_us
    grid = np.geomspace(at[0] / 1.1, at[1] * 1.1, 200)
    density = ridge.density(grid)
    assert density[np.argmin(np.abs(grid - np.sqrt(at[0] * at[1])))] < 0.05
    assert min(np.interp(at, grid, density)) > 0.3


def test_of_several_curves_those_with_modes_are_drawn(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / "a", Network(28.0, 94.1)), write_run(tmp_path / "b")]
    [figure] = modes_figures(ReportMaterial(runs))
    assert figure.caption.startswith("b: ")
    [alone] = modes_figures(ReportMaterial(runs[:1]))
    assert {row["kind"] for row in alone.tables["modes-1-ridges"]} == {ONE}
