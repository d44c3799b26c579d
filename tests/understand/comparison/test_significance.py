"""Differences among many rows, with one bound on the chance of a false one."""

import numpy as np
import pytest

from weft.understand.comparison.significance import can_differ, family_p, least_p

ROWS = 44


def networks(seed: int, launches: int, rows: int = ROWS) -> np.ndarray:
    """Throughputs by row and launch: a launch is faster or slower as a whole, and each row by itself."""
    random = np.random.default_rng(seed)
    of_launch = 0.02 * random.standard_normal(launches)
    return 94 * np.exp(of_launch + 0.01 * random.standard_normal((rows, launches)))


@pytest.mark.parametrize("launches", [4, 5])
def test_clear_differences_are_found_and_equal_networks_differ_in_five_of_a_hundred_at_most(
    launches: int,
) -> None:
    """Each size by itself, at the level that four launches give, would make that 71."""
    trials, alarms, found = 200, 0, 0
    for seed in range(trials):
        a, b = networks(2 * seed, launches), networks(2 * seed + 1, launches)
        alarms += bool((family_p(a, b) <= 0.05).any())
        if seed < 50:
            a[7] *= 1.5
            found += bool(family_p(a, b)[7] <= 0.05)
    assert alarms / trials < 0.05 + 3 * (0.05 * 0.95 / trials) ** 0.5
    assert found >= 48


def test_exact_levels_are_those_of_all_divisions() -> None:
    assert least_p(4, 4) == 2 / 70 and least_p(5, 5) == 2 / 252
    assert least_p(3, 4) == 1 / 35 and least_p(1, 5) == 1 / 6
    assert can_differ(4, 4) and can_differ(3, 4)
    assert not can_differ(3, 3) and not can_differ(1, 5)
    a, b = networks(1, 4) * 2, networks(2, 4)
    assert family_p(a, b).tolist() == [2 / 70] * ROWS
    assert family_p(a[:, :3], b).tolist() == [1 / 35] * ROWS


def test_more_rows_than_fit_at_once_and_more_divisions_than_are_tried() -> None:
    a, b = networks(1, 10, 150) * 1.5, networks(2, 10, 150)
    p = family_p(a[:, :8], b[:, :9])
    assert p.max() < 1e-3 and p.min() >= 1e-4


def test_rows_that_a_whole_launch_lacks_are_unknown() -> None:
    a, b = networks(1, 5) * 2, networks(2, 5)
    a[3, 1:] = np.nan
    b[:40, 4] = np.nan
    p = family_p(a, b)
    assert np.isnan(p).tolist() == [row == 3 for row in range(ROWS)]
    assert p[0] == 1 / 126
    equal = np.full((3, 5), 94.1)
    assert family_p(equal, equal).tolist() == [1.0] * 3
