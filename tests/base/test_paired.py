"""Bounds of paired differences that hold while one looks at them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import wilcoxon

from weft.base.paired import LOOKS, bounds, middle


@pytest.mark.parametrize("error", [0.15, 0.02])
def test_all_looks_together_err_as_seldom_as_is_said(error):
    """Over all signs that these differences may have, which are as likely where both are alike: each is an exact count,
    whatever the sizes of the differences."""
    sizes = np.geomspace(0.001, 3, 12)[[4, 11, 0, 7, 2, 9, 5, 1, 10, 3, 8, 6]]
    looks = [look for look in LOOKS if look <= len(sizes)]
    wrong = 0
    for signs in itertools.product((-1, 1), repeat=len(sizes)):
        found = (bounds(sizes[:look] * signs[:look], error) for look in looks)
        wrong += any(one is not None and one.low > 0 for one in found)
    assert 0.25 * error < wrong / 2 ** len(sizes) <= error


def test_what_is_outside_of_the_bounds_is_rejected_by_the_signed_rank_test():
    values = np.random.default_rng(1).normal(0.1, 1, 24)
    found = bounds(values, 0.05)
    assert found is not None
    for shift, side in ((found.low - 1e-9, "greater"), (found.high + 1e-9, "less")):
        assert wilcoxon(values - shift, alternative=side, method="exact").pvalue < 0.05
    for shift, side in ((found.low + 1e-9, "greater"), (found.high - 1e-9, "less")):
        # Looks before it had most of the error: this one is the ninth.
        assert wilcoxon(values - shift, alternative=side, method="exact").pvalue > 0.0005
    assert found.low < middle(values) == found.median < found.high


def test_a_difference_without_end_is_borne():
    """Where no message arrived, a candidate is worse without end."""
    found = bounds([-np.inf] * 4 + [0.1] * 2, 0.15)
    assert found is not None
    assert found.median < -1000 < 0.1 == found.high


def test_too_few_blocks_say_nothing():
    assert bounds([1.0] * 3, 0.1) is None
    assert bounds([1.0] * 9, 0.0005) is None
    assert bounds([1.0] * 12, 0.0005) is not None


def test_what_is_not_known_is_no_tie():
    for differences in ([0.1, np.nan, 0.2, 0.3, 0.4], [np.nan]):
        for asked in (middle, lambda one: bounds(one, 0.15)):
            with pytest.raises(ValueError, match="a difference is NaN"):
                asked(differences)


def test_of_nothing_there_is_no_middle_and_there_are_no_bounds():
    with pytest.raises(ValueError, match="no differences"):
        middle([])
    assert bounds([], 0.15) is None
