"""Intervals that hold while one looks at them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, mannwhitneyu

from weft.base.interval import Interval
from weft.base.sequential import (
    LOOKS,
    ExcessTest,
    LookCounts,
    held,
    interval,
    next_look,
    ranks,
    ratio_interval,
    share_interval,
    side,
)


def chance_to_miss(alpha: float, quantile: float, most: int) -> float:
    """The exact probability that the quantile is outside at any look up to `most` values: by all paths of the number of
    values below it."""
    inside, before = {0: 1.0}, 0
    for look in (look for look in LOOKS if look <= most):
        more, found = look - before, ranks(look, alpha, quantile)
        reached: dict[int, float] = {}
        for count, chance in inside.items():
            for step in range(more + 1):
                is_in = found is None or found[0] <= count + step < found[1]
                if is_in:
                    below = count + step
                    reached[below] = reached.get(below, 0) + chance * binom.pmf(
                        step, more, quantile
                    )
        inside, before = reached, look
    return 1 - sum(inside.values())


@pytest.mark.parametrize(("alpha", "quantile"), [(0.05, 0.5), (0.0005, 0.5), (0.05, 0.9)])
def test_all_looks_together_miss_as_seldom_as_promised(alpha, quantile):
    assert chance_to_miss(alpha, quantile, LOOKS[7]) <= alpha
    # What is given away is little: at the last of these looks more than half is spent.
    assert chance_to_miss(alpha, quantile, LOOKS[7]) > alpha / 2


def test_the_first_look_is_the_range_of_six():
    assert ranks(5) is None
    assert ranks(6) == (1, 6)
    assert interval([3, 1, 2, 6, 5, 4]) == Interval(3, 1, 6)
    assert interval([3, 1, 2, 6, 5, 4], upper=True).median == 4


def test_too_few_values_give_their_range_and_say_what_it_holds():
    assert interval([2, 1, 3]) == Interval(2, 1, 3)
    assert held(3) == 0.75
    assert held(6) == held(40) == 0.95
    with pytest.raises(ValueError, match="at least one value"):
        interval([])


def test_between_two_looks_an_interval_is_no_narrower_than_the_error_left_allows():
    low, high = ranks(20)
    assert ranks(17)[0] <= low < high <= 20
    assert next_look(20) == 25
    assert next_look(LOOKS[-1]) is None


def test_a_share_holds_its_true_value_at_all_looks():
    rng, misses = np.random.default_rng(3), 0
    for values in rng.random((400, 108)) < 0.45:
        found = [share_interval(int(values[:look].sum()), look) for look in LOOKS if look <= 108]
        misses += any(not one.low <= 0.45 <= one.high for one in found)
    assert misses / 400 <= 0.05
    assert share_interval(0, 6).low == 0
    assert share_interval(6, 6).high == 1


def test_widths_shrink_with_the_root_of_the_number():
    values = np.random.default_rng(1).normal(100, 5, LOOKS[10])
    widths = [math.log(_width(values[:look])) for look in LOOKS[3:11]]
    slope = np.polyfit(np.log(LOOKS[3:11]), widths, 1)[0]
    assert -0.75 < slope < -0.25


def _width(values: np.ndarray) -> float:
    found = interval(values)
    return found.high - found.low


def test_a_ratio_lies_beside_1_where_the_exact_rank_test_says_so():
    random = np.random.default_rng(1)
    for count, others in ((6, 6), (12, 25), (36, 17)):
        alpha = 0.05 * (0.63 if count == 6 else 0.37 * 0.6 ** (LOOKS.index(count) - 1) * 0.4)
        for _ in range(40):
            a, b = random.lognormal(0.05, 0.05, count), random.lognormal(0, 0.05, others)
            found = ratio_interval(a, b)
            p = mannwhitneyu(a, b, method="exact").pvalue
            assert (not found.low <= 1 <= found.high) == (p <= alpha)


def test_a_ratio_holds_at_all_looks_and_whenever_the_others_ended():
    """However long either is measured: counted is a miss at any look."""
    random, runs, missed = np.random.default_rng(2), 1000, 0
    for _ in range(runs):
        b = 1.25 * random.exponential(1, 36)
        a = random.exponential(1, 36)
        others = next((look for look in LOOKS[:4] if np.ptp(np.log(b[:look])) < 2.5), 36)
        found = [ratio_interval(a[:look], b[:others], others_ended=True) for look in LOOKS[:5]]
        missed += any(one and not one.low <= 1 / 1.25 <= one.high for one in found)
    assert missed / runs <= 0.05


def test_a_ratio_of_few_values_or_of_little_error_is_unknown():
    values = np.linspace(1, 2, 6)
    assert ratio_interval(values[:2], values[:2]) is None
    assert ratio_interval(values, values, 0.0001) is None
    found = ratio_interval(values, values / 3)
    assert found.median == pytest.approx(3)
    wider = ratio_interval(values, values / 3, others_ended=True)
    assert wider.low < found.low < found.high < wider.high


def test_a_side_is_wrong_as_seldom_as_it_says() -> None:
    """Where the median is zero neither side is right: of many sequences few may name one."""
    draws = np.random.default_rng(3).standard_normal((4000, 108))
    assert np.mean([side(draw, 0.05) != 0 for draw in draws]) < 0.06
    assert side(np.abs(draws[0]) + 0.1, 0.001) == 1 and side(-np.abs(draws[0]) - 0.1, 0.001) == -1
    assert side(np.ones(5), 0.05) == 0 and side(np.ones(6), 0.05) == 1


@pytest.mark.parametrize(("count", "of"), [(0, 0), (-1, 6), (7, 6)])
def test_a_share_of_what_there_is_not_is_refused(count: int, of: int) -> None:
    with pytest.raises(ValueError, match=f"a share of {count} of {of} values"):
        share_interval(count, of)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan])
def test_a_ratio_of_or_to_nothing_is_refused(wrong: float) -> None:
    values = np.linspace(1, 2, 8)
    odd = np.append(values, wrong)
    for pair in ((values, odd), (odd, values), (odd, odd)):
        with pytest.raises(ValueError, match="above zero"):
            ratio_interval(*pair)


def test_an_excess_is_named_and_hardly_ever_a_healthy_element_among_very_many() -> None:
    """Of 2,000, ten are behind in most looks; the others in as many as may be by chance, which is not told before."""
    test, rng = (
        ExcessTest(level=0.05, least_share=0.05, excess=(0.9,), cleared=0.9),
        np.random.default_rng(3),
    )
    runs = []
    for usual in (0.0, 0.1, 0.3):
        for _ in range(40):
            shown = rng.binomial(12, np.r_[np.full(10, 0.9), np.full(1990, usual)])
            own = LookCounts(np.full(2000, 12), shown)
            others = LookCounts(12 * 2000 - own.looks, shown.sum() - shown)
            sure = np.flatnonzero(test.is_sure(test.log_e([(own, others)]), 2000))
            runs.append((usual, np.isin(np.arange(10), sure).mean(), bool((sure >= 10).any())))
    assert np.mean([is_wrong for *_, is_wrong in runs]) <= test.level
    assert min(power for usual, power, _ in runs if usual <= 0.1) >= 0.5


def test_what_shows_nothing_is_cleared_after_a_few_looks() -> None:
    test = ExcessTest(level=0.05, least_share=0.05, excess=(0.9,), cleared=0.9)
    none, others = np.zeros(5, int), LookCounts(np.full(5, 1000), np.zeros(5, int))
    is_open = test.is_open([(LookCounts(np.arange(5), none), others)])
    assert is_open.tolist() == [True, True, False, False, False]
