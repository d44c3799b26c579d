"""Several runs of each network: what runs differ by is told from what networks differ by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.here import weft, weft_json
from support.made.synthetic_cluster import Cluster, Step, write_cluster_run
from support.refusals import refused
from support.runs import affine_us, launches_of, pingpong_run
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import RunComparison, compare

SIZES = [2**power for power in range(0, 20, 2)]


def runs(folder: Path, rates_mbps: list[float]) -> list[RunFolder]:
    """Each with a rate of its own, from which its launches differ by a tenth of a percent."""
    return [
        pingpong_run(
            folder / f"{number}",
            SIZES,
            launches_of(affine_us(SIZES, 2.8 / rate, rate), 5, noise=0.001, seed=number),
        )
        for number, rate in enumerate(rates_mbps)
    ]


def held(a: list[RunFolder], b: list[RunFolder]) -> RunComparison:
    return compare(a[0], b[0], a[1:], b[1:])


def test_what_runs_of_one_network_differ_by_is_chance(tmp_path: Path) -> None:
    a = runs(tmp_path / "a", [90.0, 93.0, 89.0, 92.0])
    b = runs(tmp_path / "b", [92.5, 88.0, 91.0, 90.5])
    assert any(pair.significant for pair in compare(a[0], b[0]).pairs)
    found = held(a, b)
    assert not any(pair.significant for pair in found.pairs)
    assert found.simultaneous.repeated == "run" and found.simultaneous.launches == (4, 4)
    assert found.simultaneous.least_p == pytest.approx(2 / 70)


@pytest.mark.parametrize("count", [3, 4])
def test_what_networks_differ_by_is_found(tmp_path: Path, count: int) -> None:
    a = runs(tmp_path / "a", [100.0, 103.0, 99.0, 102.0][:count])
    b = runs(tmp_path / "b", [90.5, 88.0, 91.0, 90.0])
    found = held(a, b)
    assert all(pair.significant for pair in found.pairs)
    last = found.points[-1]
    assert (last.a.low, last.a.high) == pytest.approx((99, 103 if count > 1 else 100), rel=0.01)
    assert last.ratio.median == pytest.approx({3: 100, 4: 100}[count] / 90, rel=0.01)


def test_too_few_runs_prove_nothing_and_the_message_counts_runs(tmp_path: Path) -> None:
    a, b = runs(tmp_path / "a", [100.0, 101.0]), runs(tmp_path / "b", [90.0])
    found = held(a, b)
    assert {pair.significant for pair in found.pairs} == {None}
    (few,) = [one for one in found.warnings if one.code == "too-few-launches"]
    assert few.message.endswith("too few runs") and "four runs on each side" in (few.hint or "")


def test_a_run_that_is_given_twice_is_no_second_run(tmp_path: Path) -> None:
    a, b = runs(tmp_path / "a", [100.0, 101.0]), runs(tmp_path / "b", [90.0])
    with refused("is given twice"):
        held([*a, a[1]], b)
    with refused("is given twice"):
        held(a, [*b, a[0]])


def test_routes_are_held_run_by_run_and_those_that_a_run_lacks_are_counted(tmp_path: Path) -> None:
    def cluster(name: str, rate: float, nodes: int = 4) -> RunFolder:
        return write_cluster_run(tmp_path / name, Cluster(nodes, rate), [Step.matrix()])

    a = [cluster(f"a{rate}", rate) for rate in (94.0, 95.0, 96.0, 97.0)]
    b = [cluster(f"b{rate}", rate) for rate in (70.0, 71.0, 72.0, 73.0)]
    found = held(a, b)
    assert len(found.routes) == 12 and found.routes.a.by_launch_mbps.shape == (12, 4)
    assert found.routes.ratios == pytest.approx(np.full(12, 95 / 71), rel=0.02)
    assert all(found.judgement.significant)
    fewer = held([*a[:3], cluster("few", 97.0, nodes=3)], b)
    assert len(fewer.routes) == 6 and fewer.unmatched.a == 6


def test_the_command_names_all_runs_and_says_what_it_assumes(tmp_path: Path) -> None:
    a, b = runs(tmp_path / "a", [100.0, 101.0]), runs(tmp_path / "b", [90.0, 91.0])
    folders = [one.directory for one in (a[0], b[0])]
    said = " ".join(weft("compare", *folders).stdout.split())
    assert "5 % at most, if runs of one network differ by no more than launches do" in said
    more = ["--more-a", a[1].directory, "--more-b", b[1].directory]
    document = weft_json("compare", *folders, *more)
    assert document["more_a"] == [str(a[1].directory)]
    assert document["simultaneous"]["repeated"] == "run"
