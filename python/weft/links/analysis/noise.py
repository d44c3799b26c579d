"""The noise of a series, in part autocorrelated and with gaps, decomposed into independent innovations."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from weft.base.statistics import MAD_TO_SD, Floats

_CORRELATIONS = np.arange(0.02, 0.985, 0.02)
"""Those that are tried: closer ones are not told apart in a month."""
_LEAST_VALUES = 8
"""With fewer values, an hour gets the noise of all hours."""
CLEAR = 2.0
"""Deviations up to this many standard deviations are attributed to chance, which exceeds them in 5 % of all cases."""
CLIP = 3.0
"""Deviations are clipped at this many standard deviations: a farther outlier is no stronger evidence."""
_LEAST_OF_MANY = 32
"""Minimum number of values of a group if there are many groups: in fewer, two outliers would decide the spread."""
_LAGS = (1, 2, 3, 4, 6, 8, 12)
"""Quarters: beyond three hours the course of a day is stronger than noise that follows itself."""
_ORDER = 8
"""Number of earlier values in the forecast of one."""


@dataclass(frozen=True)
class Noise:
    """A first-order autoregressive process plus independent errors: `correlation` of the process from one part to the
    next, its `share` of the variance, and `sd` of the sum."""

    correlation: float
    share: float
    sd: float


def spread(values: Floats) -> float:
    """Robust standard deviation, from the median absolute deviation."""
    return float(MAD_TO_SD * np.median(np.abs(values - np.median(values))))


def estimate(values: Floats, position: npt.NDArray[np.int64]) -> Noise:
    """Fit the model robustly; `position` counts parts of the series from its start, including gaps.

    Correlations are from robust spreads of sum and difference (Gnanadesikan and Kettenring, Biometrics 28, 1972).
    """
    lags = [lag for lag in _LAGS if _pairs(position, lag)[0].size >= 2 * _LAGS[-1]]
    if not lags:
        return Noise(0.0, 0.0, max(_wide_spread(values), _least(values)))
    seen = np.array([_correlation(values, *_pairs(position, lag)) for lag in lags])
    model = _CORRELATIONS[:, None] ** np.array(lags)
    shares = np.clip((model @ seen) / np.sum(model**2, axis=1), 0.0, 1.0)
    best = int(np.argmin(np.sum((seen - shares[:, None] * model) ** 2, axis=1)))
    unit = Noise(float(_CORRELATIONS[best]), float(shares[best]), 1.0)
    sd = _wide_spread(whitener(unit, position).innovations(values))
    return Noise(unit.correlation, unit.share, max(sd, _least(values)))


def by_group(
    values: Floats,
    group: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
    *,
    are_few: bool = False,
) -> Floats:
    """The factor by which each value's noise exceeds the usual, estimated for its group, such as an hour of the day.

    The spread of a group is shrunk towards that of all by the share that chance explains (on logarithms; empirical
    Bayes, or the garrote if only few groups differ). `count` has each group's number of independent values.
    """
    least = _LEAST_OF_MANY if are_few else _LEAST_VALUES
    parts = np.split(
        np.argsort(group, kind="stable"), np.cumsum(np.bincount(group, minlength=len(count)))[:-1]
    )
    spreads = np.array(
        [_wide_spread(values[one], 0.8) if len(one) >= least else 0.0 for one in parts]
    )
    known = spreads > _least(values)
    if known.sum() < 2:
        return np.ones(len(values))
    logs = np.zeros(len(count))
    logs[known] = np.log(spreads[known]) - np.median(np.log(spreads[known]))
    chance = 1 / np.maximum(count, 1)
    if are_few:
        # Load that starts or ends in a part makes it noisier than its hour, never quieter.
        logs = np.maximum(logs, 0.0)
        share = np.clip(1 - CLEAR**2 * chance / np.maximum(logs**2, 1e-300), 0.0, 1.0)
    else:
        real = max(float(np.mean(logs[known] ** 2 - chance[known])), 0.0)
        share = real / (real + chance)
    found = np.exp(logs * share)[group]
    return np.asarray(found / np.median(found))


def _wide_spread(values: Floats, share: float = 0.9) -> float:
    """Standard deviation from the middle `share` of values: days with more noise count, events do not."""
    edges = np.quantile(values, [(1 - share) / 2, (1 + share) / 2])
    return float(np.ptp(edges)) / (2 * NormalDist().inv_cdf((1 + share) / 2))


def _least(values: Floats) -> float:
    return 1e-9 + 1e-6 * float(np.median(np.abs(values)))


def _pairs(
    position: npt.NDArray[np.int64], lag: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Indices of values that are `lag` parts apart: later, earlier."""
    earlier = np.searchsorted(position, position - lag)
    later = np.flatnonzero(position[earlier] == position - lag)
    return later, np.asarray(earlier[later])


