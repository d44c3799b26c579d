"""Paths between leaves: by arithmetic that knows which links each connection takes, and on simulated fabrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from common.sensitive.answer import Answer, Ask
from common.sensitive.simulated import diagnosed
from weft.runs.records.records import ChosenPhase
from weft.understand.ensemble.leaves import Leaf
from weft.understand.host.resent import At, SegmentCounts
from weft.understand.paths.blame import lossy_links, slow_links
from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.leaf_paths import leaf_paths, wide_paths
from weft.understand.paths.losses import with_losses
from weft.understand.paths.questions import questions
from weft.understand.paths.report import PathReport
from weft.understand.paths.trials import LeafPairTrials

PORT_MBPS, PORTS = 10.0, 24
MOST_ROUNDS = 4000
SENT, LOST = 2000.0, 3.0
"""Segments of a connection in a round."""
Links = tuple[tuple[int, ...], ...]
LinksOf = Callable[[PathConnection, int], Links]


def cases() -> Iterator[Ask]:
    """Equal and slow paths, disturbed rounds, wide ones, several choices in a row, addresses alone, losses."""
    even = [PORT_MBPS] * 4
    yield partial(_searched, partial(_hashed, 1), [10.0], 0)
    yield partial(_searched, partial(_hashed, 1), [25.0], 0, is_wide=True)
    yield partial(_searched, partial(_hashed, 2), [100.0, 100.0], 0, is_wide=True)
    yield partial(_searched, _by_ends, even, 0)
    yield partial(_searched, partial(_hashed, 3), [20.0, 20.0, 10.0], 1, is_wide=True)
    yield partial(_searched, partial(_hashed, 4), [10.0, 10.0, 3.0, 10.0], 1, noise=0.08)
    yield partial(_searched, partial(_hashed, 4), even, 0, disturbed=0.05)
    yield partial(_searched, partial(_hashed, 2), [25.0, 25.0], 0, is_wide=True)
    yield partial(_searched, _in_a_row, even, 1, has_choices=True)
    yield partial(diagnosed, "paths", "clos(leaves=2,spines=2,hosts=3,routing=hash)")
    yield partial(_searched, partial(_hashed, 3), [10.0] * 3, 3, lossy=2)


def _hashed(paths: int, one: PathConnection, seed: int) -> Links:
    return ((int(np.random.default_rng([seed, *one]).integers(paths)),),)


def _by_ends(one: PathConnection, seed: int) -> Links:
    return (((one.src + one.dst) % 3,),)


def _in_a_row(one: PathConnection, seed: int) -> Links:
    """One of two switches, one of two links up from it, and one of two links down: four that none shares at most."""
    plane, up, down = np.random.default_rng([seed, *one]).integers(2, size=3).tolist()
    return (plane, up, 0), (plane, down, 1)


def _searched(
    links_of: LinksOf,
    capacities: list[float],
    seed: int,
    noise: float = 0.05,
    disturbed: float = 0.0,
    has_choices: bool = False,
    is_wide: bool = False,
    lossy: int | None = None,
) -> Answer:
    """A search whole; in a share of the rounds something else takes half of all. One path may lose frames."""
    pair = LeafPair(0, Leaf((0, 1, 2, 3), 0), Leaf((4, 5, 6, 7), 1), has_choices)
    rng, found, rounds = np.random.default_rng(seed), LeafPairTrials(pair), 0
    records: list[ChosenPhase] = []
    counted: dict[At, SegmentCounts] = {}
    while (asked := questions(pair, found, PORTS)) and rounds < MOST_ROUNDS:
        for kind, sent in asked:
            taken = Counter(link for one in sent for link in links_of(one, seed))
            left = 0.5 if rng.random() < disturbed else 1.0
            part = 1 - noise * rng.exponential(size=len(sent))
            mbps = {
                one: left * part[at] * _share(links_of(one, seed), taken, capacities)
                for at, one in enumerate(sent)
            }
            found.add(mbps, kind)
            transfers = [{"src": one.src, "dst": one.dst, "port": one.port} for one in sent]
            records.append({"step": 0, "phase": rounds, "transfers": transfers})  # type: ignore[typeddict-item]
            for one in sent:
                is_lossy = lossy is not None and (lossy,) in links_of(one, seed)
                counted[rounds, one.src] = SegmentCounts(SENT, LOST if is_lossy else 0.0)
            rounds += 1
    sorting = found.sorted()
    wide = wide_paths(pair, found.slow_paths()) if sorting.may_be_wide else None
    told = with_losses([wide or leaf_paths(pair, sorting)], records, counted)
    slow, lossy_ones = tuple(slow_links(told)), tuple(lossy_links(told))
    report = PathReport(tuple(f"n{node + 1}" for node in range(8)), tuple(told), slow, lossy_ones)
    count = len(told[0].paths)
    expected = count if is_wide or links_of is _by_ends else len(capacities)
    wrong = abs(count - expected) + abs(len(lossy_ones) - (lossy is not None))
    return Answer(wrong, f"{rounds} {report.verdict} {list(report.lines())} {told}")


def _share(links: Links, taken: Counter[tuple[int, ...]], capacities: list[float]) -> float:
    """What a connection gets beside others on its links, of which the first number is that of a path."""
    return min(PORT_MBPS, *(capacities[link[0]] / taken[link] for link in links))
