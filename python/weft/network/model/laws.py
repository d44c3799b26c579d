"""LAWS: the gain from moving communication work from the host to the network interface (NIC).

Source: P. Shivam and J. S. Chase, "On the elusive benefits of protocol offload", NICELI 2003. Equations are
numbered as in A. Ortiz García's thesis (Granada, 2008; catalog/published/nic_offload.toml).

A transfer is a pipeline, so its slowest stage limits its rate. All stage times are for one unit of data, in units
of o X, the host's time for communicating it before offload:

    before  link sigma    host gamma + 1                            (equation 1.4)
    after   link sigma    host gamma + 1 - p    NIC p alpha beta    (equations 1.5 to 1.7)

Modified LAWS adds deviations: effects of offload other than moving work (equation 4.3 and section 4.6.3 of the
thesis). The host's time after offload becomes

    (gamma (1 + delta_a) + (1 - p) (1 + delta_o)) (1 + tau)

and the NIC's p alpha beta (1 + delta_o). The printed equation has the communication work o twice in the NIC's term,
which is then no time; here it occurs once, as in equation 1.7, to which the modified model must reduce if all
deviations are 0. `as_printed` is the other reading. The deviations are relative, as in equation 4.3; chapter 6 of the
thesis describes them as absolute.

A measured system may have a limit that no stage explains. `ceiling` is its stage time, before and after; it acts like
sigma, so that with c = max(sigma, ceiling) the peak is p/c at gamma = c - (1 - p).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from weft.base.errors import RequestError
from weft.base.statistics import Floats

Ratio = float | Floats
"""A number, or an array that broadcasts with gamma and the other ratios."""

NamedLab = Literal["link", "nic", "host", "ceiling"]
STAGES: tuple[NamedLab, ...] = ("link", "nic", "host", "ceiling")

_HINTS = {
    "alpha": "alpha is the lag ratio: 2 for a NIC of half the host's speed",
    "beta": "beta is the remaining part of the work that is moved: 1 for all, 0.01 for next to nothing",
    "sigma": "sigma is the host's rate over the link's: 0.2 on a link five times as fast as the host",
}


@dataclass(frozen=True)
class Optimum:
    """The application ratio with the largest relative `gain` (0.3: 30 % more throughput)."""

    gamma: float
    gain: float


@dataclass(frozen=True)
class Laws:
    """The dimensionless ratios of LAWS; raises RequestError if one is out of range.

    `p` is the share of communication work that is moved, 0 to 1; `alpha` the lag ratio Y/X, above 1 for a NIC slower
    than the host; `beta` the structural ratio, the part of the moved work that remains; `sigma` the wire ratio 1/(o X
    B), the share of the link's bandwidth B that the host reaches when it only communicates. The deviations of modified
    LAWS are fractions greater than -1: `delta_a` is the relative change of the application's work, `delta_o` that of
    communication work, `tau` that of all work left on the host, due to the communication of host and NIC. `ceiling` is
    the host's rate when it only communicates relative to the maximum throughput that any cause allows: 2 if that is
    half of the host's rate; 0 for none.
    """

    p: Ratio
    alpha: Ratio = 1.0
    beta: Ratio = 1.0
    sigma: Ratio = 1.0
    delta_a: Ratio = 0.0
    delta_o: Ratio = 0.0
    tau: Ratio = 0.0
    ceiling: Ratio = 0.0

    def __post_init__(self) -> None:
        if not np.all((np.asarray(self.p) >= 0) & (np.asarray(self.p) <= 1)):
            raise RequestError(f"p {self.p}: not between 0 and 1", "p is a share: 0.55 is 55 %")
        for name, hint in _HINTS.items():
            check_above(name, getattr(self, name), 0.0, hint)
        for name in ("delta_a", "delta_o", "tau"):
            check_above(name, getattr(self, name), -1.0)
        if not np.all(np.isfinite(self.ceiling) & (np.asarray(self.ceiling) >= 0)):
            raise RequestError(f"ceiling {self.ceiling}: must be a number, 0 (none) or greater")

    @property
    def host_slope(self) -> Ratio:
        """The slope of the host's time over gamma after offload."""
        return (1.0 + self.delta_a) * (1.0 + self.tau)

    @property
    def host_rest(self) -> Ratio:
        """The host's time after offload without application work: equation 1.6 at a = 0."""
        return (1.0 - self.p) * (1.0 + self.delta_o) * (1.0 + self.tau)

    @property
    def nic_time(self) -> Ratio:
        """The NIC's time after offload: equation 1.7."""
        return self.p * self.alpha * self.beta * (1.0 + self.delta_o)

    def times_before(self, gamma: npt.ArrayLike) -> Floats:
        """Stage times before offload, in the order of STAGES along the first axis."""
        return _stacked(self._before(gamma))

    def times_after(self, gamma: npt.ArrayLike) -> Floats:
        """Stage times after offload, in the order of STAGES along the first axis."""
        return _stacked(self._after(gamma))

    def _before(self, gamma: npt.ArrayLike) -> tuple[Ratio, ...]:
        return self.sigma, 0.0, 1.0 + _gamma(gamma), self.ceiling

    def _after(self, gamma: npt.ArrayLike) -> tuple[Ratio, ...]:
        host = self.host_slope * _gamma(gamma) + self.host_rest
        return self.sigma, self.nic_time, host, self.ceiling

    def before(self, gamma: npt.ArrayLike) -> Floats:
        """Peak throughput before offload, as a share of the link's bandwidth (equation 1.4)."""
        share: Floats = self.sigma / _longest(self._before(gamma))
        return share

    def after(self, gamma: npt.ArrayLike) -> Floats:
        """Peak throughput after offload, as a share of the link's bandwidth."""
        share: Floats = self.sigma / _longest(self._after(gamma))
        return share

    def gain(self, gamma: npt.ArrayLike) -> Floats:
        """The throughput added by offload, relative to before (equations 1.8 and 1.9)."""
        gain: Floats = _longest(self._before(gamma)) / _longest(self._after(gamma)) - 1.0
        return gain

    predict = gain

    @property
    def border_before(self) -> Ratio:
        """Gamma from which the host, not link or ceiling, limits before offload; if below 0, it always does."""
        return np.maximum(self.sigma, self.ceiling) - 1.0

    @property
    def border_after(self) -> Ratio:
        """Gamma from which the host, not link, ceiling or NIC, limits after offload; if below 0, it always does."""
        others = np.maximum(np.maximum(self.sigma, self.ceiling), self.nic_time)
        return (others - self.host_rest) / self.host_slope

    def optimum(self, low: float, high: float) -> Optimum:
        """The maximum gain between two gammas, at the smallest gamma that has it; for scalar ratios.

        The gain is monotone between the borders, so its maximum is at one of them or at an end. Over all gamma it is at
        max(0, max(sigma, alpha beta p) - (1 - p)), which for p = 1 is the thesis's equation 1.10 (referenced there, not
        printed; this form is derived).
        """
        gammas = cuts(self, low, high)
        gains = self.gain(gammas)
        best = int(np.argmax(gains))
        return Optimum(float(gammas[best]), float(gains[best]))