def _correlation(
    values: Floats, later: npt.NDArray[np.int64], earlier: npt.NDArray[np.int64]
) -> float:
    both = spread(values[later] + values[earlier]) ** 2
    change = spread(values[later] - values[earlier]) ** 2
    return (both - change) / max(both + change, 1e-300)


@dataclass(frozen=True)
class Whitener:
    """Turns values into innovations in units of their spread, and steps of a level into the response of innovations.

    Innovation i is `scale[i] * (value[i] - sum over j of keep[i, j] * value[i - 1 - j])`.
    """

    keep: Floats
    scale: Floats

    def innovations(self, values: Floats) -> Floats:
        """The innovation of each value (last axis)."""
        known = np.zeros(values.shape)
        for lag in range(1, min(self.keep.shape[1], values.shape[-1] - 1) + 1):
            known[..., lag:] += self.keep[lag:, lag - 1] * values[..., :-lag]
        return np.asarray(self.scale * (values - known))

    def response(self) -> Floats:
        """The innovation of value i after a unit step at value i - k: row i, column k; the last column is for all k
        from the model's order on."""
        kept = np.cumsum(self.keep, axis=1)
        return np.asarray(
            self.scale[:, None] * (1 - np.concatenate([np.zeros((len(kept), 1)), kept], axis=1))
        )


def whitener(
    noise: Noise, position: npt.NDArray[np.int64], unrest: Floats | None = None
) -> Whitener:
    """The best linear forecast from the previous values, whatever the gaps between them. `unrest` is the factor by
    which each value's noise exceeds the model's."""
    count = len(position)
    back = np.arange(count)[:, None] - np.arange(1, _ORDER + 1)
    before = np.where(back >= 0, position[back], np.iinfo(np.int64).min // 4)
    apart = position[:, None] - before
    regular = np.arange(1, _ORDER + 1)
    is_regular = np.all(apart == regular, axis=1)
    patterns, which = np.unique(
        np.vstack([regular, np.minimum(apart[~is_regular], 10**6)]), axis=0, return_inverse=True
    )
    at = np.full(count, which.ravel()[0])
    at[~is_regular] = which.ravel()[1:]
    forecasts = [_forecast(noise, pattern) for pattern in patterns]
    keep = np.array([weights for weights, _ in forecasts])[at]
    variance = np.array([left for _, left in forecasts])[at]
    keep[back < 0] = 0.0
    scale = 1 / (noise.sd * np.sqrt(variance))
    if unrest is None:
        return Whitener(keep, scale)
    return Whitener(keep * unrest[:, None] / unrest[np.maximum(back, 0)], scale / unrest)


def _forecast(noise: Noise, apart: npt.NDArray[np.int64]) -> tuple[Floats, float]:
    """Weights of earlier values at these distances, and the share of the variance that remains."""
    lasting = noise.share * noise.correlation ** apart.astype(float)
    between = np.abs(apart[:, None] - apart[None, :]).astype(float)
    covariance = noise.share * noise.correlation**between
    np.fill_diagonal(covariance, 1.0)
    weights = np.linalg.solve(covariance + 1e-9 * np.eye(len(apart)), lasting)
    return weights, max(float(1 - weights @ lasting), 1e-9)
