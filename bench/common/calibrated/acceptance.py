"""Acceptance of clusters whose nodes differ a little, and of links that lose segments in bursts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from common.case import Case, Said
from weft.base.statistics import Floats
from weft.operate.acceptance.decide import case, status_of
from weft.operate.acceptance.lost_share import LossCounts, lost_share
from weft.operate.acceptance.pair_verdicts import PairJudge
from weft.operate.acceptance.pairs import PairMatrix
from weft.operate.acceptance.requirements import Requirement, requirement
from weft.operate.acceptance.suspects import again_pairs
from weft.operate.acceptance.verdict import RequirementVerdict, Status

SLOWER = requirement("nodes.slower", "10 %")
LOST = requirement("loss.retransmits", "0.1 %")
LIMIT = 0.1
LOOKS = (6, 12, 18)
IN_ROUNDS, ALONE = 0.02, 0.01
"""So much do rates of one route differ, from round to round and from launch to launch."""
LEAF = 16
USUAL_MBPS = 940.0
SEGMENTS = 8000.0
"""That a trial of 100 ms carries at 1 Gb/s."""
LOSING = 32
"""Nodes of which one may lose."""
Random = np.random.Generator


def _speeds(random: Random, count: int, sd: float) -> Floats:
    """What nodes send and receive, beside the median node."""
    speeds = random.normal(1.0, sd, count)
    found: Floats = speeds / np.median(speeds)
    return found


def _screened(random: Random, speeds: Floats, leaf: int) -> PairMatrix:
    """All pairs once. Two nodes of one leaf are near; without leaves no times tell which are."""
    count = len(speeds)
    shape = (count, count)
    mbps = USUAL_MBPS * np.minimum.outer(speeds, speeds) * _noise(random, IN_ROUNDS, shape)
    np.fill_diagonal(mbps, np.nan)
    found = PairMatrix(
        tuple(f"n{node + 1}" for node in range(count)),
        mbps,
        mbps,
        np.ones(shape),
        np.ones(shape, dtype=bool),
    )
    return replace(found, times_us={1: _times_us(random, count, leaf)}) if leaf else found


def _times_us(random: Random, count: int, leaf: int) -> Floats:
    at = np.arange(count) // leaf
    times = np.where(np.equal.outer(at, at), 20, 30) * _noise(random, IN_ROUNDS, (count, count))
    np.fill_diagonal(times, np.nan)
    found: Floats = np.fmax(times, times.T)
    return found


def _noise(random: Random, sd: float, shape: tuple[int, ...]) -> Floats:
    found: Floats = np.exp(random.normal(0, sd, shape))
    return found


def _accepted(random: Random, speeds: Floats, leaf: int = 0) -> RequirementVerdict:
    """As `weft accept` measures: all pairs once, then the suspects until it is decided, three times at most."""
    pairs = _screened(random, speeds, leaf)
    for route in again_pairs(pairs, [SLOWER]):
        mbps = USUAL_MBPS * speeds[list(route)].min()
        for way in (route, route[::-1]):
            pairs.again_mbps[way] = mbps * _noise(random, ALONE, LOOKS[-1:])
    for count in LOOKS:
        known = {route: values[:count] for route, values in pairs.again_mbps.items()}
        judge = PairJudge(replace(pairs, again_mbps=known), None, lambda node: {})
        found = judge.verdict(SLOWER)
        if found.status != "not decided":
            break
    return found


def _is_wrong(random: Random, count: int, sd: float, leaf: int = 0) -> bool:
    """Not met where all nodes are within the limit of the median node, or met where one is beyond."""
    speeds = _speeds(random, count, sd)
    wrong = "not met" if speeds.min() >= 1 - LIMIT else "met"
    return _accepted(random, speeds, leaf).status == wrong


def _is_met(random: Random, count: int, sd: float, leaf: int = 0) -> bool:
    return _accepted(random, _speeds(random, count, sd), leaf).status == "met"


def _is_found(random: Random, count: int, sd: float, leaf: int = 0) -> bool:
    """Whether the node that is slower by 15 % is named, and its cluster refused."""
    speeds = _speeds(random, count, sd)
    node = int(random.integers(count))
    speeds[node] = 0.85
    found = _accepted(random, speeds, leaf)
    return any(f"n{node + 1}" in one.nodes for one in found.symptoms)


def _losing(random: Random, shares: Floats, burst: int) -> RequirementVerdict:
    """Nodes that send `SEGMENTS` each way of each route, of which these shares are lost, in bursts."""
    count = len(shares)
    shape = (count, count)
    sent = np.where(np.eye(count), 0.0, SEGMENTS)
    share = np.maximum.outer(shares, shares)
    bursts = random.poisson(sent * share / burst)
    lost = np.minimum(random.poisson(bursts * (burst - 1)) + bursts, sent)
    mbps = np.where(np.eye(count), np.nan, USUAL_MBPS)
    nothing = np.zeros(shape)
    names = tuple(f"n{node + 1}" for node in range(count))
    calm = np.ones(shape, dtype=bool)
    pairs = PairMatrix(names, mbps, mbps, np.ones(shape), calm, again_mbps={(0, 1): mbps[0, 1:7]})
    counts = {"sent": sent, "resent": lost, "again_sent": nothing, "again_resent": nothing}
    return PairJudge(replace(pairs, **counts), None, lambda node: {}).verdict(LOST)


def _is_refused(random: Random, burst: int) -> bool:
    """Whether a cluster is refused that loses half of what it may, on all routes."""
    return _losing(random, np.full(LOSING, 0.0005), burst).status == "not met"


def _is_seen(random: Random, burst: int, share: float = 0.005) -> bool:
    """Whether the one node is named that loses five times of what it may."""
    shares = np.zeros(LOSING)
    shares[LOSING // 2] = share
    found = _losing(random, shares, burst)
    return any(f"n{LOSING // 2 + 1}" in one.nodes for one in found.symptoms)


def _is_missed(random: Random, burst: int) -> bool:
    """Whether the interval of a node's share misses it: 10^5 segments over 20 routes, 0.2 % lost."""
    sent = np.full(20, 5000.0)
    bursts = random.poisson(sent * 0.002 / burst)
    lost = np.minimum(bursts + random.poisson(bursts * (burst - 1)), sent)
    found = lost_share([LossCounts(lost, sent)])
    return not found.low <= 0.2 <= found.high


