"""Changes of a link: planted ones are found, cycles and autocorrelation raise none."""

import numpy as np
import pytest

from common.months import month
from weft.diagnosis.links.changes import find_changes
from weft.diagnosis.links.quarters import quarters
from weft.diagnosis.links.series import Series


@pytest.mark.parametrize(("base_s", "rise_s"), [(1.3e-3, 0.4e-3), (50e-3, 3e-3)])
def test_congestion_and_a_re_route_are_told_apart(base_s: float, rise_s: float) -> None:
    series, planted = month(0, base_s, rise_s, interval_s=30)
    found = find_changes(quarters(series))
    assert [one.what for one in found] == [
        one.what for one in sorted(planted, key=lambda one: one.begin_s)
    ]
    for one, plant in zip(found, sorted(planted, key=lambda one: one.begin_s), strict=True):
        assert one.begin_s - series.start == pytest.approx(plant.begin_s, abs=3600)
        assert abs(one.minimum_s) == pytest.approx(rise_s, rel=0.5)


def test_cycles_and_autocorrelation_are_at_most_one_change_a_month() -> None:
    series, _ = month(1, 1.3e-3, 0.4e-3, congestions=0, reroutes=0, interval_s=30)
    assert len(find_changes(quarters(series))) <= 1


def test_a_constant_series_has_no_noise_and_no_change() -> None:
    time_s = np.arange(0, 3 * 86400, 60.0)
    zeros = np.zeros(len(time_s), np.int64)
    flat = Series("a", "b", 0.0, time_s, zeros + 1e-3, zeros + 8, zeros.astype(np.int8))
    assert find_changes(quarters(flat)) == []
