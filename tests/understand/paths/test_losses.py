"""Lossy paths are named by what was sent again on them, links by what their paths have in common."""

from collections.abc import Iterator

import pytest

from weft.base.interval import Interval
from weft.runs.records.records import ChosenPhase
from weft.understand.host.resent import At, SegmentCounts
from weft.understand.paths.blame import lossy_links
from weft.understand.paths.connection import PathConnection
from weft.understand.paths.declared import path_differences
from weft.understand.paths.leaf_paths import LeafPath, LeafPaths
from weft.understand.paths.losses import with_losses
from weft.understand.paths.report import PathReport

ALONE = Interval(1.0, 1.0, 1.0)
LEAVES = [(0, 1), (2, 3), (4, 5)]
NAMES = tuple(f"n{number}" for number in range(1, 7))
SENT = 160.0


def pair(src: int, dst: int, paths: int = 2, connections: int = 8) -> LeafPaths:
    """Paths of so many connections each, from a leaf to another."""
    ports = iter(range(20_000 + 100 * (3 * src + dst), 30_000))
    found = tuple(
        LeafPath(
            tuple(
                PathConnection(LEAVES[src][0], LEAVES[dst][0], next(ports))
                for _ in range(connections)
            ),
            *(ALONE, ALONE, True),
        )
        for _ in range(paths)
    )
    return LeafPaths(LEAVES[src], LEAVES[dst], "several", found, None, 0)


def measured(
    pairs: list[LeafPaths], lossy: set[tuple[int, int]]
) -> tuple[list[ChosenPhase], dict[At, SegmentCounts]]:
    """Each connection by itself once; on lossy paths, by pair and number, one segment of 80 is lost."""
    records, counted = [], {}
    for at, path, connection in connections(pairs):
        phase = len(records)
        sent = [{"src": connection.src, "dst": connection.dst, "port": connection.port}]
        records.append({"step": 0, "phase": phase, "transfers": sent})
        counted[phase, connection.src] = SegmentCounts(SENT, 2.0 if (at, path) in lossy else 0.0)
    return records, counted  # type: ignore[return-value]


def connections(pairs: list[LeafPaths]) -> Iterator[tuple[int, int, PathConnection]]:
    for at, one in enumerate(pairs):
        for number, path in enumerate(one.paths):
            for connection in path.connections:
                yield at, number, connection


def test_a_lossy_uplink_is_one_link_of_its_leaf() -> None:
    pairs = [pair(0, 1), pair(0, 2), pair(1, 0), pair(2, 0), pair(1, 2), pair(2, 1)]
    told = with_losses(pairs, *measured(pairs, {(0, 1), (1, 0)}))
    (link,) = lossy_links(told)
    assert (link.side, link.leaf) == ("out", (0, 1))
    report = PathReport(NAMES, tuple(told), (), (link,))
    assert "Leaf n[1-2]: 1 of 2 uplinks loses 1.2 % of the frames; " in report.verdict
    assert report.to_json()["lossy"][0]["loss_share"] == pytest.approx(1 / 80)


def test_where_nothing_is_lost_or_counted_no_path_is_lossy() -> None:
    pairs = [pair(0, 1), pair(1, 0)]
    records, counted = measured(pairs, set())
    for known in (counted, {}):
        assert lossy_links(with_losses(pairs, records, known)) == []


def test_more_paths_there_than_back_are_said_once() -> None:
    report = PathReport(NAMES, (pair(0, 1, 4), pair(1, 0, 2, connections=12)), ())
    said = "n[1-2] to n[3-4] there are 4 paths, and back 2: routes are not symmetric."
    assert report.verdict.count("not symmetric") == 1 and said in report.verdict


def test_one_path_fewer_back_may_be_one_that_was_not_told_apart() -> None:
    report = PathReport(NAMES, (pair(0, 1, 4), pair(1, 0, 3)), ())
    assert "not symmetric" not in report.verdict


def test_paths_that_no_connection_takes_differ_from_the_declared_ones() -> None:
    ends = [["n1", "leaf1"], ["n3", "leaf2"], *[["leaf1", "leaf2"]] * 2]
    way = {"rate_bits_per_s": 10_000_000}
    links = [{"ends": one, "dead": False, "forward": way, "backward": way} for one in ends]
    fabric = {"hosts": [{"name": "n1"}, {"name": "n3"}], "links": links}
    report = PathReport(NAMES, (pair(0, 1, 2), pair(1, 0, 1)), ())
    (said,) = path_differences(report, fabric)  # type: ignore[arg-type]
    assert said.startswith("n[3-4] to n[1-2]: connections take 1 of 2 declared paths: ")


def test_sprayed_packets_leave_no_paths() -> None:
    report = PathReport(NAMES, (pair(0, 1).sprayed(),), (), overtaken_share=0.113)
    assert report.verdict.startswith(
        "Packets of one connection overtake each other (11.3 % of them)"
    )
    assert list(report.lines()) == ["n[1-2] to n[3-4]: sprayed"]
