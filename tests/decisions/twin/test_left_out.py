"""What patterns that were left out say of a further one."""

import numpy as np
import pytest

from weft.decisions.twin.left_out import Errors, discrepancy, few_patterns, held_out
from weft.simulation.prediction.intervals import widened


def errors(*middles: float) -> list[Errors]:
    """Patterns whose phases do not scatter."""
    return [Errors("", np.full(3, one), np.full(3, one), 1.0) for one in middles]


def test_three_patterns_have_the_interval_of_students_t():
    """Of -0.1, 0 and 0.1: 0.1 sqrt(1 + 1/3) times 2.92, the 95 % quantile with two degrees of freedom."""
    found = widened(1.0, [], discrepancy(errors(-0.1, 0.0, 0.1), of_times=True))
    assert np.log([found.low, found.high]) == pytest.approx([-0.337, 0.337], rel=0.1)
    assert found.median == pytest.approx(1.0, abs=1e-6)


def test_one_pattern_that_is_far_off_widens_and_does_not_move_what_is_predicted():
    found = widened(1.0, [], discrepancy(errors(-0.01, 0.0, 0.01, 0.5), of_times=True))
    assert found.median == pytest.approx(1.0, abs=0.02)
    assert found.high > np.exp(0.5)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_patterns_say_nothing(count):
    some = errors(*[0.1] * count)
    assert discrepancy(some, of_times=True) == []
    (warned,) = few_patterns(some)
    assert warned.code == "error-unknown" and f"left out: {count}; " in warned.message


def test_what_too_few_others_would_have_to_hold_is_not_known():
    """Each of three has two others; each of four has three."""
    three, four = errors(0.0, 0.1, 0.2), errors(0.0, 0.1, 0.2, 0.1)
    assert {one.rate_held for one in held_out(three)} == {None}
    assert {one.rate_held for one in held_out(four)} == {True}
    assert not list(few_patterns(three))
