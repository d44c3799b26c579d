"""Warnings about a lab's scale."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.nodeset import fold
from weft.base.quantity import format_mbps, part_of_mbps
from weft.measure.execute.lab_scale.choice import MOST_WAITING, ScaleTrial
from weft.runs.meta import Warning


def scaled(rates_mbps: Sequence[float], scale: float) -> tuple[Warning, ...]:
    """Warns that a lab with these host rates is scaled; empty if the scale is 1."""
    if scale == 1:
        return ()
    return (
        Warning(
            "lab-scaled",
            f"this machine cannot carry {_hosts(rates_mbps)} at once: the lab runs at scale {scale:g}, with "
            f"{format_mbps(max(rates_mbps) * scale)} in place of {format_mbps(max(rates_mbps))}",
            "all rates are those at this scale; `--scale 1` keeps the full ones",
        ),
    )


def overloaded(
    rates_mbps: Sequence[float], scale: float, trial: ScaleTrial, smaller: float
) -> Warning:
    """Warns that a lab does not carry its hosts at the requested scale, and names one that it probably carries."""
    waited = (
        f", and their agents waited for a processor {100 * trial.waiting_share:.0f} % of the time"
        if trial.waiting_share > MOST_WAITING
        else ""
    )
    at_scale = [rate * scale for rate in rates_mbps]
    return Warning(
        "lab-overloaded",
        f"this machine does not carry {_hosts(at_scale)} at once: in a self-test they got "
        f"{part_of_mbps(trial.carried_mbps, trial.possible_mbps)}{waited}",
        f"use --scale {smaller:g}, or leave --scale out; rates of many hosts are this machine's now",
    )


def unlimited(names: Sequence[str]) -> tuple[Warning, ...]:
    """Warns that hosts have no rate limit."""
    if not names:
        return ()
    have = "have" if len(names) > 1 else "has"
    return (
        Warning(
            "lab-unlimited",
            f"{fold(names)} {have} no link rate: what they send is limited by this machine, not by the fabric",
            "give their links a rate in the fabric's file",
        ),
    )


def _hosts(rates_mbps: Sequence[float]) -> str:
    up_to = "" if len(set(rates_mbps)) == 1 else "up to "
    return f"{len(rates_mbps)} hosts at {up_to}{format_mbps(max(rates_mbps))}"
