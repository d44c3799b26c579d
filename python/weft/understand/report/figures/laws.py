"""The gain of offload over the application ratio, by LAWS, with its regimes and its optimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import altair as alt
import numpy as np

from weft.base.statistics import Floats
from weft.network.model.gain_curve import Regime, regimes
from weft.network.model.laws import Laws, NamedLab
from weft.understand.drawing import parts
from weft.understand.drawing.figure import Figure, Row, Spec, short

TABLE, BEST = "laws", "laws-best"
HEIGHT = 340
POINTS = 120
"""Points of each regime's curve."""

_NAMES: dict[NamedLab, str] = {"link": "link", "nic": "NIC", "host": "host", "ceiling": "ceiling"}


def laws_figure(model: Laws, gammas: Floats) -> Figure:
    """The gain of a model with single ratios between the ends of `gammas`."""
    low, high = float(gammas[0]), float(gammas[-1])
    found = regimes(model, low, high)
    best = model.optimum(low, high)
    label = f"{best.gain:+.1%} at gamma {best.gamma:.3g}"
    tables = {
        TABLE: [row for each in found for row in _rows(model, each)],
        BEST: [{"gamma": best.gamma, "gain": 100 * best.gain, "label": label}],
    }
    return Figure(
        "laws",
        "LAWS: what offload adds to the throughput",
        f"{_parameters(model)}. Colours: what limits the transfer before and after offload.",
        _spec([_label(each) for each in found], best.gamma > (low + high) / 2),
        tables,
    )


def _parameters(model: Laws) -> str:
    """The ratios by name, and the deviations unless 0."""
    values = {each.name: getattr(model, each.name) for each in fields(model)}
    named = ("p", "alpha", "beta", "sigma")
    return ", ".join(f"{k} {v:g}" for k, v in values.items() if k in named or v != 0)


def _rows(model: Laws, regime: Regime) -> Iterator[Row]:
    gammas = np.linspace(regime.low, regime.high, POINTS)
    for gamma, gain in zip(gammas.tolist(), model.gain(gammas).tolist(), strict=True):
        yield {"series": _label(regime), "gamma": short(gamma), "gain": short(100 * gain)}


def _label(regime: Regime) -> str:
    return f"{_NAMES[regime.limit_before]} before, {_NAMES[regime.limit_after]} after"


def _spec(labels: list[str], label_left: bool) -> Spec:
    title = "Application ratio gamma: application work over communication work"
    gain_axis = alt.Axis(title="Gain in throughput (%)", grid=True)
    place = {
        "x": alt.X("gamma:Q", axis=alt.Axis(title=title), scale=alt.Scale(nice=False)),
        "y": alt.Y("gain:Q", axis=gain_axis),
    }
    runs = {"color": parts.colour(labels), "strokeDash": parts.dashes(labels)}
    side = {"align": "right", "dx": -9} if label_left else {"align": "left", "dx": 9}
    uncut = {"clip": False}
    layers = [
        parts.layer(BEST, "rule", {"style": "ink", **uncut}, y=alt.datum(0)),
        parts.layer(TABLE, "line", {"strokeWidth": 2.5, **uncut}, **place, **runs),
        parts.layer(
            BEST, "point", {"filled": True, "size": 80, "color": "black", **uncut}, **place
        ),
        parts.layer(
            BEST,
            "text",
            {"fontSize": 13, "baseline": "middle", **side, **uncut},
            **place,
            text="label:N",
        ),
    ]
    return parts.sized(alt.layer(*layers), HEIGHT)
