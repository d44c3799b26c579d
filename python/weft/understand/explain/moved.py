"""Which counters changed with slow stretches."""

from __future__ import annotations

import numpy as np

from weft.base.quantity import significant
from weft.base.statistics import Floats
from weft.understand.explain.contrast import StretchContrast
from weft.understand.explain.finding import HARMLESS, Explanation, Reading
from weft.understand.explain.permutation import SHUFFLES, p_values
from weft.understand.explain.signals import Signal
from weft.understand.explain.stretches import Stretches

ALPHA = 0.01
"""The highest probability that any counter changes with the slow stretches of one contrast by chance."""
ALPHA_OF_STEP = 0.05
"""The highest such probability for all contrasts of a step together."""
LEAST_SHARE = 0.5
"""A time explains slow messages if it is at least this share of their additional time."""
LEAST_RATIO = 2.0
"""A count explains slow messages if its rate in slow stretches is at least this many times that in fast ones, and its
events are long enough for LEAST_SHARE of the lost time."""


def allowed_error(contrasts: int) -> float:
    """The significance level of each of several contrasts of a step, no finer than the permutation test resolves."""
    return max(min(ALPHA, ALPHA_OF_STEP / contrasts), 1 / (1 + SHUFFLES))


def explain_contrast(
    step: str,
    contrast: StretchContrast,
    signals: list[Signal],
    stretches: Stretches,
    alpha: float,
    otherwise: str,
) -> Explanation:
    """The cause that changed with the slow stretches: the first in the order of CAUSES, by its strongest counter.

    A cause that changed with them by chance is named with a probability of at most `alpha`. Without any cause, the text
    ends in `otherwise`.
    """
    moved = [one for one in _moved(contrast, signals, stretches) if one[0] <= alpha]
    if not moved:
        return Explanation(
            contrast.kind, step, contrast.sizes_bytes, f"{contrast.text}; {otherwise}"
        )
    p_value, strength, signal = min(moved, key=lambda one: (one[2].rank, -one[1]))
    messages = stretches.messages[contrast.used]
    evidence = _evidence(contrast, signal, messages, stretches.time_us[contrast.used])
    return Explanation(
        contrast.kind,
        step,
        contrast.sizes_bytes,
        f"{contrast.text}; {contrast.slow_ones} have {signal.cause.says} on {signal.where} ({_numbers(evidence)})"
        + HARMLESS * contrast.is_harmless,
        signal.cause.code,
        signal.nodes,
        strength,
        p_value,
        [evidence],
        contrast.is_harmless,
    )


def _moved(
    contrast: StretchContrast, signals: list[Signal], stretches: Stretches
) -> list[tuple[float, float, Signal]]:
    """The signals that are strong enough, each with its p-value and its strength."""
    strong = [(strength(contrast, one, stretches), one) for one in signals]
    if not any(much for much, _ in strong):
        return []
    # The weak ones count too in the correction for multiple tests, since they were examined.
    p = p_values(*contrast.shuffled(np.array([one.values for _, one in strong])))
    rows = zip(p, strong, strict=True)
    return [(float(one), much, signal) for one, (much, signal) in rows if much]


def strength(contrast: StretchContrast, signal: Signal, stretches: Stretches) -> float:
    """The share of the lost time that the signal accounts for, or the share by which its count is higher in slow
    stretches; 0 if that is too little."""
    values = signal.values[contrast.used]
    beside = contrast.beside(values[np.newaxis])[0]
    slow, fast = (float(one[contrast.slow].mean()) for one in (values, beside))
    if signal.cause.kind == "share":
        part = (slow * contrast.slowdown - fast) / max(contrast.slowdown - 1, 1e-9)
        return min(part, 1.0) if slow > fast and part >= LEAST_SHARE else 0.0
    time_us = stretches.time_us[contrast.used]
    lasted_us = float((time_us * stretches.messages[contrast.used])[contrast.slow].mean())
    events = (slow - fast) * lasted_us / 1e6
    lost_us = lasted_us * (1 - 1 / contrast.slowdown)
    is_much = slow >= LEAST_RATIO * fast
    is_long = events * signal.cause.most_us >= LEAST_SHARE * lost_us
    return 1 - fast / slow if is_much and is_long else 0.0


def _evidence(
    contrast: StretchContrast, signal: Signal, messages: Floats, time_us: Floats
) -> Reading:
    values, unit = signal.values[contrast.used], "share"
    if signal.cause.kind == "rate":
        values, unit = values * time_us / 1e6, "per message"
    slow, fast = (
        float(np.average(values[part], weights=messages[part]))
        for part in (contrast.slow, ~contrast.slow)
    )
    return Reading(signal.counter, signal.where, slow, fast, unit)


def _numbers(evidence: Reading) -> str:
    """For example "net_rx 410 against 12 a message"."""
    factor, of = (100, "% of the time") if evidence.unit == "share" else (1, "a message")
    slow, fast = (significant(factor * value, 2) for value in (evidence.slow, evidence.fast or 0.0))
    return f"{evidence.counter.removeprefix('softirq_')} {slow} against {fast} {of}"
