"""A series' own noise: autocorrelated, with gaps, taken apart into innovations that are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.statistics import Floats

_MAD_TO_SD = 1.4826
_MOST = 0.97


@dataclass(frozen=True)
class Noise:
    """An autoregressive model of the first order: `correlation` from one part of the series to the next, `sd` of the
    values, `innovation_sd` of what is new in each."""

    correlation: float
    sd: float
    innovation_sd: float


def spread(values: Floats) -> float:
    """The standard deviation that the median absolute deviation stands for."""
    return float(_MAD_TO_SD * np.median(np.abs(values - np.median(values))))


def estimate(values: Floats, steps: npt.NDArray[np.int64]) -> Noise:
    """Fit the model robustly; `steps` counts parts from each value to the one before (1, or more behind a gap).

    The correlation is that of robust spreads of sum and difference (Gnanadesikan and Kettenring, Biometrics 28, 1972).
    """
    is_next = steps[1:] == 1
    now, before = values[1:][is_next], values[:-1][is_next]
    both, change = spread(now + before) ** 2, spread(now - before) ** 2
    correlation = float(np.clip((both - change) / max(both + change, 1e-300), 0.0, _MOST))
    innovations = spread(now - correlation * before)
    least = 1e-9 + 1e-6 * float(np.median(np.abs(values)))
    sd = max(innovations, least) / np.sqrt(1 - correlation**2)
    return Noise(correlation, float(sd), max(innovations, least))


@dataclass(frozen=True)
class Whitener:
    """Takes values to innovations in units of their spread, and steps of a level to what they do to innovations.

    Innovation i is `scale[i] * (value[i] - keep[i] * value[i - 1])`; the first has no value before it.
    """

    keep: Floats
    scale: Floats

    def innovations(self, values: Floats) -> Floats:
        """What is new in each value."""
        before = np.concatenate([[0.0], values[:-1]])
        return np.asarray(self.scale * (values - self.keep * before))


def whitener(noise: Noise, steps: npt.NDArray[np.int64]) -> Whitener:
    """Behind a gap less of the value before is in the next one."""
    keep = noise.correlation ** steps.astype(float)
    keep[0] = 0.0
    scale = 1 / (noise.sd * np.sqrt(np.maximum(1 - keep**2, 1e-12)))
    return Whitener(keep, scale)
