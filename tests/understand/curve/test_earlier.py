"""Earlier runs that a run is measured against, and those that are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from support.runs import affine_us, launches_of, pingpong_run
from weft.base.errors import RequestError
from weft.plan.load import load_plan
from weft.plan.plan import Plan
from weft.runs.folder import RunFolder
from weft.understand.curve.earlier import earlier_run, recorded_run

SIZES = [1, 1024, 2**16]
BY_ITSELF = load_plan("signature", [("steps.pingpong.sizes", '["1 B", "1 KiB", "1 MiB"]')])


def made(path: Path, launches: int = 6, sizes: list[int] = SIZES, **meta: object) -> RunFolder:
    times_us = launches_of(affine_us(sizes, 28.0, 94.1), launches, noise=0.01)
    return pingpong_run(path, sizes, times_us, **meta)


def refused(path: Path, plan: Plan = BY_ITSELF) -> str:
    with pytest.raises(RequestError) as caught:
        earlier_run(str(path), plan)
    return caught.value.message


def test_it_has_the_launches_of_the_sizes_that_the_plan_has(tmp_path: Path) -> None:
    made(tmp_path / "a")
    found = earlier_run(str(tmp_path / "a"), BY_ITSELF)
    assert list(found.of_step(0)) == [1, 1024] and found.of_step(1) == {}
    assert [len(one.times_us) for one in found.of_step(0).values()] == [6, 6]
    assert found.of_step(0)[1].times_us == pytest.approx(np.full(6, 28.1), rel=0.03)
    assert not found.of_step(0)[1].ended_by_itself


def test_it_is_known_by_its_samples_wherever_they_are_packed(tmp_path: Path, monkeypatch) -> None:
    made(tmp_path / "a")
    monkeypatch.chdir(tmp_path)
    recorded = earlier_run("a", BY_ITSELF).recorded()
    assert recorded["path"] == str(tmp_path / "a")
    monkeypatch.chdir("/")
    assert recorded_run(recorded, BY_ITSELF).recorded() == recorded
    shutil.rmtree(tmp_path / "a")
    made(tmp_path / "a", launches=7)
    with pytest.raises(RequestError, match="not those that the run was begun against"):
        recorded_run(recorded, BY_ITSELF)
    shutil.rmtree(tmp_path / "a")
    with pytest.raises(RequestError, match="no such folder"):
        recorded_run(recorded, BY_ITSELF)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    assert "no such folder" in refused(tmp_path / "none")
    made(tmp_path / "few", launches=3)
    assert "fewer than 4 launches" in refused(tmp_path / "few")
    made(tmp_path / "other", sizes=[3, 5])
    assert "shares no size with the plan signature" in refused(tmp_path / "other")
    made(tmp_path / "best", statistic="best")
    assert "the best of several trials" in refused(tmp_path / "best")
    counted = load_plan("signature", [("launches", "5")])
    made(tmp_path / "a")
    assert "do not end by themselves" in refused(tmp_path / "a", counted)
