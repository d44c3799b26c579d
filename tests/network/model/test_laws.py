import tomllib
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from support.paths import CATALOG
from weft.base.errors import RequestError
from weft.network.model.laws import Laws

PUBLISHED = CATALOG / "published" / "nic_offload.toml"
SIGMAS = (1.0, 0.62, 0.2)

shares = st.floats(0, 1)
ratios = st.floats(0.01, 20)
gammas = st.floats(0, 50)
models = st.builds(Laws, p=shares, alpha=ratios, beta=ratios, sigma=ratios)
ceilings = st.builds(Laws, p=shares, alpha=ratios, beta=ratios, sigma=ratios, ceiling=ratios)


def published(kind: str = "result") -> dict[str, Any]:
    document = tomllib.loads(PUBLISHED.read_text())
    return {each["id"]: each["value"] for each in document[kind]}


def table_4_14(scheme: int, sigma: float) -> Laws:
    """The thesis's parameters: scheme 0 is offloading, 1 onloading."""
    value = published()
    alpha = value["t414_y"][scheme] / value["t414_x"][scheme]
    return Laws(value["t414_p"][scheme], alpha, value["t414_beta"][scheme], sigma)


def throughputs(laws: Laws, gamma: float) -> tuple[float, float]:
    """Equations 1.4 to 1.7 as they are printed, in units: 3 ns a cycle, 7 cycles of communication a bit."""
    x, o = 3e-9, 7.0
    y, a, b = laws.alpha * x, gamma * o, 1 / (o * x * laws.sigma)
    m = 1e6
    t_cpu = a * x * m + (1 - laws.p) * o * x * m
    t_nic = laws.p * o * y * laws.beta * m
    after = min(b, m / t_cpu if t_cpu else np.inf, m / t_nic if t_nic else np.inf)
    return min(b, 1 / (a * x + o * x)) / b, after / b


@given(models, gammas)
def test_ratios_say_the_same_as_the_equations_in_units(laws: Laws, gamma: float) -> None:
    before, after = throughputs(laws, gamma)
    assert float(laws.before(gamma)) == pytest.approx(before, rel=1e-9)
    assert float(laws.after(gamma)) == pytest.approx(after, rel=1e-9)
    assert float(laws.gain(gamma)) == pytest.approx(after / before - 1, rel=1e-9, abs=1e-9)


@given(models, gammas)
def test_no_throughput_exceeds_a_stage(laws: Laws, gamma: float) -> None:
    assert float(laws.before(gamma)) <= 1
    assert float(laws.after(gamma)) <= 1
    nic = laws.p * laws.alpha * laws.beta
    if nic > 0:
        assert float(laws.after(gamma)) <= laws.sigma / nic * (1 + 1e-12)
    if gamma > 0:
        assert float(laws.gain(gamma)) <= 1 / gamma + 1e-9


@given(ratios, ratios, ratios, gammas)
def test_nothing_moved_gains_nothing(alpha: float, beta: float, sigma: float, gamma: float) -> None:
    assert float(Laws(0, alpha, beta, sigma).gain(gamma)) == 0


@given(models)
def test_without_application_work_the_stages_themselves_count(laws: Laws) -> None:
    expected = max(laws.sigma, 1) / max(laws.sigma, laws.p * laws.alpha * laws.beta, 1 - laws.p) - 1
    assert float(laws.gain(0)) == pytest.approx(expected, abs=1e-12)


@given(models)
def test_with_endless_application_work_offload_makes_no_difference(laws: Laws) -> None:
    assert float(laws.gain(1e9)) == pytest.approx(0, abs=1e-8)


@given(models)
def test_throughputs_and_gain_are_continuous_at_the_borders(laws: Laws) -> None:
    for border in (laws.border_before, laws.border_after):
        assume(border > 1e-6)
        left, right = border * (1 - 1e-9), border * (1 + 1e-9)
        for curve in (laws.before, laws.after, laws.gain):
            assert float(curve(left)) == pytest.approx(float(curve(right)), rel=1e-6, abs=1e-6)


@given(models)
def test_the_optimum_is_where_the_host_becomes_the_limit(laws: Laws) -> None:
    high = 1000.0
    best = laws.optimum(0, high)
    assert best.gain >= float(laws.gain(np.linspace(0, 50, 501)).max()) - 1e-12
    if laws.p > 1e-3:
        bottleneck = max(laws.sigma, laws.alpha * laws.beta * laws.p)
        assert best.gamma == pytest.approx(max(0, bottleneck - (1 - laws.p)), abs=1e-9)


