"""The spread of timings with a process pinned, compared with one that the kernel places."""

from __future__ import annotations

import math

import numpy as np

from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.statistics import LEVEL, Floats
from weft.understand.studies.study import SettingStudy, SettingValue, value_of
from weft.understand.studies.varied import Variant, VariedStep

KEYS = {"options.cpus"}
FEWEST = 4
"""The fewest timings from which a spread is computed."""


def affinity_study(found: VariedStep) -> SettingStudy:
    """Compares the last value's spread with the first one's."""
    first, last = found.variants[0], found.variants[-1]
    rows = [value_of(one, found, note=_note(one)) for one in found.variants]
    ratio = spread_ratio(last.timings, first.timings) if len(first.timings) >= FEWEST else None
    text = _text(rows, ratio, first.is_of_latency)
    return SettingStudy(
        "affinity",
        found.name,
        found.keys,
        first.is_of_latency,
        rows,
        text,
        {"spread_ratio": ratio},
    )


def spread_ratio(a: Floats, b: Floats) -> Interval | None:
    """The ratio of the standard deviations of a's and b's logarithms, by the jackknife, which does not assume a normal
    distribution; None if one of them does not vary.

    Source: R. G. Miller, "Jackknifing variances", Annals of Mathematical Statistics 39 (1968); M. Hollander and D. A.
    Wolfe, "Nonparametric Statistical Methods", section 5.2.
    """
    from scipy.stats import t  # a slow import that few runs need

    pseudo = [_pseudo_values(np.log(each)) for each in (a, b)]
    if not all(np.isfinite(each).all() for each in pseudo):
        return None
    means = [float(each.mean()) for each in pseudo]
    errors = [float(each.var(ddof=1)) / len(each) for each in pseudo]
    difference, error = means[0] - means[1], sum(errors)
    parts = sum(one**2 / (len(each) - 1) for one, each in zip(errors, pseudo, strict=True))
    reach = t.ppf((1 + LEVEL) / 2, error**2 / parts) * math.sqrt(error) if parts else 0.0
    return Interval(
        *(math.exp(end / 2) for end in (difference, difference - reach, difference + reach))
    )


def _pseudo_values(values: Floats) -> Floats:
    """Jackknife pseudo-values of the logarithm of the variance."""
    count = len(values)
    without = np.array([np.delete(values, at).var(ddof=1) for at in range(count)])
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = count * np.log(values.var(ddof=1)) - (count - 1) * np.log(without)
    return found


def _note(one: Variant) -> str:
    """The processors on which each end could run, in words; empty if unknown."""
    ends = [fold([str(cpu) for cpu in each.get("cpus") or ()]) for each in one.settings]
    return "on " + " and ".join(ends) if all(ends) and ends else ""


def _place(value: str) -> str:
    return "where the kernel puts the ends" if value == "any" else f"on processors {value}"


def _text(rows: list[SettingValue], ratio: Interval | None, is_of_latency: bool) -> str:
    first, last = rows[0], rows[-1]
    what = "latency" if is_of_latency else "throughput"
    spreads = " and ".join(f"{one.spread_pct:.0f} % {_place(one.value)}" for one in (first, last))
    found = f"{len(first.timings)} timings of {what} each spread over {spreads}"
    if ratio is None:
        return f"{found}."
    if ratio.low <= 1 <= ratio.high:
        sure = "not surely another"
    else:
        sure = "steadier" if ratio.high < 1 else "less steady"
    return (
        f"{found}: {ratio.median:.2g} times the spread ({ratio.low:.2g} to {ratio.high:.2g}), {sure}; the median is "
        f"{last.ratio.median:.3g} times the other."
    )
