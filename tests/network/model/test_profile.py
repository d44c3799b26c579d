"""Intervals of fits: where theory is exact, where points say nothing, and how often they are right."""

import numpy as np
import pytest
from scipy.stats import linregress, t

from weft.base.statistics import Floats
from weft.network.model.profile import LOGARITHMIC, FreeParameter, fit_profiled

X = np.linspace(0, 1, 12)
LINE = [FreeParameter("offset", -100, 100, (0.0,)), FreeParameter("slope", -100, 100, (0.0,))]


def line_points(seed: int) -> Floats:
    return 3 + 2 * X + 0.1 * np.random.default_rng(seed).standard_normal(len(X))


def line_errors(y: Floats) -> object:
    return lambda values: values[0] + values[1] * X - y


def test_of_a_line_they_are_students() -> None:
    y = line_points(1)
    offset, slope = fit_profiled(line_errors(y), LINE, len(X))
    exact = linregress(X, y)
    reach = t.ppf(0.975, len(X) - 2)
    for found, value, error in (
        (slope, exact.slope, exact.stderr),
        (offset, exact.intercept, exact.intercept_stderr),
    ):
        wanted = (value, value - reach * error, value + reach * error)
        assert (found.value, found.low, found.high) == pytest.approx(wanted, rel=1e-4)


def test_what_the_points_do_not_show_has_no_interval() -> None:
    free = [*LINE, FreeParameter("unseen", 1e-3, 1e3, (1.0,), LOGARITHMIC)]
    *_, unseen = fit_profiled(line_errors(line_points(1)), free, len(X))
    assert (unseen.low, unseen.high) == (None, None)


def test_parameters_that_only_show_together_have_none_either() -> None:
    y = line_points(1)

    def errors(values: Floats) -> Floats:
        return values[0] + values[1] + values[2] * X - y

    halves = [FreeParameter(name, -100, 100, (0.0,)) for name in ("half", "other half", "slope")]
    half, other, slope = fit_profiled(errors, halves, len(X))
    assert (half.low, half.high, other.low, other.high) == (None,) * 4
    assert slope.low is not None and slope.high is not None


def test_a_parameter_with_limits_by_nature_ends_there() -> None:
    y = np.random.default_rng(1).standard_normal(len(X))
    share = FreeParameter("share", 0, 1, (0.5,), is_bounded=True)
    (found,) = fit_profiled(lambda values: 0.01 * values[0] - y, [share], len(X))
    assert (found.low, found.high) == (0, 1)


def test_a_corner_bounds_on_one_side_only() -> None:
    y = np.minimum(X, 5) + 0.01 * np.random.default_rng(1).standard_normal(len(X))
    cap = FreeParameter("cap", 1e-3, 1e3, (0.5, 5.0), LOGARITHMIC)
    (found,) = fit_profiled(lambda values: np.minimum(X, values[0]) - y, [cap], len(X))
    assert found.high is None
    assert found.low == pytest.approx(0.99, abs=0.03)


def test_exact_points_leave_no_interval_to_speak_of() -> None:
    offset, slope = fit_profiled(line_errors(3 + 2 * X), LINE, len(X))
    for found, value in ((offset, 3), (slope, 2)):
        assert (found.low, found.value, found.high) == pytest.approx((value,) * 3, abs=1e-6)