@given(ratios, ratios, ratios)
def test_all_moved_the_peak_is_that_of_equation_1_10(
    alpha: float, beta: float, sigma: float
) -> None:
    laws, c = Laws(1, alpha, beta, sigma), max(alpha * beta, sigma)
    best = laws.optimum(0, 1000)
    assert (best.gamma, best.gain) == pytest.approx((c, 1 / c))
    for gamma in (0.5 * c, 0.9 * c):
        assume(gamma >= sigma - 1)
        assert float(laws.gain(gamma)) == pytest.approx((gamma + 1) / c - 1)
    for gamma in (1.5 * c, 4 * c):
        assert float(laws.gain(gamma)) == pytest.approx(1 / gamma)


@given(ceilings, gammas)
def test_a_ceiling_bounds_both_throughputs_and_moves_the_peak(laws: Laws, gamma: float) -> None:
    bound = min(1, laws.sigma / laws.ceiling) * (1 + 1e-12)
    assert float(laws.before(gamma)) <= bound and float(laws.after(gamma)) <= bound
    best = laws.optimum(0, 1000)
    assert best.gain >= float(laws.gain(np.linspace(0, 50, 501)).max()) - 1e-12
    c = max(laws.sigma, laws.ceiling)
    if laws.p > 1e-3 and c >= max(1, laws.p * laws.alpha * laws.beta):
        assert (best.gamma, best.gain) == pytest.approx((c - 1 + laws.p, laws.p / c), abs=1e-9)


def test_where_offload_hurts_and_where_it_is_hidden() -> None:
    laws = Laws(1, alpha=2, beta=1, sigma=0.5)
    assert float(laws.gain(0.99)) < 0 < float(laws.gain(1.01))
    assert np.abs(Laws(0.7, sigma=20).gain(np.linspace(0, 5))).max() == 0


def test_it_takes_arrays_of_gamma_and_of_ratios() -> None:
    sigma = np.array([[1.0], [0.2]])
    gains = Laws(0.55, 1, 0.4, sigma).gain([0.0, 0.5, 3.0])
    assert gains.shape == (2, 3)
    assert gains[1, 2] == float(Laws(0.55, 1, 0.4, 0.2).gain(3.0))


@pytest.mark.parametrize("scheme", [0, 1])
def test_published_peaks_of_the_model(scheme: int) -> None:
    """The file's are from a grid of gammas, so a little below."""
    peaks = published("derived")["der004_laws_model_peaks"][3 * scheme : 3 * scheme + 3]
    for sigma, (gamma, gain_pct) in zip(SIGMAS, peaks, strict=True):
        best = table_4_14(scheme, sigma).optimum(0, 3.5)
        assert best.gamma == pytest.approx(gamma, abs=1e-3)
        assert 100 * best.gain == pytest.approx(gain_pct, abs=0.13)


@pytest.mark.parametrize("scheme", ["offload", "onload"])
def test_laws_bounds_the_published_gains(scheme: str) -> None:
    value, index = published(), ["offload", "onload"].index(scheme)
    bounds = published("derived")["der004_laws_bound"][index]
    for sigma, key, bound_pct in ((1.0, "1", bounds[0]), (0.2, "0_2", bounds[2])):
        gamma = value[f"t416_{scheme}_sigma{key}_gamma"]
        bound = 100 * float(table_4_14(index, sigma).gain(gamma))
        assert bound == pytest.approx(bound_pct, abs=0.06)
        assert bound > value[f"t416_{scheme}_sigma{key}_gain_pct"]


@pytest.mark.parametrize("scheme", [0, 1])
def test_peaks_grow_and_move_to_smaller_gamma_as_sigma_falls(scheme: int) -> None:
    best = [table_4_14(scheme, sigma).optimum(0, 3.5) for sigma in SIGMAS]
    assert best[0].gain < best[1].gain < best[2].gain
    assert best[0].gamma > best[1].gamma > best[2].gamma


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"p": 1.2}, "p 1.2: not between 0 and 1"),
        ({"p": -0.1}, "p -0.1: not between 0 and 1"),
        ({"p": float("nan")}, "p nan: not between"),
        ({"alpha": -1}, "alpha -1: must be a number greater than 0"),
        ({"beta": 0}, "beta 0: must be a number greater than 0"),
        ({"sigma": 0}, "sigma 0: must be a number greater than 0"),
        ({"ceiling": -1}, "ceiling -1: must be a number, 0"),
        ({"sigma": float("inf")}, "sigma inf: must be a number"),
        ({"sigma": np.array([1.0, -1.0])}, "sigma"),
    ],
)
def test_impossible_ratios_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        Laws(**{"p": 0.5, **wrong})


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), [0.0, float("inf")]])
def test_impossible_gammas_are_refused(gamma: Any) -> None:
    with pytest.raises(RequestError, match="gamma"):
        Laws(0.5).gain(gamma)
