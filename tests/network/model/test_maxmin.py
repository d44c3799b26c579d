"""Max-min fair sharing of limits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.network.model.maxmin import fair_rates, fair_rates_in_rounds


def crossings(flows, limits):
    return np.array([[limit in flow for limit in range(limits)] for flow in flows])


def test_flows_share_limits_and_get_what_others_cannot_use():
    assert fair_rates(crossings([{0}, {0}, {0}], 1), np.array([90.0])).tolist() == [30, 30, 30]
    # Bertsekas and Gallager's example shape: a flow held back elsewhere leaves its share.
    flows = crossings([{0}, {0, 1}, {1}], 2)
    assert fair_rates(flows, np.array([100.0, 20.0])).tolist() == [90, 10, 10]
    assert np.isinf(fair_rates(crossings([set(), {0}], 1), np.array([5.0])))[0]


@given(
    st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=12),
    st.lists(st.floats(0.1, 1000), min_size=5, max_size=5),
)
def test_no_limit_is_exceeded_and_every_flow_has_a_full_one_where_it_is_among_the_fastest(
    flows, capacities
):
    crossed, capacity = crossings(flows, 5), np.array(capacities)
    rates = fair_rates(crossed, capacity)
    loads = crossed.T @ rates
    assert (loads <= capacity * (1 + 1e-9)).all()
    full = loads >= capacity * (1 - 1e-9)
    for flow, rate in zip(crossed, rates, strict=True):
        tight = flow & full
        assert any(rate >= rates[crossed[:, j]].max() * (1 - 1e-9) for j in np.flatnonzero(tight))


@given(
    st.lists(st.lists(st.sets(st.integers(0, 2)), min_size=4, max_size=4), min_size=1, max_size=5),
    st.lists(st.floats(0.1, 1000), min_size=3, max_size=3),
    st.lists(st.floats(0.1, 1000), min_size=4, max_size=4),
)
def test_many_rounds_at_once_are_as_each_with_a_limit_for_every_flow(rounds, capacities, own):
    crossed = np.array([crossings(flows, 3) for flows in rounds])
    at_once = fair_rates_in_rounds(crossed, np.array(capacities), np.tile(own, (len(rounds), 1)))
    for flows, rates in zip(crossed, at_once, strict=True):
        alone = fair_rates(np.hstack([flows, np.eye(4, dtype=bool)]), np.array(capacities + own))
        np.testing.assert_allclose(rates, alone, rtol=1e-9)


def test_a_flow_that_a_round_does_not_have_takes_nothing():
    crossed = np.ones((1, 2, 1), dtype=bool)
    rates = fair_rates_in_rounds(crossed, np.array([90.0]), np.array([[100.0, 0.0]]))
    assert rates.tolist() == [[90.0, 0.0]]
