from __future__ import annotations

import pytest

from weft.nodeset import fold, natural


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ([], ""),
        (["n1"], "n1"),
        (["n1", "n2", "n3", "n10"], "n[1-3,10]"),
        (["n2", "n1"], "n[1-2]"),
        (["a1", "b7", "a2"], "a[1-2],b7"),
        (["n08", "n09", "n10", "n11"], "n[08-11]"),
        (["master", "n1"], "master,n1"),
        (["rack1-n1", "rack1-n2", "rack2-n1"], "rack1-n[1-2],rack2-n1"),
        (["n5", "n5"], "n5"),
    ],
)
def test_names_fold(names: list[str], folded: str) -> None:
    assert fold(names) == folded


def test_numbers_sort_by_value() -> None:
    assert sorted(["n10", "n2", "login", "n1"], key=natural) == ["login", "n1", "n2", "n10"]
