"""Runs between many nodes, held against each other route by route."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import weft
from support.synthetic_cluster import Cluster, Step, write_cluster_run
from weft.compare.comparison import compare
from weft.compare.routes import RoutePair


def test_each_route_has_its_ratio_and_the_slow_one_stands_out(tmp_path: Path) -> None:
    a = write_cluster_run(
        tmp_path / "a", Cluster(4, 94.1, slow_routes={(0, 2): 47.05}), [Step.matrix()]
    )
    b = write_cluster_run(tmp_path / "b", Cluster(4, 94.1), [Step.matrix()])
    found = compare(a, b)
    assert len(found.pairs) == 12
    assert all(isinstance(pair, RoutePair) for pair in found.pairs)
    ratios = {(pair.src, pair.dst): pair.ratio.median for pair in found.pairs}  # type: ignore[attr-defined]
    assert ratios.pop(("n1", "n3")) == pytest.approx(0.5, rel=0.05)
    assert list(ratios.values()) == pytest.approx([1.0] * 11, rel=0.05)
    assert found.worst_abs_error_pct == pytest.approx(50, abs=3)
    document = found.to_json()["points"][0]
    assert {"pattern", "size_bytes", "a", "b", "ratio", "phase", "src", "dst"} <= document.keys()


def test_steps_of_the_same_pattern_are_kept_apart(tmp_path: Path) -> None:
    steps = [Step.matrix(), Step.alltoall(), Step.alltoall()]
    a = write_cluster_run(tmp_path / "a", Cluster(4, noise=0.0), steps)
    b = write_cluster_run(tmp_path / "b", Cluster(4, noise=0.0), steps[:2])
    found = compare(a, b)
    assert len(found.pairs) == 24 and found.unmatched_a == 12 and found.unmatched_b == 0
    assert found.worst_abs_error_pct == pytest.approx(0, abs=1e-6)


def test_a_route_that_carried_nothing_is_left_out(tmp_path: Path) -> None:
    dead = Cluster(4, dead_routes=frozenset({(0, 1)}))
    a = write_cluster_run(tmp_path / "a", dead, [Step.matrix()])
    b = write_cluster_run(tmp_path / "b", Cluster(4), [Step.matrix()])
    found = compare(a, b)
    assert len(found.pairs) == 11
    assert found.unmatched_b == 1


def test_people_get_a_line_for_each_step(tmp_path: Path) -> None:
    a = write_cluster_run(tmp_path / "a", Cluster(4), [Step.matrix(), Step.alltoall()])
    said = weft("compare", a.directory, a.directory).stdout
    assert "matrix" in said and "alltoall" in said
    assert "0.0 % at worst, over 24 routes" in said
