"""Intervals over launches: at the looks, and in the end."""

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from support.made.synthetic import Network, write_run
from weft.base.sequential import interval
from weft.plan.plan import Goal
from weft.runs.meta import RunMeta
from weft.runs.records.goal_records import Stop
from weft.understand.curve.convergence import looks
from weft.understand.report.figures.pair.convergence import PLANNED, REASONS, convergence_figures
from weft.understand.report.material import ReportMaterial

SIZES = [1, 1024, 65536]


def test_looks_are_those_that_were_planned_and_the_last_launch() -> None:
    times = np.random.default_rng(1).lognormal(size=30)
    found = list(looks(times, 0.05))
    assert [look.launches for look in found] == [6, 12, 17, 25, 30]
    assert [look.time_us for look in found] == [
        interval(times[: look.launches], 0.05, upper=True) for look in found
    ]
    assert list(looks(times[:5], 0.05)) == []


def with_goal(meta: RunMeta) -> None:
    step = replace(meta.plan.steps[0], goal=Goal("decided", 20_000, 2_000_000_000))
    meta.plan = replace(meta.plan, steps=(step,))
    meta.stops = [
        Stop(step=0, phase=1, size_bytes=1024, launches=30, reason="width", width=0.01, needed=None)
    ]


def test_widths_narrow_and_say_why_sizes_ended(tmp_path: Path) -> None:
    network = Network(28.0, 94.1, noise=0.02)
    run = write_run(tmp_path / "r", network, sizes=SIZES, launches=30, change=with_goal)
    [figure] = convergence_figures(ReportMaterial([run]))
    rows = figure.tables["convergence"]
    assert {row["launches"] for row in rows} == {6, 12, 17, 25, 30}
    first, last = ([r["width"] for r in rows if r["launches"] == at] for at in (6, 30))
    assert np.mean(last) < np.mean(first)
    ended = {row["size"]: row["ended"] for row in figure.tables["ends"]}
    assert ended == {1: PLANNED, 1024: REASONS["width"], 65536: PLANNED}
    assert [row["width"] for row in figure.tables["targets"]] == [0.02]
    reached = sum(width <= 0.02 for width in last)
    assert f"{reached} of 3 sizes reached" in figure.caption


def test_too_few_launches_have_no_figure(tmp_path: Path) -> None:
    assert convergence_figures(ReportMaterial([write_run(tmp_path / "r", sizes=SIZES)])) == []
