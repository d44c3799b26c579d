"""Generators with ranges."""

import pytest

from weft.base.errors import RequestError
from weft.decisions.decision.ranges import Ranges


def test_ranges_steps_and_lists_are_multiplied() -> None:
    found = Ranges("fat-tree(k=16..48/16,oversubscription=1|2|4,rate=10 Gb/s)")
    assert found.count == 9
    networks = list(found.networks())
    assert networks[0] == (
        "fat-tree(k=16,oversubscription=1,rate=10 Gb/s)",
        "k=16,oversubscription=1",
    )
    assert networks[-1][1] == "k=48,oversubscription=4"


@pytest.mark.parametrize("name", ["two-racks", "mine/net.toml", "crossbar(hosts=64)"])
def test_what_has_no_range_is_one_design(name: str) -> None:
    assert list(Ranges(name).networks()) == [(name, "")]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("k=48..16", "empty range"),
        ("k=16..48/0", "empty range"),
        ("k=a..b", "no range of whole numbers"),
        ("k=16||32", "empty place"),
        ("k=16|16..18", "twice"),
        ("k=1..9999999", "10^6 values"),
    ],
)
def test_a_range_that_is_none(values: str, said: str) -> None:
    with pytest.raises(RequestError, match=said.replace("^", r"\^")):
        Ranges(f"fat-tree({values})")


def test_a_million_designs_are_counted_without_being_made() -> None:
    assert Ranges("torus(dims=4x4,a=1..1000,b=1..1000,c=1..1000)").count == 10**9
