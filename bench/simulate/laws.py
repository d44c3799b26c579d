"""Does LAWS fit what a thesis measured?

LAWS and modified LAWS beside what a thesis measured, and how often the intervals of fits are right.

usage: bench/run.py laws [--fits 200]
tier: quick

Published are the peaks of the gain over gamma (Table 4.16) of offloading and onloading at two wire ratios, and the
models' parameters (Tables 4.14 and 4.15). Table 4.14 was not stated for the figures behind 4.16; no other is there.
All four peaks are also fitted at once: a p for each scheme and a ceiling for each sigma, 4 parameters and 8 values.

Takes about a minute.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from common.checkout import ROOT
from common.machine import machine
from common.results import Goal, save
from weft.base.statistics import Floats
from weft.network.model.laws import Laws, Optimum, as_printed
from weft.network.model.laws_fit import fit_laws, fit_laws_modified
from weft.network.model.profile import LOGARITHMIC, FreeParameter, fit_profiled

PUBLISHED = ROOT / "catalog" / "published" / "nic_offload.toml"
SCHEMES = ("offload", "onload")
SIGMAS = {"1": 1.0, "0_2": 0.2}
LOW, HIGH = 0.0, 3.5

SYNTHETIC = Laws(0.75, 1, 1.5, 0.3)
"""So slow a NIC that all parameters show."""
LINK_MBPS, NOISE = 1000.0, 0.02


@dataclass(frozen=True)
class Peak:
    """A row of Table 4.16."""

    scheme: str
    sigma: float
    gamma: float
    gain_pct: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=200, help="synthetic sweeps to fit")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    value = read_published()
    peaks = list(read_peaks(value))
    print_peaks(value, peaks)
    goals = print_orderings(value, peaks)
    print_fits(value, peaks)
    goals += fit_ceilings(value, peaks)
    save("laws", [*goals, *coverage(arguments.fits)])


def read_published() -> dict[str, Any]:
    document = tomllib.loads(PUBLISHED.read_text())
    return {each["id"]: each["value"] for each in document["result"]}


def read_peaks(value: dict[str, Any]) -> Iterator[Peak]:
    for scheme in SCHEMES:
        for key, sigma in SIGMAS.items():
            name = f"t416_{scheme}_sigma{key}"
            yield Peak(scheme, sigma, value[f"{name}_gamma"], value[f"{name}_gain_pct"])


def models(value: dict[str, Any], peak: Peak) -> dict[str, Laws]:
    """LAWS with Table 4.14, and modified by Table 4.15's deviations for messages of 2 Mbit."""
    index = SCHEMES.index(peak.scheme)
    ratios = {name: value[f"t414_{name}"][index] for name in ("p", "beta")}
    alpha = value["t414_y"][index] / value["t414_x"][index]
    da, do, tau = (value[f"t415_2mbit_{name}"][index] for name in ("da", "do", "tau"))
    modified = Laws(**ratios, alpha=alpha, sigma=peak.sigma, delta_a=da, delta_o=do, tau=tau)
    return {
        "LAWS": Laws(**ratios, alpha=alpha, sigma=peak.sigma),
        "modified": modified,
        "modified, o twice": as_printed(modified),
    }


def print_peaks(value: dict[str, Any], peaks: list[Peak]) -> None:
    print(
        "\nTable 4.16, peaks of the gain over gamma; and the model's gain at the measured peak's gamma"
    )
    for peak in peaks:
        print(
            f"  {peak.scheme:8s} sigma {peak.sigma:<4g} measured {peak.gain_pct:6.2f} % at {peak.gamma:.2f}"
        )
        for name, model in models(value, peak).items():
            best, there_pct = model.optimum(LOW, HIGH), 100 * float(model.gain(peak.gamma))
            print(
                f"    {name:18s} peak {100 * best.gain:6.2f} % at {best.gamma:.2f}"
                f" ({100 * best.gain - peak.gain_pct:+7.2f} points, {best.gamma - peak.gamma:+.2f})"
                f"   there {there_pct:6.2f} % ({there_pct - peak.gain_pct:+6.2f} points)"
            )


def print_orderings(value: dict[str, Any], peaks: list[Peak]) -> list[Goal]:
    """laws_sigma_trend, laws_onload_vs_offload and laws_upper_bound, as LAWS with Table 4.14 has them."""
    best = {(p.scheme, p.sigma): models(value, p)["LAWS"].optimum(LOW, HIGH) for p in peaks}
    grows = all(best[s, 0.2].gain > best[s, 1.0].gain for s in SCHEMES)
    moves = all(best[s, 0.2].gamma < best[s, 1.0].gamma for s in SCHEMES)
    onload = all(best["onload", s].gain > best["offload", s].gain for s in SIGMAS.values())
    bound = all(100 * float(models(value, p)["LAWS"].gain(p.gamma)) > p.gain_pct for p in peaks)
    print("\norderings of the thesis")
    found = {
        "the peak grows as sigma falls": grows,
        "the peak moves to smaller gamma as sigma falls": moves,
        "onloading gains more at its peak": onload,
        "LAWS bounds what was measured": bound,
    }
    for name, holds in found.items():
        print(f"  {name}: {'yes' if holds else 'NO'}")
    count = len(found)
    return [Goal(f"published orders that hold, of {count}", sum(found.values()), at_least=count)]