def _some_fail(random: Random) -> bool:
    """Whether any of 20 routes is not met whose medians are exactly at the limit."""
    alone = requirement("rate.pair", f"{USUAL_MBPS} Mb/s")
    return any(_judged(_noise(random, ALONE, LOOKS[-1:]), alone) == "not met" for _ in range(20))


def _judged(noise: Floats, wanted: Requirement) -> Status:
    for count in LOOKS:
        found = status_of(case("", USUAL_MBPS * noise[:count], is_exact=False), wanted)
        if found != "not decided":
            break
    return found


def _nodes(
    world: Callable[..., bool],
    what: str,
    worlds: int,
    count: int,
    sd: float,
    *,
    claimed: float | None = None,
    power: float | None = None,
    said: tuple[Said, ...] = (),
) -> Case:
    name = f"{what}, {count} nodes of sd {sd:g} %"
    return Case(name, partial(world, count=count, sd=sd / 100), worlds, claimed, power, said)


_PAGE = "docs/accept-a-cluster.md"
UNEVEN = (Said(_PAGE, "the verdict is wrong in 5 % of acceptances at most"),)
BURSTS = (Said(_PAGE, "the intervals of all nodes hold together with 95 %"),)
AT_LIMIT = (
    Said(_PAGE, "one of 20 routes that are exactly at their limit is called not met in 32 %"),
)
CASES = [
    _nodes(_is_wrong, "no node slower by 10 %", 100, 64, 2, claimed=0.05, said=UNEVEN),
    _nodes(_is_wrong, "no node slower by 10 %", 100, 64, 3, claimed=0.05, said=UNEVEN),
    _nodes(_is_wrong, "no node slower by 10 %", 50, 256, 2, claimed=0.05, said=UNEVEN),
    _nodes(_is_wrong, "no node slower by 10 %", 50, 256, 3, claimed=0.05, said=UNEVEN),
    _nodes(_is_wrong, "no node slower by 10 %", 12, 1000, 2, claimed=0.05, said=UNEVEN),
    _nodes(_is_wrong, "no node slower by 10 %", 12, 1000, 3, claimed=0.05, said=UNEVEN),
    _nodes(
        partial(_is_wrong, leaf=LEAF),
        "no node slower by 10 %, in leaves",
        50,
        256,
        3,
        claimed=0.05,
        said=UNEVEN,
    ),
    _nodes(_is_met, "no node slower by 10 %, met", 50, 256, 2, power=0.64),
    _nodes(_is_found, "a node slower by 15 %", 100, 64, 2, power=0.9),
    _nodes(_is_found, "a node slower by 15 %", 50, 256, 2, power=0.9),
    Case("any of 20 routes at the limit not met", _some_fail, 400, claimed=0.32, said=AT_LIMIT),
    *(
        Case(
            f"segments lost in bursts of {burst}, share of a node",
            partial(_is_missed, burst=burst),
            400,
            claimed=0.05,
            said=BURSTS,
        )
        for burst in (1, 5, 20, 50)
    ),
    *(
        Case(
            f"segments lost in bursts of {burst}, half of the limit",
            partial(_is_refused, burst=burst),
            100,
            claimed=0.05,
            said=BURSTS,
        )
        for burst in (5, 20, 50)
    ),
    *(
        Case(
            f"a node that loses 0.5 % in bursts of {burst}",
            partial(_is_seen, burst=burst),
            60,
            power=0.9,
        )
        for burst in (5, 20, 50)
    ),
    Case(
        "a node that loses 0.3 % in bursts of 50",
        partial(_is_seen, burst=50, share=0.003),
        60,
        power=0.78,
        expected="so few bursts say little of a share; what was found before rested on single losses",
    ),
]
