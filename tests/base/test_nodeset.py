import pytest

from support.made.cases import cases
from weft.base.nodeset import fold, fold_groups, fold_in_order, fold_names, natural


@pytest.mark.parametrize(("names", "folded"), cases("node_sets", "folded"))
def test_names_fold(names: list[str], folded: str) -> None:
    assert fold(names) == folded


def test_names_are_folded_by_the_node_that_they_are_of() -> None:
    names = ["n10 out", "n9 out", "upper to rack1", "upper to rack2", "rack1 to upper", "n9 in"]
    assert fold_names(names) == ["n9 in", "n[9-10] out", "rack1 to upper", "upper to rack[1-2]"]
    assert fold_names(["the switch"]) == ["the switch"]
    assert fold_names(["into m1/asic1", "into m2/asic1"]) == ["into m1/asic1", "into m2/asic1"]


def test_groups_are_counted_and_the_first_and_last_of_them_named() -> None:
    racks = [[f"n{16 * rack + host}" for host in range(1, 17)] for rack in (15, *range(15))]
    assert fold_groups(racks) == "16 groups of 16 (n[1-16] ... n[241-256])"
    assert fold_groups(racks[:1]) == "n[241-256]"


def test_numbers_sort_by_value() -> None:
    assert sorted(["n10", "n2", "login", "n1"], key=natural) == ["login", "n1", "n2", "n10"]


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["n2", "n1", "m3", "m4"], "n2,n1,m[3-4]"),
        (["s", "s0", "s00", "s1"], "s,s0,s00,s1"),
        (["n08", "n09", "n10"], "n[08-10]"),
        (["n1", "n1"], "n1,n1"),
    ],
)
def test_folding_in_order_keeps_the_order(names: list[str], folded: str) -> None:
    assert fold_in_order(names) == folded
