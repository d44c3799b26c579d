import numpy as np
import pytest

from network.model.test_laws import published
from weft.base.errors import RequestError
from weft.network.model.estimate import Estimate, FittedModel
from weft.network.model.laws import Laws
from weft.network.model.laws_fit import Points, fit_laws, fit_laws_modified

GAMMAS = np.linspace(0, 3.5, 15)
LINK_MBPS = 1000.0
NIC_BOUND = Laws(0.75, 1, 1.5, 0.3)
"""So slow a NIC that all four of its parameters show."""


def rates(model: Laws, noise: float = 0.0, seed: int = 1) -> Points:
    random = np.random.default_rng(seed)
    before, after = (
        LINK_MBPS * share(GAMMAS) * np.exp(noise * random.standard_normal(len(GAMMAS)))
        for share in (model.before, model.after)
    )
    return {"gamma": GAMMAS, "before_mbps": before, "after_mbps": after}


def estimate(fitted: FittedModel, name: str) -> Estimate:
    return next(each for each in fitted.estimates if each.name == name)


def test_exact_rates_give_the_parameters_back() -> None:
    fitted = fit_laws(rates(NIC_BOUND), {"link_mbps": LINK_MBPS})
    assert fitted.values == pytest.approx(
        {"p": 0.75, "alpha": 1, "beta": 1.5, "host_mbps": 300, "link_mbps": LINK_MBPS}
    )
    assert fitted.rms_error_pct < 1e-6


def test_where_the_link_limits_beta_is_bounded_above_only() -> None:
    """A structure of 0.62 / 0.55 without a link explains the rates as well as the link does, which is then bounded
    below only. Whichever of both happens to fit best, the intervals say so."""
    covered = 0
    for seed in range(8):
        fitted = fit_laws(rates(Laws(0.55, 1, 0.4, 0.62), noise=0.02, seed=seed), {})
        beta, link = estimate(fitted, "beta"), estimate(fitted, "link_mbps")
        assert beta.low is None and beta.high == pytest.approx(0.62 / 0.55, rel=0.12)
        assert link.high is None
        covered += link.low < LINK_MBPS
    assert covered >= 7


def test_intervals_of_noisy_rates_cover_about_as_often_as_they_say() -> None:
    truth = {"p": 0.75, "beta": 1.5, "host_mbps": 300.0}
    covered = 0
    for seed in range(30):
        fitted = fit_laws(rates(NIC_BOUND, 0.02, seed), {"link_mbps": LINK_MBPS})
        for name, value in truth.items():
            found = estimate(fitted, name)
            covered += found.low <= value <= found.high
    assert 0.88 <= covered / 90 < 1


def test_a_share_near_its_limit_has_its_interval_end_there() -> None:
    fitted = fit_laws(rates(Laws(0.99, 1, 0.3, 0.3), noise=0.05), {"link_mbps": LINK_MBPS})
    p = estimate(fitted, "p")
    assert 0.9 < p.low < 0.99 < p.high <= 1


def test_gains_give_sigma_where_the_link_limits_before() -> None:
    model = Laws(0.6, 1, 3, 1.5)
    points = {"gamma": GAMMAS, "gain": model.gain(GAMMAS)}
    fitted = fit_laws(points, {})
    assert fitted.values == pytest.approx({"p": 0.6, "alpha": 1, "beta": 3, "sigma": 1.5}, rel=1e-4)
    assert fitted.model.predict(GAMMAS) == pytest.approx(points["gain"], abs=1e-6)


def test_points_of_several_sigmas_are_fitted_together() -> None:
    sigma = np.repeat([1.0, 0.62, 0.2], len(GAMMAS))
    gamma = np.tile(GAMMAS, 3)
    gain = Laws(0.75, 1, 0.45, sigma).gain(gamma)
    fitted = fit_laws({"gamma": gamma, "gain": gain, "sigma": sigma}, {})
    assert fitted.values == pytest.approx({"p": 0.75, "alpha": 1, "beta": 0.45}, rel=1e-4)


def test_a_ceiling_comes_back_from_rates_beside_a_known_link() -> None:
    fitted = fit_laws(
        rates(Laws(0.4, 1, 0.4, 0.2, ceiling=1.25), 0.01), {"link_mbps": 1000.0}, True
    )
    ceiling, p = estimate(fitted, "ceiling_mbps"), estimate(fitted, "p")
    assert ceiling.low < 160 < ceiling.high and ceiling.high / ceiling.low < 1.05
    assert p.low < 0.4 < p.high


