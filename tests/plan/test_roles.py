"""A phase seen by its nodes, and without some of them."""

from __future__ import annotations

from typing import Any

from weft.plan.roles import participants, parts, without

STEP = {"pattern": {"kind": "x", "chunk_bytes": 4096}, "stop": {"rule": "count", "repeats": 1}}


def phase(*routes: tuple[int, ...], work: str = "stream") -> dict[str, Any]:
    transfers = [
        {"src": src, "dst": dst, "bytes": 8, "streams": 2, "network": network[0] if network else 0}
        for src, dst, *network in routes
    ]
    return {"index": 3, "size_bytes": 8, "work": work, "transfers": transfers}


def routes(a_phase: dict[str, Any]) -> list[tuple[int, int, int]]:
    return [(one["src"], one["dst"], one["network"]) for one in a_phase["transfers"]]


def test_each_node_gets_its_part_and_one_without_any_an_empty_one() -> None:
    found = parts(phase((0, 1), (1, 2)), [0, 1, 2, 3], STEP)
    assert [len(found[node]["send"]) for node in range(4)] == [1, 1, 0, 0]
    assert [len(found[node]["receive"]) for node in range(4)] == [0, 1, 1, 0]
    assert found[1]["send"] == [{"dst": 2, "streams": 2, "network": 0}]
    assert found[3]["phase"] == 3 and found[3]["stop"] == STEP["stop"]


def test_a_phase_may_have_its_own_stop_rule() -> None:
    own = {"rule": "time", "trial_ns": 1, "trials": 1}
    assert parts(phase((0, 1)) | {"stop": own}, [0, 1], STEP)[0]["stop"] == own


def test_transfers_of_lost_nodes_are_left_out() -> None:
    left = without(phase((0, 1), (1, 2), (2, 3)), {1})
    assert routes(left) == [(2, 3, 0)]
    assert participants(left) == {2, 3}


def test_a_chain_closes_up_behind_a_lost_node() -> None:
    chain = phase((0, 1), (1, 2), (2, 3), (0, 1, 1), (1, 2, 1), (2, 3, 1), work="cast")
    assert routes(without(chain, {1})) == [(0, 2, 0), (2, 3, 0), (0, 2, 1), (2, 3, 1)]
    assert routes(without(chain, {0, 3})) == [(1, 2, 0), (1, 2, 1)]
    assert routes(without(chain, {0, 1, 2})) == []
