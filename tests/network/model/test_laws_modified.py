from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from network.model.test_laws import gammas, published, ratios, shares
from weft.base.errors import RequestError
from weft.network.model.laws import Laws, as_printed

deviations = st.floats(-0.5, 2)
modified = st.builds(
    Laws,
    p=shares,
    alpha=ratios,
    beta=ratios,
    sigma=ratios,
    **dict.fromkeys(("delta_a", "delta_o", "tau"), deviations),
)


def equation_4_3(model: Laws, gamma: float, o: float, times_o: int) -> float:
    """Equation 4.3 in units, B = 1 and o in work a data unit, with o so many times in the NIC's term."""
    x = 1 / (o * model.sigma)
    y, a = model.alpha * x, gamma * o
    app, comm = a * (1 + model.delta_a), o * (1 + model.delta_o)
    host = (app * x + (1 - model.p) * comm * x) * (1 + model.tau)
    nic = model.beta * comm * model.p * o ** (times_o - 1) * y
    after = 1 / max(1, host, nic)
    return after / min(1, 1 / (a * x + o * x)) - 1


@given(shares, ratios, ratios, ratios, gammas)
def test_without_deviations_it_is_laws(
    p: float, alpha: float, beta: float, sigma: float, gamma: float
) -> None:
    plain = Laws(p, alpha, beta, sigma)
    assert Laws(p, alpha, beta, sigma).gain(gamma) == plain.gain(gamma)


@given(modified, gammas, st.floats(0.1, 10))
def test_with_o_once_the_unit_of_work_does_not_matter(model: Laws, gamma: float, o: float) -> None:
    expected = equation_4_3(model, gamma, o, times_o=1)
    assert float(model.gain(gamma)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(modified, gammas)
def test_as_printed_is_o_twice_in_units_where_x_is_1(model: Laws, gamma: float) -> None:
    expected = equation_4_3(model, gamma, 1 / model.sigma, times_o=2)
    assert float(as_printed(model).gain(gamma)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_as_printed_depends_on_the_unit_of_work_and_does_not_become_laws() -> None:
    model = Laws(0.75, 1, 0.45, 0.2)
    by_unit = {o: equation_4_3(model, 0.1, o, times_o=2) for o in (1.0, 5.0, 10.0)}
    assert len({round(gain, 6) for gain in by_unit.values()}) == 3
    assert float(as_printed(model).gain(0.1)) < float(Laws(0.75, 1, 0.45, 0.2).gain(0.1)) - 0.5


@given(modified)
def test_no_gamma_gains_more_than_the_optimum(model: Laws) -> None:
    best = model.optimum(0, 20)
    assert best.gain >= float(model.gain(np.linspace(0, 20, 401)).max()) - 1e-12
    assert float(model.gain(best.gamma)) == best.gain


@given(modified, gammas, st.floats(0.01, 1))
def test_more_work_for_the_host_never_gains(model: Laws, gamma: float, more: float) -> None:
    values = {name: getattr(model, name) for name in ("p", "alpha", "beta", "sigma")}
    devs = {name: getattr(model, name) for name in ("delta_a", "delta_o", "tau")}
    for name in devs:
        worse = Laws(**values, **{**devs, name: devs[name] + more})
        assert float(worse.gain(gamma)) <= float(model.gain(gamma)) + 1e-12


def test_published_work_deviations_do_not_show() -> None:
    """Table 4.15's delta_a and delta_o are 2e-4 at most: only tau shows."""
    value = published()
    gammas = np.linspace(0, 3.5, 36)
    for message, scheme, sigma in product(("2mbit", "8kbit"), (0, 1), (1.0, 0.2)):
        ratios = {"p": value["t414_p"][scheme], "beta": value["t414_beta"][scheme], "sigma": sigma}
        da, do, tau = (value[f"t415_{message}_{name}"][scheme] for name in ("da", "do", "tau"))
        full = Laws(**ratios, delta_a=da, delta_o=do, tau=tau)
        tau_alone = Laws(**ratios, tau=tau)
        assert np.abs(full.gain(gammas) - tau_alone.gain(gammas)).max() < 6e-4


@pytest.mark.parametrize("name", ["delta_a", "delta_o", "tau"])
def test_deviations_that_leave_no_work_are_refused(name: str) -> None:
    with pytest.raises(RequestError, match=f"{name} -1.0: must be a number greater than -1"):
        Laws(0.5, **{name: -1.0})
