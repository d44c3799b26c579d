"""Fits of LAWS and modified LAWS to measurements over the application ratio.

Throughputs before and after offload determine host and link rates as well (sigma is then host_mbps / link_mbps, since
the host's rate is 1/(o X)); gains determine sigma alone. Errors are relative, of throughputs or of their ratio.

A ceiling can only be distinguished from the link if the link is known: with throughputs link_mbps is held, with gains
sigma is held or a column; there is one ceiling for each sigma.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.base.errors import RequestError
from weft.base.statistics import LEVEL, Floats
from weft.network.model.estimate import Estimate, FittedModel, ModelResidual, residuals
from weft.network.model.gamma_points import GAIN, RATES, SIGMA, is_rates
from weft.network.model.laws import Laws, check_above
from weft.network.model.profile import DEVIATION, LOGARITHMIC, FreeParameter, fit_profiled

Points = Mapping[str, Floats]
"""The columns of a table: see weft.network.model.gamma_points."""

Values = Mapping[str, float]

_SHARE = FreeParameter("p", 0.0, 1.0, (0.2, 0.5, 0.8), is_bounded=True)
_STRUCTURE = FreeParameter("beta", 1e-3, 1e3, (0.1, 0.5, 2.0), LOGARITHMIC)
_WIRE = FreeParameter(SIGMA, 1e-3, 1e3, (0.2, 0.6, 1.0, 2.0), LOGARITHMIC)
_DEVIATIONS = [
    FreeParameter(name, -0.9, 9.0, (0.0,), DEVIATION) for name in ("delta_a", "delta_o", "tau")
]
CEILING = "ceiling"
"""Prefix of the names of ceilings: ceiling_mbps with throughputs, else the ratio."""
_SPAN = 1e3
"""Rates are searched up to this multiple of the largest measured one."""


def fit_laws(points: Points, held: Values, with_ceiling: bool = False) -> FittedModel:
    """Fit LAWS: p, beta, and sigma or the rates of host and link, except those held; optionally with a ceiling.

    Only the product of alpha and beta affects throughput, so alpha is 1 unless held. Raises RequestError for a name or
    value that cannot be held, for too few points, and for a ceiling with an unknown link.
    """
    ceilings = _ceilings(points, held) if with_ceiling else []
    return _fit("laws", points, [_SHARE, _STRUCTURE, *ceilings], {"alpha": 1.0, **held})


def fit_laws_modified(points: Points, held: Values) -> FittedModel:
    """Fit the three deviations of modified LAWS with p and beta held, as in the thesis.

    If these were free, they could not be distinguished from the deviations: the host's time over gamma is a line, which
    has two parameters. Raises RequestError as `fit_laws` does, and without p or beta.
    """
    missing = [name for name in ("p", "beta") if name not in held]
    if missing:
        raise RequestError(
            f"laws-modified needs {' and '.join(missing)}: its deviations are from LAWS with these",
            "such as --hold p=0.55 --hold beta=0.4",
        )
    return _fit("laws-modified", points, _DEVIATIONS, {"alpha": 1.0, **held})


def _fit(name: str, points: Points, of_model: list[FreeParameter], held: Values) -> FittedModel:
    every = [*of_model, *_of_points(points)]
    known = [*(each.name for each in every), "p", "alpha", "beta", *_ceiling_names(points)]
    _check_names(held, known)
    free = [each for each in every if each.name not in held]
    count = len(points["gamma"]) * (2 if is_rates(points) else 1)
    if count <= len(free):
        raise RequestError(
            f"{count} measured values do not determine {', '.join(each.name for each in free)}",
            f"measure at more gammas, or hold some with --hold {free[0].name if free else 'p'}=VALUE",
        )
    _model(points, {**{each.name: each.starts[0] for each in free}, **held})  # checks held values

    def errors(values: Floats) -> Floats:
        named = dict(zip((each.name for each in free), values.tolist(), strict=True))
        return np.log(_predicted(points, {**named, **held}) / _measured(points))

    fitted = fit_profiled(errors, free, count) if free else []
    given = [Estimate(key, value, None, None, held=True) for key, value in held.items()]
    values = {each.name: each.value for each in [*fitted, *given]}
    model = _model(points, values)
    return FittedModel(name, model, [*fitted, *given], LEVEL, "gamma", _residuals(points, values))


def _of_points(points: Points) -> list[FreeParameter]:
    """Parameters that these points determine besides the ratios of the model."""
    if not is_rates(points):
        return [] if SIGMA in points else [_WIRE]
    peak = float(max(points[name].max() for name in RATES))
    host = float(np.median(points["before_mbps"] * (1 + points["gamma"])))
    rates = {"host_mbps": (host, 2 * host), "link_mbps": (peak, 10 * peak)}
    return [
        FreeParameter(name, peak / _SPAN, peak * _SPAN, starts, LOGARITHMIC)
        for name, starts in rates.items()
    ]


def _ceilings(points: Points, held: Values) -> list[FreeParameter]:
    """A parameter for each sigma that is not held."""
    link = "link_mbps" if is_rates(points) else SIGMA
    if link not in held and link not in points:
        raise RequestError(
            "a ceiling cannot be told from an unknown link", f"hold that one: --hold {link}=VALUE"
        )
    unit = float(max(points[name].max() for name in RATES)) if is_rates(points) else 1.0
    return [
        FreeParameter(
            name, unit / _SPAN, unit * _SPAN, (0.8 * unit, 1.2 * unit, 2.5 * unit), LOGARITHMIC
        )
        for name in dict.fromkeys(_ceiling_names(points))
    ]


def _ceiling_names(points: Points) -> list[str]:
    """For each point the name of its ceiling; one name if all have one link."""
    if is_rates(points):
        return [f"{CEILING}_mbps"]
    sigmas = points.get(SIGMA, np.zeros(1))
    is_one = len(np.unique(sigmas)) == 1
    return [CEILING if is_one else f"{CEILING}_sigma_{sigma:g}" for sigma in sigmas.tolist()]


def _check_names(held: Values, known: Sequence[str]) -> None:
    for name in held:
        if name not in known:
            raise RequestError(
                f"{name}: not a parameter of this fit",
                f"with these points it has {', '.join(sorted(set(known)))}",
            )


def _model(points: Points, values: Values) -> Laws:
    """The model with these values, in arrays if points differ in sigma."""
    ratios: dict[str, float | Floats] = {
        name: value
        for name, value in values.items()
        if not name.endswith("_mbps") and not name.startswith(CEILING)
    }
    ratios["ceiling"] = _ceiling(points, values)
    if is_rates(points):
        for name in ("host_mbps", "link_mbps"):
            check_above(name, values[name], 0.0)
        ratios[SIGMA] = values["host_mbps"] / values["link_mbps"]
    elif SIGMA in points:
        ratios[SIGMA] = points[SIGMA]
    return Laws(**ratios)


def _ceiling(points: Points, values: Values) -> Floats:
    """The ceiling ratio by point, or one for all; 0 if there is none."""
    found = np.array([values.get(name, 0.0) for name in _ceiling_names(points)])
    return values["host_mbps"] / found if is_rates(points) and found.all() else found


def _predicted(points: Points, values: Values) -> Floats:
    """Throughputs before and then after in Mb/s, or the ratio of the two."""
    model = _model(points, values)
    if not is_rates(points):
        return 1.0 + model.gain(points["gamma"])
    shares = np.concatenate([model.before(points["gamma"]), model.after(points["gamma"])])
    rates: Floats = shares * values["link_mbps"]
    return rates


def _measured(points: Points) -> Floats:
    if is_rates(points):
        return np.concatenate([points[name] for name in RATES])
    return 1.0 + points[GAIN]


def _residuals(points: Points, values: Values) -> list[ModelResidual]:
    names = RATES if is_rates(points) else ("after/before",)
    parts = zip(
        names,
        np.split(_measured(points), len(names)),
        np.split(_predicted(points, values), len(names)),
        strict=True,
    )
    return [row for name, *columns in parts for row in residuals(points["gamma"], name, *columns)]
