from weft.base.alike import alike, listed


def test_three_of_a_kind_are_told_together_and_two_one_by_one() -> None:
    words = ["ab", "c", "de", "f", "gh", "ijk", "lmn"]
    assert alike(words, len) == [["ab", "de", "gh"], ["c"], ["f"], ["ijk"], ["lmn"]]


def test_values_near_the_first_one_are_alike_and_a_list_says_how_many_it_leaves_out() -> None:
    values = [100.0, 104.0, 96.0, 90.0, 0.0, 0.0, 0.0]
    assert alike(values, bool, float) == [[100.0, 104.0, 96.0], [90.0], [0.0, 0.0, 0.0]]
    assert alike(values, bool, float, 1.2)[0] == [100.0, 104.0, 96.0, 90.0]
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(["a", "b", "c"], 1) == "a and 2 more"