def cuts(model: Laws, low: float, high: float) -> Floats:
    """The ends of a range of gamma and the model's borders inside it, in increasing order."""
    borders = [float(model.border_before), float(model.border_after)]
    return np.unique([low, *(each for each in borders if low < each < high), high])


def check_above(name: str, value: Ratio, bound: float, hint: str = "") -> None:
    """Raise RequestError unless the value, or every element of an array, is finite and greater than `bound`."""
    # A fit calls this for scalars some 100,000 times.
    is_above = (
        bound < value < math.inf
        if isinstance(value, float)
        else np.all(np.isfinite(value) & (np.asarray(value) > bound))
    )
    if not is_above:
        raise RequestError(f"{name} {value}: must be a number greater than {bound:g}", hint)


def _gamma(gamma: npt.ArrayLike) -> Floats:
    values = np.asarray(gamma, dtype=np.float64)
    if not np.all(np.isfinite(values) & (values >= 0)):
        raise RequestError("gamma: application work is a number, 0 or more")
    return values


def _longest(times: Sequence[Ratio]) -> Floats:
    longest = np.asarray(times[0], dtype=np.float64)
    for one in times[1:]:
        longest = np.maximum(longest, one)
    return longest


def _stacked(times: Sequence[Ratio]) -> Floats:
    return np.stack(np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in times)))


def as_printed(model: Laws) -> Laws:
    """The model with equation 4.3 taken literally, with o twice in the NIC's term, for comparison.

    An absolute o needs units: in those of Table 4.14, where X and B are 1, it is 1/sigma, so that the second o acts
    like a beta that is 1/sigma times as large.
    """
    return replace(model, beta=model.beta / model.sigma)
