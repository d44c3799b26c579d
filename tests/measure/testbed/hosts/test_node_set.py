"""Node sets as users write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.made.cases import cases
from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.measure.testbed.hosts.node_set import expand


@pytest.mark.parametrize(("text", "names"), cases("node_sets", "unfolded"))
def test_sets_unfold_in_the_order_of_their_names(text: str, names: list[str]) -> None:
    assert expand(text) == names


def test_groups_are_those_that_are_given() -> None:
    groups = {"rack1": ["n1", "n2"], "gpu": ["n2", "n9"]}
    assert expand("@rack1,@gpu", groups) == ["n1", "n2", "n9"]
    assert expand("@rack1!@gpu", groups) == ["n1"]
    with pytest.raises(RequestError, match="'@nosuch' has no nodes") as caught:
        expand("@nosuch", groups)
    assert caught.value.hint == "groups: gpu, rack1"


@pytest.mark.parametrize(("text", "says"), cases("node_sets", "slips"))
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
