"""Slow nodes, slow directions of nodes, and slow routes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.understand.curve.curve import Ints
from weft.understand.xray.flows import Flow
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.limit.rates import predict
from weft.understand.xray.survey import BEST_ROUTES, NEAR_BEST, Survey
from weft.understand.xray.trial import FlowTrial

SLOW_SHARE = 0.8
"""A node or route below this share of the others' rate is slow."""
SUSPICIOUS_SHARE = 0.6
"""A route below this share of the rate that ports and limits allow is retried alone."""
SUSPICIOUS_SHARE_OF_A_SHARE = 0.25
"""... or below this share if it had to share a limit, since flows do not share fairly."""
LEAST_SHARE = 1 / 8
"""A route whose fair share is below this part of its ends' rate is not retried: it sent a few frames in a survey."""
MOST_SUSPECTS = 12
"""The most routes that are retried, the worst first; each takes RETRIALS rounds, and more would have a common limit."""
RETRIALS = 5
"""Retrials of an apparently slow route; the range of five rounds contains the median with 94 % probability."""


@dataclass(frozen=True)
class SlowPort:
    """A node that sends or receives less than the others can."""

    node: int
    direction: Literal["out", "in"]
    rate_mbps: Interval
    expected_mbps: float
    """The rate of other nodes, or the limit of its switch if that is lower."""


@dataclass(frozen=True)
class SlowRoute:
    """A route that is slow although both of its ends are not."""

    src: int
    dst: int
    rate_mbps: Interval
    expected_mbps: float


def slow_ports(
    survey: Survey, ports: PortRates, isolated: Sequence[FlowTrial], limits: Sequence[SharedLimit]
) -> Iterator[SlowPort]:
    """The nodes whose best routes are all slow, in one direction or, as two entries, in both.

    Nodes that get about as much as the limit of their switch are not slow themselves. If no node was measured in
    isolation, slow nodes must also be slower than others in the same steps, because some may have been measured only
    over paths that are slow for all.
    """
    nodes = sorted(survey.nodes)
    directions: tuple[tuple[Literal["out", "in"], Floats, str], ...] = (
        ("out", ports.send_mbps, "src"),
        ("in", ports.receive_mbps, "dst"),
    )
    for direction, rates, end in directions:
        usual = float(np.median(rates[nodes]))
        expected = {node: min(usual, _most_of_switch(node, limits)) for node in nodes}
        slow = [node for node in nodes if rates[node] < SLOW_SHARE * expected[node]]
        if not isolated:
            slow = list(_slow_beside_others(survey, slow, end))
        for node in slow:
            seen = [t.mbps[getattr(t, end) == node] for t in (*survey.trials, *isolated)]
            found = np.concatenate(seen)
            best = found[found >= NEAR_BEST * rates[node]]
            yield SlowPort(node, direction, median_interval(best), expected[node])


def _most_of_switch(node: int, limits: Sequence[SharedLimit]) -> float:
    """The limit of a node's switch, infinite if none is known."""
    around = [one for one in limits if one.kind == "switch" and node in one.members]
    return min((one.capacity_mbps.median for one in around), default=np.inf)


def _slow_beside_others(survey: Survey, nodes: Sequence[int], end: str) -> Iterator[int]:
    """The nodes that got less than others in the same steps, with several partners, because a single partner may itself
    be slow."""
    part = [{node for t in step for node in getattr(t, end).tolist()} for step in survey.steps]
    by_steps: dict[tuple[int, ...], Survey] = {}
    for node in nodes:
        own = tuple(index for index, present in enumerate(part) if node in present)
        if own not in by_steps:
            by_steps[own] = replace(survey, steps=[survey.steps[index] for index in own])
        beside = by_steps[own]
        mbps = beside.mbps if end == "src" else beside.mbps.T
        rates = beside.send_mbps if end == "src" else beside.receive_mbps
        partners = np.count_nonzero(~np.isnan(mbps[node]))
        if partners >= BEST_ROUTES and rates[node] < SLOW_SHARE * np.nanmedian(rates):
            yield node


def suspects(survey: Survey, ports: PortRates, limits: Sequence[SharedLimit]) -> list[Flow]:
    """The routes that got far less than known limits explain, the slowest first.

    Routes are left out if their other direction was busy at the same time through a slow port, because delayed
    acknowledgements slow the route. So are phases in which ports are shared by so many flows that each share is thin.
    """
    nodes = sorted(survey.nodes)
    sends, receives = (
        rates < SLOW_SHARE * np.median(rates[nodes])
        for rates in (ports.send_mbps, ports.receive_mbps)
    )
    found: list[tuple[float, Flow]] = []
    few = [one for one in survey.trials if LEAST_SHARE * len(one.src) <= len(nodes)]
    for trial in (one.without(survey.lost) for one in few):
        isolated = predict(trial, ports, [])
        expected = predict(trial, ports, limits)
        least = np.where(
            expected > SLOW_SHARE * isolated, SUSPICIOUS_SHARE, SUSPICIOUS_SHARE_OF_A_SHARE
        )
        shares = np.divide(trial.mbps, expected, out=np.ones_like(expected), where=expected > 0)
        is_thin = expected < LEAST_SHARE * isolated
        forth, back = _numbered(trial.src, trial.dst), _numbered(trial.dst, trial.src)
        both_ways = np.isin(back, forth)
        is_held_up = both_ways & (sends[trial.dst] | receives[trial.src])
        low = np.flatnonzero((shares < least) & ~is_held_up & ~is_thin)
        ways = zip(trial.src[low].tolist(), trial.dst[low].tolist(), strict=True)
        found += zip((shares[low] / least[low]).tolist(), ways, strict=True)
    return [flow for _, flow in sorted(found)[:MOST_SUSPECTS]]


def _numbered(src: Ints, dst: Ints) -> Ints:
    """A number for each way."""
    found: Ints = src.astype(np.int64) << 32 | dst
    return found


def slow_routes(
    flows: Sequence[Flow],
    isolated: Sequence[FlowTrial],
    ports: PortRates,
    limits: Sequence[SharedLimit],
) -> Iterator[SlowRoute]:
    """The suspects that are also slow alone, in most of the retrials."""
    for src, dst in flows:
        rounds = [trial for trial in isolated if (src, dst) in trial.flows]
        if not rounds:
            continue
        places = [trial.flows.index((src, dst)) for trial in rounds]
        expected = float(predict(rounds[0], ports, limits)[places[0]])
        rates = [float(trial.mbps[i]) for trial, i in zip(rounds, places, strict=True)]
        if median_interval(rates).high < SLOW_SHARE * expected:
            yield SlowRoute(src, dst, median_interval(rates), expected)
