"""Node sets as users write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import RequestError
from weft.nodeset import fold
from weft.testbed.hosts.node_set import expand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[08-10]", ["n08", "n09", "n10"]),
        ("n2,n1", ["n2", "n1"]),
        ("n[1-3],n2", ["n1", "n2", "n3"]),
        ("n[1-4]!n[2-3]", ["n1", "n4"]),
        ("n[1-7/3]", ["n1", "n4", "n7"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("10.0.0.[9-10]", ["10.0.0.9", "10.0.0.10"]),
        ("root@n[1-2]", ["root@n1", "root@n2"]),
    ],
)
def test_sets_unfold_in_the_order_of_their_names(text: str, names: list[str]) -> None:
    assert expand(text) == names


def test_groups_are_those_that_are_given() -> None:
    groups = {"rack1": ["n1", "n2"], "gpu": ["n2", "n9"]}
    assert expand("@rack1,@gpu", groups) == ["n1", "n2", "n9"]
    assert expand("@rack1!@gpu", groups) == ["n1"]
    with pytest.raises(RequestError, match="'@nosuch' has no nodes") as caught:
        expand("@nosuch", groups)
    assert caught.value.hint == "groups: gpu, rack1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a name is missing"),
        ("n1,,n2", "a name is missing"),
        ("n[1-", "missing bracket"),
        ("n1]", "illegal closing bracket"),
        ("n[4-1]", "4-1"),
        ("n[a-b]", "a-b"),
        ("n1 n2", "'n1 n2' is not the name of a node"),
        ("-oProxyCommand=x", "is not the name of a node"),
        ("n[1-3]!n[1-3]", "has no nodes"),
        ("n[1-9999999]", "9,999,999 nodes"),
        ("n[1-999]m[1-999]", "998,001 nodes"),
    ],
)
def test_a_slip_is_named_with_the_set_it_is_in(text: str, says: str) -> None:
    with pytest.raises(RequestError) as caught:
        expand(text)
    assert caught.value.message.startswith(f"node set {text!r}: ")
    assert says in caught.value.message


def test_an_unknown_group_of_this_machine_is_named(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CLUSTERSHELL_CFGDIR", str(tmp_path))
    with pytest.raises(RequestError, match="@nosuchgroup"):
        expand("@nosuchgroup")


@given(st.lists(st.integers(0, 500), min_size=1, max_size=40, unique=True))
def test_what_is_folded_unfolds(numbers: list[int]) -> None:
    names = [f"n{number}" for number in sorted(numbers)]
    assert expand(fold(names)) == names
