"""Segments that were sent again: what counts as lost, and what a full queue or a beginning connection loses."""

from __future__ import annotations

import numpy as np

from weft.base.statistics import Floats
from weft.operate.acceptance.pair_verdicts import PairJudge
from weft.operate.acceptance.pairs import PairMatrix
from weft.operate.acceptance.requirements import requirement
from weft.operate.acceptance.verdict import RequirementVerdict

NODES = 12
SENT = 1000.0


def judged(resent: Floats, calm: bool = True) -> RequirementVerdict:
    table = np.full((NODES, NODES), 90.0)
    np.fill_diagonal(table, np.nan)
    nothing = np.zeros((NODES, NODES))
    pairs = PairMatrix(
        names=tuple(f"n{node + 1}" for node in range(NODES)),
        mbps=table,
        expected_mbps=table,
        sharing=np.ones_like(table),
        calm=np.full((NODES, NODES), calm),
        again_mbps={(0, 1): np.full(6, 90.0), (1, 0): np.full(6, 90.0)},
        sent=np.where(np.isnan(table), 0.0, SENT),
        resent=resent,
        again_sent=nothing,
        again_resent=nothing,
    )
    wanted = requirement("loss.retransmits", "0.1 %")
    return PairJudge(pairs, None, lambda node: {}).verdict(wanted)


def test_a_node_that_loses_on_all_routes_is_named_with_its_direction() -> None:
    resent = np.zeros((NODES, NODES))
    resent[:, 4] = 5.0
    found = judged(resent)
    assert found.status == "not met" and found.measured and found.limit is not None
    assert found.measured.low > found.limit
    assert (found.symptoms[0].element, found.symptoms[0].direction) == ("n5", "in")


def test_bursts_of_single_connections_and_full_queues_are_no_fault() -> None:
    burst = np.zeros((NODES, NODES))
    burst[4, 5] = burst[5, 6] = 80.0
    assert judged(burst).status == "met"
    everywhere = np.full((NODES, NODES), 10.0)
    assert judged(everywhere).status == "not met"
    assert judged(everywhere, calm=False).status == "not decided"
