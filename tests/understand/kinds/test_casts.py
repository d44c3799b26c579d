"""Which node held a cast back, told from where its time went."""

import pytest

from weft.understand.kinds.casts.cast import SPENT, NodeCast, find_slow

ELAPSED_MS = 10_000.0
SIZE_BYTES = 100_000_000


def node(name: str, link_mbps: float, **spent_ms: float) -> NodeCast:
    times = dict.fromkeys(SPENT, 0.0) | {"receive": 9_000.0} | spent_ms
    return NodeCast(
        name, "before", 0.0, ELAPSED_MS, ELAPSED_MS, link_mbps, times, 0, (SIZE_BYTES,), 0
    )


def test_a_node_with_a_slow_link_is_named() -> None:
    slow = find_slow([node("a", 90), node("b", 50), node("c", 92)], SIZE_BYTES, ELAPSED_MS)
    assert slow and (slow.node, slow.cause, slow.mbps, slow.others_mbps) == ("b", "link", 50, 91)
    assert (
        slow.text
        == "b holds the chain back: 50 Mb/s come over its link, 91 over those of the others"
    )


def test_a_node_with_a_slow_disk_is_named_by_what_its_disk_takes() -> None:
    waits = node("b", 900, blocked=6_000, write=8_000)
    slow = find_slow([node("a", 900), waits], SIZE_BYTES, ELAPSED_MS)
    assert slow and (slow.node, slow.cause, slow.mbps) == ("b", "disk", 100)


@pytest.mark.parametrize(
    ("nodes", "elapsed_ms"),
    [
        ([node("a", 90), node("b", 80)], ELAPSED_MS),
        # A link with hardly anything to carry, and a cast that is too short to tell.
        ([node("a", 90), node("b", 20, receive=1_000)], ELAPSED_MS),
        ([node("a", 90), node("b", 20, receive=300)], 300.0),
        ([node("a", 20)], ELAPSED_MS),
    ],
)
def test_nodes_that_are_alike_and_links_that_rest_are_not_named(nodes, elapsed_ms) -> None:
    assert find_slow(nodes, SIZE_BYTES, elapsed_ms) is None
