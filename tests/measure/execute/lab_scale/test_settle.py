"""Which labs are tried before a run, and what is said of their scale; the trial itself is replaced."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.live.slow_machine import slow_machine
from weft.measure.execute.lab_scale.load import OfferedLoad, load_of_pair, loads_of
from weft.measure.execute.lab_scale.self_test import possible_mbps
from weft.measure.execute.lab_scale.settle import (
    LabScale,
    at_carried_scale,
    settle_lab,
    settle_scale,
)
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest
from weft.network.fabrics.load import load_fabric
from weft.plan.load import load_plan

STAR = """name = "star"
[[hosts]]
ids = "n[1-{hosts}]"
attach = "switch"
link = {{ {link} }}
[[switches]]
ids = "switch"
"""


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Scales that were tried on a machine of two processors that carries 600 Mb/s."""
    return slow_machine(monkeypatch)


def star(folder: Path, hosts: int, link: str) -> str:
    path = folder / "star.toml"
    path.write_text(STAR.format(hosts=hosts, link=link))
    return str(path)


def settled(fabric: str, given: float | None = None) -> LabScale:
    return settle_scale(fabric, given, [OfferedLoad.of_all(fabric)])


def codes(found: LabScale) -> list[str]:
    return [one.code for one in found.notes]


def test_a_lab_that_is_not_carried_gets_a_scale_and_says_so(tried: list[float]) -> None:
    found = settled("fat-tree-16")
    assert found.scale == 0.1 and tried == [0.5, 0.1]
    [note] = found.notes
    assert note.code == "lab-scaled"
    assert "16 hosts at 100 Mb/s" in note.message and "scale 0.1" in note.message
    assert "10.0 Mb/s in place of 100 Mb/s" in note.message


def test_a_scale_that_is_too_large_is_kept_with_a_warning(tried: list[float]) -> None:
    found = settled("fat-tree-16", 1.0)
    assert (found.scale, codes(found), tried) == (1.0, ["lab-overloaded"], [1.0])
    assert "0.600 of 1.51 Gb/s" in found.notes[0].message
    assert "--scale 0.1," in found.notes[0].hint


def test_a_scale_that_is_carried_is_no_matter(tried: list[float]) -> None:
    assert settled("fat-tree-16", 0.1) == LabScale(0.1)
    assert tried == [0.1]


@pytest.mark.parametrize("fabric", ["fast-ethernet-pair", "long-fat", "mtu-hole", "pair"])
def test_what_any_machine_carries_is_not_tried(fabric: str, tried: list[float]) -> None:
    assert settled(fabric) == LabScale(1.0) and not tried


def test_hosts_without_a_rate_are_named(tmp_path: Path, tried: list[float]) -> None:
    found = settled(star(tmp_path, 3, 'delay = "5 us"'))
    assert (found.scale, codes(found), tried) == (1.0, ["lab-unlimited"], [])
    assert found.notes[0].message.startswith("n[1-3] have no link rate")


def test_hosts_at_ten_gigabits_are_scaled(tmp_path: Path, tried: list[float]) -> None:
    found = settled(star(tmp_path, 2, 'rate = "10 Gb/s"'))
    assert (found.scale, codes(found)) == (0.02, ["lab-scaled"])


@pytest.mark.parametrize(
    ("plan", "hosts"),
    [("xray", 16), ("aapc", 16), ("matrix", 16), ("signature", 2), ("latency", None)],
)
def test_a_plan_loads_the_hosts_that_it_sends_between(plan: str, hosts: int | None) -> None:
    loads = loads_of(load_plan(plan), 16)
    assert max((len(load.hosts) for load in loads), default=None) == hosts


def test_of_two_hosts_one_sends_and_of_many_all(tmp_path: Path) -> None:
    assert OfferedLoad((0, 1)).mbps([100, 10, 100]) == 100
    assert OfferedLoad((0, 1, 2)).mbps([100, 10, 100]) == 210
    assert OfferedLoad((0, 1, 2)).mbps([100, float("inf"), 100]) == 200


def test_a_run_is_told_its_scale(tmp_path: Path, tried: list[float], own_registry: None) -> None:
    request = RunRequest("xray", "lab:fat-tree-16")
    found = at_carried_scale(request)
    assert found.options.scale == 0.1 and [one.code for one in found.notes] == ["lab-scaled"]
    kept = at_carried_scale(RunRequest("xray", "lab:fat-tree-16", RunOptions(scale=1.0)))
    assert kept.options.scale == 1.0 and [one.code for one in kept.notes] == ["lab-overloaded"]
    pair = RunRequest("signature", "lab:fat-tree-16", RunOptions(scale=1.0))
    simulated = RunRequest("xray", "sim:fat-tree-16")
    assert at_carried_scale(replace(pair, options=RunOptions())) == pair
    assert at_carried_scale(simulated) == simulated


def test_a_fabric_lets_through_its_cables_and_inner_limits(tmp_path: Path) -> None:
    ring = [(0, 1), (1, 2), (2, 0)]
    fabric = star(tmp_path, 3, 'rate = "100 Mb/s"')
    assert possible_mbps(load_fabric(fabric), ring) == pytest.approx(3 * 94.15, rel=1e-3)
    narrow = Path(fabric).read_text() + 'capacity = "150 Mb/s"\n'
    Path(fabric).write_text(narrow)
    assert possible_mbps(load_fabric(fabric), ring) == pytest.approx(150 * 1448 / 1518, rel=1e-2)
    spines = load_fabric("leaf-spine")
    assert possible_mbps(spines, ring) > 0


def test_a_pair_is_settled_by_its_cable(
    tmp_path: Path, tried: list[float], own_registry: None
) -> None:
    fast = "lab:" + star(tmp_path, 2, 'rate = "10 Gb/s"')
    found = settle_lab(fast, None, load_of_pair)
    assert (found.scale, codes(found)) == (0.02, ["lab-scaled"])
    given = settle_lab(fast, 1.0, load_of_pair)
    assert (given.scale, codes(given)) == (1.0, ["lab-overloaded"])


def test_a_lab_without_a_pair_and_real_machines_are_left_to_who_opens_them(
    tmp_path: Path, tried: list[float], own_registry: None
) -> None:
    alone = "lab:" + star(tmp_path, 1, 'rate = "10 Gb/s"')
    assert settle_lab(alone, None, load_of_pair) == LabScale(1.0)
    assert settle_lab("ssh:a,b", None, load_of_pair) == LabScale(1.0)
    assert settle_lab("ssh:a,b", 0.5, load_of_pair) == LabScale(0.5)
    assert not tried
