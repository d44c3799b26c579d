"""Which node sends to which when nodes fail, and which node is suspected."""

from weft.measure.execute.file_cast.chain import Chain, ChainLink
from weft.measure.execute.file_cast.stall import Stalls
from weft.measure.testbed.agent.reply import CastProgress


def made(*nodes: int) -> Chain:
    chain = Chain(list(nodes))
    chain.links()
    return chain


def test_links_have_numbers_of_their_own_and_the_last_node_sends_to_none() -> None:
    assert Chain([4, 1, 2]).links() == [
        ChainLink(1, 4, 1),
        ChainLink(2, 1, 2),
        ChainLink(3, 2, None),
    ]


def test_a_gap_is_closed_and_the_old_link_counts_no_more() -> None:
    chain = made(0, 1, 2, 3)
    assert chain.remove(2) == ChainLink(5, 1, 3)
    assert chain.current(3, "predecessor") == chain.current(1, "successor") == ChainLink(5, 1, 3)
    assert chain.current(2, "predecessor") is None
    assert chain.remove(3) == ChainLink(6, 1, None)
    assert chain.current(1, "successor") is None


def test_a_link_is_tried_twice_then_the_node_that_is_not_reached_is_suspected() -> None:
    chain = made(0, 1, 2, 3)
    assert chain.suspect(ChainLink(2, 1, 2)) is None
    assert chain.suspect(ChainLink(5, 1, 2)) == 2
    chain.remove(2)
    assert chain.suspect(ChainLink(6, 1, 3)) is None
    assert chain.suspect(ChainLink(7, 1, 3)) == 1, "it reached neither"


def test_the_source_is_never_suspected() -> None:
    chain = made(0, 1, 2)
    for node in (1, 2):
        assert chain.suspect(ChainLink(9, 0, node)) is None
        assert chain.suspect(ChainLink(9, 0, node)) == node


def spent(known: int) -> CastProgress:
    sums = ("read", "receive", "write", "forward", "wait", "blocked")
    return CastProgress(
        **{f"{name}_ns": 0 for name in sums},
        **dict.fromkeys(("held_bytes", "damaged", "stored"), 0),
        **dict.fromkeys(("first_ns", "last_ns", "whole_ns"), None),
        received_bytes=(0, 0),
        sent_bytes=(0, 0),
        known=known,
    )


def test_of_nodes_that_stand_still_the_last_is_stuck() -> None:
    stalls, order = Stalls(patience_s=10), [0, 1, 2, 3]
    for second in range(13):
        for node, known in enumerate((100 + second, 90, 80, 80)):
            stalls.hear(node, spent(known), second)
        found = stalls.stuck(order, second)
    assert found == 2, "node 3 has all that node 2 has"
    stalls.hear(2, spent(81), 13)
    assert stalls.stuck(order, 13) == 1


def test_a_node_that_says_nothing_is_found() -> None:
    stalls = Stalls(patience_s=2)
    assert stalls.silent([0, 1], 0) is None
    stalls.hear(0, spent(1), 3)
    assert stalls.silent([0, 1], 3) == 1