def print_fits(value: dict[str, Any], peaks: list[Peak]) -> None:
    """Two points a scheme allow one parameter: tau, p and beta being those of Table 4.14."""
    print("\ntau fitted to both peaks of a scheme, p and beta from Table 4.14, beside Table 4.15")
    for index, scheme in enumerate(SCHEMES):
        mine = [peak for peak in peaks if peak.scheme == scheme]
        points = {
            "gamma": np.array([peak.gamma for peak in mine]),
            "gain": np.array([peak.gain_pct / 100 for peak in mine]),
            "sigma": np.array([peak.sigma for peak in mine]),
        }
        held = {name: value[f"t414_{name}"][index] for name in ("p", "beta")}
        fitted = fit_laws_modified(points, {**held, "delta_a": 0.0, "delta_o": 0.0})
        (tau,) = (each for each in fitted.estimates if each.name == "tau")
        ends = " to ".join("open" if end is None else f"{end:.3f}" for end in (tau.low, tau.high))
        errors = ", ".join(f"{each.error_pct:+.1f} %" for each in fitted.residuals)
        print(
            f"  {scheme:8s} tau {tau.value:.3f} ({ends}), published {value['t415_2mbit_tau'][index]:g};"
            f" throughput ratio off by {errors}"
        )


def fit_ceilings(value: dict[str, Any], peaks: list[Peak]) -> list[Goal]:
    """One p for each scheme and one ceiling for each sigma, to gain and gamma of all peaks; alpha, beta are given."""
    free = [
        *(
            FreeParameter(f"p {scheme}", 0.0, 1.0, (0.2, 0.5), is_bounded=True)
            for scheme in SCHEMES
        ),
        *(
            FreeParameter(f"c {sigma}", 0.1, 100.0, (1.2, 2.5), LOGARITHMIC)
            for sigma in SIGMAS.values()
        ),
    ]

    def predicted(parameters: Floats) -> list[Optimum]:
        named = dict(zip((each.name for each in free), parameters.tolist(), strict=True))
        return [
            replace(
                models(value, peak)["LAWS"],
                p=named[f"p {peak.scheme}"],
                ceiling=named[f"c {peak.sigma}"],
            ).optimum(LOW, HIGH)
            for peak in peaks
        ]

    fitted = fit_profiled(lambda one: peak_errors(predicted(one), peaks), free, 2 * len(peaks))
    print("\nLAWS with a ceiling fitted to all peaks: one p for each scheme, one c for each sigma")
    for each in fitted:
        print(f"  {each.name:10s} {each.value:.3f} ({each.low:.3f} to {each.high:.3f})")
    return print_ceiling_peaks(predicted(np.array([each.value for each in fitted])), peaks)


def peak_errors(found: list[Optimum], peaks: list[Peak]) -> Floats:
    """Relative, of after/before and of 1 + gamma, one pair for each peak."""
    gains = [
        (1 + one.gain) / (1 + peak.gain_pct / 100) for one, peak in zip(found, peaks, strict=True)
    ]
    gammas = [(1 + one.gamma) / (1 + peak.gamma) for one, peak in zip(found, peaks, strict=True)]
    return np.log([gains, gammas]).T.ravel()


def print_ceiling_peaks(found: list[Optimum], peaks: list[Peak]) -> list[Goal]:
    errors_pct = 100 * np.expm1(peak_errors(found, peaks)).reshape(-1, 2)
    for peak, one, (gain_pct, gamma_pct) in zip(peaks, found, errors_pct.tolist(), strict=True):
        print(
            f"  {peak.scheme:8s} sigma {peak.sigma:<4g} peak {100 * one.gain:6.2f} % at {one.gamma:.2f},"
            f" measured {peak.gain_pct:6.2f} % at {peak.gamma:.2f}"
            f" (after/before {gain_pct:+.2f} %, 1 + gamma {gamma_pct:+.2f} %)"
        )
    worst = float(np.abs(errors_pct).max())
    return [
        Goal("LAWS with a ceiling: worst error of the published peaks", worst, "%", at_most=1.4)
    ]


def coverage(fits: int) -> Iterator[Goal]:
    print(
        f"\nintervals of {fits} fits of LAWS to 15 gammas with {100 * NOISE:g} % noise, nominal 95 %"
    )
    truth = {"p": 0.75, "beta": 1.5, "host_mbps": 300.0}
    covered = dict.fromkeys(truth, 0)
    for seed in range(fits):
        found = fit_laws(synthetic(seed), {"link_mbps": LINK_MBPS})
        for each in found.estimates:
            if each.name in truth and each.low is not None and each.high is not None:
                covered[each.name] += each.low <= truth[each.name] <= each.high
    for name, count in covered.items():
        print(f"  {name:9s} {100 * count / fits:.1f} %")
        yield Goal(f"95 % intervals of {fits} fits that hold {name}", 100 * count / fits, "%")


def synthetic(seed: int) -> dict[str, Any]:
    random, gammas = np.random.default_rng(1000 + seed), np.linspace(LOW, HIGH, 15)
    noise = np.exp(NOISE * random.standard_normal((2, len(gammas))))
    return {
        "gamma": gammas,
        "before_mbps": LINK_MBPS * SYNTHETIC.before(gammas) * noise[0],
        "after_mbps": LINK_MBPS * SYNTHETIC.after(gammas) * noise[1],
    }


if __name__ == "__main__":
    main()
