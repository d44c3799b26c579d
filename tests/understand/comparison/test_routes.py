"""Runs between many nodes, held against each other route by route."""

import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from base.test_table import check_alone
from support.here import weft, weft_json
from support.made.synthetic_cluster import Cluster, Step, write_cluster_run
from support.plans import a_step
from support.runs import launches_of, step_rows, write_run
from weft.plan.pattern import AllToAll
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import RunComparison, UnmatchedCounts, compare
from weft.understand.comparison.routes import RoutePair
from weft.understand.comparison.tables import nodes_table, points_table, routes_table


def matrices(tmp_path: Path, a: Cluster, b: Cluster) -> tuple[RunFolder, RunFolder]:
    """A matrix of rates on each of two clusters."""
    return tuple(  # type: ignore[return-value]
        write_cluster_run(tmp_path / name, cluster, [Step.matrix()])
        for name, cluster in (("a", a), ("b", b))
    )


def ratios_of(found: RunComparison) -> dict[tuple[str, str], float]:
    return {(pair.src, pair.dst): pair.ratio.median for pair in found.pairs}  # type: ignore[attr-defined]


def test_each_route_has_its_ratio_and_the_slow_one_stands_out(tmp_path: Path) -> None:
    a, b = matrices(tmp_path, Cluster(4, 94.1, slow_routes={(0, 2): 47.05}), Cluster(4, 94.1))
    found = compare(a, b)
    assert len(found.pairs) == 12
    assert all(isinstance(pair, RoutePair) for pair in found.pairs)
    ratios = ratios_of(found)
    assert ratios.pop(("n1", "n3")) == pytest.approx(0.5, rel=0.05)
    assert list(ratios.values()) == pytest.approx([1.0] * 11, rel=0.05)
    assert found.worst_abs_error_pct == pytest.approx(50, abs=3)
    said = weft_json("compare", a.directory, b.directory)
    assert said["points"] == msgspec.to_builtins(found.pairs)
    keys = {"pattern", "size_bytes", "a", "b", "ratio", "significant", "phase", "src", "dst"}
    assert keys <= said["points"][0].keys()


def test_steps_of_the_same_pattern_are_kept_apart(tmp_path: Path) -> None:
    steps = [Step.matrix(), Step.alltoall(), Step.alltoall()]
    a = write_cluster_run(tmp_path / "a", Cluster(4, noise=0.0), steps)
    b = write_cluster_run(tmp_path / "b", Cluster(4, noise=0.0), steps[:2])
    found = compare(a, b)
    assert len(found.pairs) == 24 and found.unmatched == UnmatchedCounts(12, 0)
    assert found.worst_abs_error_pct == pytest.approx(0, abs=1e-6)


def test_nodes_that_one_run_lacks_are_left_out(tmp_path: Path) -> None:
    few = write_cluster_run(tmp_path / "few", Cluster(4), [Step.matrix()])
    many = write_cluster_run(tmp_path / "many", Cluster(6), [Step.matrix()])
    for a, b, routes in ((few, many, (12, 30)), (many, few, (30, 12))):
        found = compare(a, b)
        shared = len(found.pairs)
        assert shared > 0 and found.unmatched == UnmatchedCounts(
            *(all_ - shared for all_ in routes)
        )
        assert found.worst_abs_error_pct < 10


def test_a_route_that_carried_nothing_is_left_out(tmp_path: Path) -> None:
    found = compare(*matrices(tmp_path, Cluster(4, dead_routes=frozenset({(0, 1)})), Cluster(4)))
    assert len(found.pairs) == 11
    assert found.unmatched.b == 1


