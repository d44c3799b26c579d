"""Which folders are read as what, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.made.searched import copy_of_search, search
from support.refusals import refused
from support.runs import change_meta
from weft.decisions.recommendations.sources.source import ClusterIdentity
from weft.decisions.recommendations.sources.sources import read_sources, refuse_two_clusters


def test_two_clusters_are_refused_by_name() -> None:
    with refused("are of two clusters: sim:bad-cable and sim:fat-tree-16"):
        read_sources([str(search("bad-cable")), str(search("fat-tree-16"))])


ALL = ClusterIdentity({"n1": "10.0.0.1", "n2": "10.0.0.2", "n3": "10.0.0.3"}, "ssh:n[1-3]", 1.0)
LAB = ClusterIdentity({"n1": "", "n2": "", "n3": ""}, "lab:/tmp/mine.toml", 0.1, "mine")


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (ALL, ClusterIdentity({"m1": "", "m2": ""}, "ssh:m[1-2]"), "n[1-3] and m[1-2]"),
        (ALL, ClusterIdentity({"n1": "10.9.9.1"}, "ssh:n1"), "n1 is 10.0.0.1 and 10.9.9.1"),
        (
            ALL,
            ClusterIdentity({"n1": ""}, "sim:star"),
            "ssh:n[1-3] and sim:star, of which one is simulated",
        ),
        (
            LAB,
            ClusterIdentity({"n1": ""}, "lab:other", 0.1, "other"),
            "lab:/tmp/mine.toml and lab:other",
        ),
        (LAB, ClusterIdentity({"n1": ""}, "lab:/tmp/mine.toml", 1.0), "scale 0.1 and 1"),
    ],
)
def test_what_contradicts_itself(one: ClusterIdentity, other: ClusterIdentity, said: str) -> None:
    with refused(f"one and other are of two clusters: {said}"):
        refuse_two_clusters([(Path("other"), other), (Path("one"), one)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ALL, ClusterIdentity({"n2": ""}, "slurm:")),
        (ALL, ClusterIdentity({"n1": "10.0.0.1"})),
        (LAB, ClusterIdentity({"n1": ""}, "lab:mine", None, "mine")),
    ],
)
def test_what_may_be_the_same_cluster(one: ClusterIdentity, other: ClusterIdentity) -> None:
    refuse_two_clusters([(Path("one"), one), (Path("other"), other)])


def test_of_two_searches_the_newer_counts(tmp_path: Path) -> None:
    old, new = (copy_of_search("bad-cable", tmp_path / name) for name in ("old", "new"))
    change_meta(old, started="2026-01-01T00:00:00+00:00")
    found = read_sources([str(new), str(old)])
    assert [one.path for one in found.found] == [new]
    assert found.notes == (f"{old} is older than {new} and does not count",)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("check.json", '{"nodes": 3}', "not a record of a check"),
        ("acceptance.json", "{", "damaged"),
        ("tuning.json", "{}", "damaged"),
        ("run.json", "[]", "schema"),
        ("notes.txt", "", "nothing that weft knows of a cluster"),
    ],
)
def test_what_is_none_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with refused(said):
        read_sources([str(tmp_path)])


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with refused("no such folder or file"):
        read_sources([str(tmp_path / "nowhere")])