def test_gains_have_a_ceiling_for_each_sigma() -> None:
    sigma, gamma = np.repeat([1.0, 0.2], len(GAMMAS)), np.tile(GAMMAS, 2)
    gain = Laws(0.4, 1, 0.4, sigma, ceiling=np.repeat([2.4, 1.2], len(GAMMAS))).gain(gamma)
    points = {"gamma": gamma, "gain": gain, "sigma": sigma}
    fitted = fit_laws(points, {"beta": 0.4}, with_ceiling=True)
    assert fitted.values == pytest.approx(
        {"p": 0.4, "alpha": 1, "beta": 0.4, "ceiling_sigma_1": 2.4, "ceiling_sigma_0.2": 1.2}
    )
    assert fitted.rms_error_pct < 1e-6
    assert fit_laws(points, {"beta": 0.4}).rms_error_pct > 1


def test_a_ceiling_beside_an_unknown_link_is_refused() -> None:
    with pytest.raises(RequestError, match="cannot be told from an unknown link"):
        fit_laws(rates(NIC_BOUND), {}, with_ceiling=True)


def test_deviations_come_back_where_the_nic_shows() -> None:
    model = Laws(0.75, 1, 1.5, 0.3, delta_a=0.1, delta_o=0.05, tau=0.15)
    held = {"p": 0.75, "beta": 1.5, "link_mbps": LINK_MBPS}
    fitted = fit_laws_modified(rates(model), held)
    expected = {"delta_a": 0.1, "delta_o": 0.05, "tau": 0.15, "host_mbps": 300}
    assert {name: fitted.values[name] for name in expected} == pytest.approx(expected, rel=1e-4)


def test_deviations_are_open_where_the_nic_does_not_show() -> None:
    model = Laws(0.55, 1, 0.4, 0.23, tau=0.15)
    fitted = fit_laws_modified(rates(model, 0.02), {"p": 0.55, "beta": 0.4, "link_mbps": LINK_MBPS})
    assert estimate(fitted, "delta_a").low is None
    alone = fit_laws_modified(
        rates(model, 0.02),
        {"p": 0.55, "beta": 0.4, "link_mbps": LINK_MBPS, "delta_a": 0.0, "delta_o": 0.0},
    )
    tau = estimate(alone, "tau")
    assert tau.low < 0.15 < tau.high


@pytest.mark.parametrize(("scheme", "tau"), [("offload", 0.110), ("onload", 0.279)])
def test_tau_of_the_published_peaks(scheme: str, tau: float) -> None:
    """The one number that two peaks allow; by hand it is the geometric mean of what each asks for."""
    value, index = published(), ["offload", "onload"].index(scheme)
    keys = [f"t416_{scheme}_sigma{sigma}" for sigma in ("1", "0_2")]
    points = {
        "gamma": np.array([value[f"{key}_gamma"] for key in keys]),
        "gain": np.array([value[f"{key}_gain_pct"] / 100 for key in keys]),
        "sigma": np.array([1.0, 0.2]),
    }
    p, beta = value["t414_p"][index], value["t414_beta"][index]
    held = {"p": p, "beta": beta, "delta_a": 0.0, "delta_o": 0.0}
    fitted = fit_laws_modified(points, held)
    ratio = (1 + points["gamma"]) / (points["gamma"] + 1 - p) / (1 + points["gain"])
    assert fitted.values["tau"] == pytest.approx(float(np.sqrt(ratio.prod())) - 1, abs=1e-6)
    assert fitted.values["tau"] == pytest.approx(tau, abs=5e-4)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"tau": 0.1}, "tau: not a parameter of this fit"),
        ({"sigma": 0.1}, "sigma: not a parameter of this fit"),
        ({"p": 1.1}, "p 1.1: not between 0 and 1"),
        ({"beta": 0.0}, "beta 0.0: must be a number greater than 0"),
        ({"link_mbps": 0.0}, "link_mbps 0.0: must be a number greater than 0"),
        ({"host_mbps": -1.0}, "host_mbps -1.0"),
    ],
)
def test_what_cannot_be_held_is_refused(held: dict[str, float], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        fit_laws(rates(NIC_BOUND), held)
    with pytest.raises(RequestError, match="laws-modified needs p and beta"):
        fit_laws_modified(rates(NIC_BOUND), {})


def test_too_few_points_are_refused_and_everything_held_leaves_the_residuals() -> None:
    points = {"gamma": np.array([0.0, 1.0]), "gain": np.array([0.3, 0.2])}
    with pytest.raises(RequestError, match="2 measured values do not determine p, beta, sigma"):
        fit_laws(points, {})
    assert fit_laws(points, {"beta": 0.4, "sigma": 0.5}).values["p"] > 0
    held = {"p": 0.55, "beta": 0.4, "sigma": 0.62}
    fitted = fit_laws({"gamma": GAMMAS, "gain": Laws(alpha=1, **held).gain(GAMMAS)}, held)
    assert all(each.held for each in fitted.estimates)
    assert fitted.rms_error_pct == pytest.approx(0, abs=1e-9)