def test_a_route_that_one_launch_measured_is_not_known_to_differ(tmp_path: Path) -> None:
    """By the plan's five launches its one value, beside five lower ones, would."""
    flows = [(0, 1), (1, 0), (2, 3), (3, 2)]

    def run(name: str, rate_mbps: float) -> RunFolder:
        times_us = launches_of([8.0 * 1024 / rate_mbps], noise=0.01, seed=int(rate_mbps))
        once = times_us.copy()
        once[:, 1:] = np.nan
        times = dict.fromkeys(flows, times_us) | ({flows[0]: once} if name == "a" else {})
        rows = [step_rows([1024], times[flow], "alltoall", 0, flow, 0) for flow in flows]
        step = a_step(AllToAll(nodes=None, mode="phased"))
        return write_run(tmp_path / name, rows, [step], ("n1", "n2", "n3", "n4"))

    a, b = run("a", 94.0), run("b", 47.0)
    found = compare(a, b)
    assert [pair.significant for pair in found.pairs] == [None, True, True, True]
    assert found.simultaneous.rows == 3
    assert [pair.noise_a is None for pair in found.pairs] == [True, False, False, False]
    assert all(0 < pair.noise_b < 0.03 for pair in found.pairs)
    middle = 100 * np.median([pair.noise_b for pair in found.pairs])
    assert f"| {middle:.1f} % in the median" in weft("compare", a.directory, b.directory).stdout


def test_a_slow_node_is_named_before_its_routes(tmp_path: Path) -> None:
    a, b = matrices(tmp_path, Cluster(8, slow_out={2: 47.05}), Cluster(8))
    found = compare(a, b)
    assert [(one.node, one.direction) for one in found.nodes] == [("n3", "out")]
    assert found.nodes[0].ratio == pytest.approx(0.5, abs=0.02)
    said = weft("compare", a.directory, b.directory).stdout
    assert said.index("nodes that differ") < said.index("worst")
    assert compare(b, b).nodes == []
    for table in (
        points_table(found.each()),
        nodes_table(found.nodes),
        routes_table(found.routes),
    ):
        assert table.rows
        check_alone(table)


def test_nodes_of_other_names_are_matched_by_rank(tmp_path: Path) -> None:
    renamed = Cluster(4, names=("n1", "x", "y", "z"))
    found = compare(*matrices(tmp_path, Cluster(4, slow_routes={(0, 2): 47.05}), renamed))
    assert found.warnings[0].code == "nodes-by-rank"
    assert found.warnings[0].message.startswith("n[2-4] of a stand beside x,y,z of b")
    ratios = ratios_of(found)
    assert len(ratios) == 12 and ratios["n1", "n3"] == pytest.approx(0.5, rel=0.05)


def test_the_order_of_names_does_not_matter(tmp_path: Path) -> None:
    turned = Cluster(4, slow_out={3: 47.05}, names=("n4", "n3", "n2", "n1"))
    runs = matrices(tmp_path, Cluster(4, slow_out={0: 47.05}), turned)
    assert compare(*runs).worst_abs_error_pct < 10


def test_hundreds_of_thousands_of_routes_take_little_memory(tmp_path: Path) -> None:
    """As objects they took a gigabyte, and 120 MB more in a report that expanded its phases."""
    for name, rate in (("a", 10), ("b", 9)):
        fabric = f"sim:fat-tree(k=12,levels=3,rate={rate} Gb/s)"
        weft("run", "alltoall", "--on", fabric, "--out", tmp_path / name)
    said, most_kib = _most_memory("compare", tmp_path / "a", tmp_path / "b")
    assert f"over {2 * 432 * 431} routes" in said and most_kib < 500_000
    _, most_kib = _most_memory("report", tmp_path / "a", "--out", tmp_path / "page.html")
    assert most_kib < 500_000


def _most_memory(command: str, *arguments: str | Path) -> tuple[str, int]:
    """What a command of weft prints, and the most memory it had in KiB."""
    # VmHWM: the maxrss of getrusage counts the pages of the process that started this one, too.
    code = (
        f"import sys; from weft.faces.cli.results.{command} import {command}; "
        f"{command}.main(sys.argv[1:], standalone_mode=False); "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    whole = [sys.executable, "-c", code, *map(str, arguments)]
    said = subprocess.run(whole, capture_output=True, text=True, check=True).stdout
    return said, int(said.splitlines()[-1])


def test_people_get_a_line_for_each_step(tmp_path: Path) -> None:
    a = write_cluster_run(tmp_path / "a", Cluster(4), [Step.matrix(), Step.alltoall()])
    said = weft("compare", a.directory, a.directory).stdout
    assert "matrix" in said and "alltoall" in said
    assert "0.0 % at worst, over 24 routes" in said
