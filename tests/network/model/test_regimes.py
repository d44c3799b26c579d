from itertools import pairwise

import numpy as np
from hypothesis import given

from network.model.test_laws_modified import modified
from weft.network.model.gain_curve import Regime, regimes, slowest
from weft.network.model.laws import STAGES, Laws

HIGH = 10.0


def test_a_fast_network_has_two_regimes_and_a_range_within_one_has_one() -> None:
    border = 0.17000000000000004
    rises = Regime(0, border, "host", "link", "rises")
    falls = Regime(border, 3.5, "host", "host", "falls")
    assert regimes(Laws(0.55, 1, 0.4, 0.62), 0, 3.5) == [rises, falls]
    assert regimes(Laws(0.55, 1, 0.4, 0.62), 1, 2) == [Regime(1, 2, "host", "host", "falls")]


def test_a_slow_card_on_a_slow_network_has_three() -> None:
    found = regimes(Laws(0.9, 1, 4, 1.5), 0, 5)
    assert [(each.limit_before, each.limit_after, each.trend) for each in found] == [
        ("link", "nic", "constant"),
        ("host", "nic", "rises"),
        ("host", "host", "falls"),
    ]


@given(modified)
def test_regimes_cover_the_range_and_name_what_limits(model: Laws) -> None:
    found = regimes(model, 0, HIGH)
    assert found[0].low == 0 and found[-1].high == HIGH
    assert all(a.high == b.low for a, b in pairwise(found))
    for each in found:
        inside = np.linspace(each.low, each.high, 7)[1:-1]
        for stage, times in (
            (each.limit_before, model.times_before(inside)),
            (each.limit_after, model.times_after(inside)),
        ):
            index = STAGES.index(stage)
            assert np.all(times[index] >= times.max(axis=0) * (1 - 1e-9))


@given(modified)
def test_the_gain_goes_as_the_regime_says(model: Laws) -> None:
    for each in regimes(model, 0, HIGH):
        steps = np.diff(model.gain(np.linspace(each.low, each.high, 9)))
        wanted = {"rises": steps, "falls": -steps, "constant": -np.abs(steps)}[each.trend]
        assert np.all(wanted >= -1e-9)


def test_the_slowest_stage_is_named_point_by_point() -> None:
    assert slowest(Laws(0.55, 1, 0.4, 0.62).times_after([0.0, 1.0])) == ["link", "host"]
