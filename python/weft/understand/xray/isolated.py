"""The rates of nodes in isolation: from pairs that have their part of the network to themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from weft.base.statistics import Floats
from weft.runs.experiment import Experiment
from weft.runs.records.records import Kind
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Members, as_arrays, is_in
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.limit.rates import predict
from weft.understand.xray.outliers import RETRIALS, SLOW_SHARE, slow_ports, suspects
from weft.understand.xray.request import ExperimentRequest
from weft.understand.xray.several_paths import Leaves
from weft.understand.xray.survey import BEST_ROUTES, NEAR_BEST, Survey
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

MOST_IN_ISOLATION = 32
"""Up to this many nodes, one pair exchanges at a time; of more, one pair of each piece of half as many."""

Partners = dict[int, set[int]]


def ports_of(survey: Survey, evidence: TrialEvidence) -> PortRates:
    """The rate at which each node can send and receive: the best of the survey and of its isolated trials.

    An isolated rate far above nearly all others is ignored: a queue that emptied within a short trial.
    """
    send, receive = survey.send_mbps.copy(), survey.receive_mbps.copy()
    isolated = sorted(mbps for trial in evidence.isolated for mbps in trial.mbps.tolist())
    for trial in evidence.isolated:
        for a, b, mbps in zip(trial.src, trial.dst, trial.mbps, strict=True):
            if NEAR_BEST * mbps <= isolated[-BEST_ROUTES:][0]:
                send[a], receive[b] = max(send[a], mbps), max(receive[b], mbps)
    return PortRates(send, receive)


def isolated_requests(
    survey: Survey, candidates: Group, evidence: TrialEvidence, ports: PortRates
) -> list[ExperimentRequest]:
    """Requests for each node once with a neighbour; then for apparently slow nodes with further partners."""
    sent_to: Partners = {}
    received_from: Partners = {}
    for trial in evidence.isolated:
        for a, b in trial.flows:
            sent_to.setdefault(a, set()).add(b)
            received_from.setdefault(b, set()).add(a)
    parts = [part for group in candidates.walk() if group.children for part in group.parts]
    loose = frozenset(node for part in parts if len(part) == 1 for node in part)
    leaves = [group.members for group in candidates.walk() if not group.children]
    pieces = [piece for leaf in leaves for piece in _pieces(leaf)]
    first = [request for piece in pieces for request in _pairs(piece, piece, sent_to)]
    for piece in _pieces(loose):
        within = candidates.members if piece == loose else piece
        first += _pairs(piece, within, sent_to)
    if first:
        return first
    sides: list[tuple[Kind, Floats, Partners]] = [
        ("send", ports.send_mbps, sent_to),
        ("receive", ports.receive_mbps, received_from),
    ]
    return list(_other_partners(survey, candidates, sides))


def retrial_requests(
    survey: Survey,
    evidence: TrialEvidence,
    ports: PortRates,
    limits: Sequence[SharedLimit],
    has_several_paths: bool = False,
) -> list[ExperimentRequest]:
    """Requests to retry, alone, routes that got less than the known limits explain, and apparently slow nodes.

    Concurrent retrials have no limit in common, because they would slow each other. With several paths, only one pair
    at a time exchanges between leaves, since two may share a path.
    """
    tried = Counter(
        one.group for trial in evidence.isolated for one in trial.experiments if one.kind == "alone"
    )
    routes = [frozenset(flow) for flow in suspects(survey, ports, limits)]
    pairs = dict.fromkeys([*routes, *_freest_pairs(survey, evidence, ports, limits)])
    left = [ends for ends in pairs if tried[ends] < RETRIALS]
    leaves = Leaves(survey.candidates) if has_several_paths else None
    apart = _apart(left, limits, leaves)
    return [_request("alone", ends, ends, RETRIALS - tried[ends]) for ends in apart]


def _freest_pairs(
    survey: Survey, evidence: TrialEvidence, ports: PortRates, limits: Sequence[SharedLimit]
) -> Iterator[Members]:
    """Each apparently slow node with the partner to which known limits leave the highest rate.

    Its earlier partners may have been behind such a limit, or busy with others.
    """
    slow = sorted({one.node for one in slow_ports(survey, ports, evidence.isolated, limits)})
    partners = _one_of_each(sorted(survey.nodes.difference(slow)), ports, limits)
    unhindered = PortRates(ports.send_mbps.copy(), ports.receive_mbps.copy())
    unhindered.send_mbps[slow] = unhindered.receive_mbps[slow] = np.inf
    for node in slow:
        if partners:
            left = [predict(_exchange(node, one), unhindered, limits).min() for one in partners]
            yield frozenset([node, partners[int(np.argmax(left))]])


def _one_of_each(
    nodes: Sequence[int], ports: PortRates, limits: Sequence[SharedLimit]
) -> list[int]:
    """The node with the fastest ports for each set of limits that nodes are behind."""
    fastest: dict[tuple[bool, ...], int] = {}
    behind = np.array([is_in(limit.members)[nodes] for limit in limits], dtype=bool).T
    slower = np.minimum(ports.send_mbps, ports.receive_mbps)
    for node, place in zip(nodes, behind.tolist() if limits else [[]] * len(nodes), strict=True):
        best = fastest.setdefault(tuple(place), node)
        if slower[node] > slower[best]:
            fastest[tuple(place)] = node
    return sorted(fastest.values())


def _exchange(a: int, b: int) -> FlowTrial:
    """An exchange of a pair in both directions, without measured rates."""
    return FlowTrial(0, *as_arrays([(a, b), (b, a)]), np.zeros(2))


def _apart(
    pairs: Sequence[Members], limits: Sequence[SharedLimit], leaves: Leaves | None
) -> Iterator[Members]:
    """Pairs, chosen in order, that cross no limit in common; with `leaves`, at most one of them is between leaves."""
    taken: set[tuple[object, ...]] = set()
    for ends in pairs:
        there = np.array(sorted(ends))
        crossed: set[tuple[object, ...]] = {
            limit.identity for limit in limits if limit.crossings(there, there[::-1]).any()
        }
        if leaves and leaves.between(_exchange(*there.tolist())).any():
            crossed.add(("between leaves",))
        if taken.isdisjoint(crossed):
            taken |= crossed
            yield ends


def _pieces(nodes: Members) -> list[Members]:
    """The nodes, or pieces of them that can be measured at the same time, since an eighth of all ports does not fill
    the limits that they share."""
    if len(nodes) <= MOST_IN_ISOLATION:
        return [nodes]
    pieces = np.array_split(sorted(nodes), 2 * len(nodes) // MOST_IN_ISOLATION)
    return [frozenset(piece.tolist()) for piece in pieces]


def _pairs(nodes: Members, within: Members, tried: Partners) -> Iterator[ExperimentRequest]:
    new = sorted(node for node in nodes if node not in tried)
    if len(new) % 2:
        mates = sorted(nodes - {new[-1]}) or sorted(within - {new[-1]})
        new = new + mates[:1] if mates else new[:-1]
    for a, b in zip(new[::2], new[1::2], strict=True):
        yield _request("alone", frozenset([a, b]), within)


def _other_partners(
    survey: Survey, candidates: Group, sides: Sequence[tuple[Kind, Floats, Partners]]
) -> Iterator[ExperimentRequest]:
    """Requests for further partners of nodes that seem slow in one direction, because the first partner may be the slow
    one.

    One direction at a time, because delayed acknowledgements would slow the other one. One node of a group at a time,
    because they may seem slow for a limit that they share.
    """
    nodes = sorted(survey.nodes)
    least = {kind: SLOW_SHARE * float(np.median(rates[nodes])) for kind, rates, _ in sides}
    good = {node for node in nodes if all(rates[node] >= least[kind] for kind, rates, _ in sides)}
    busy: set[Members] = set()
    for kind, rates, tried in sides:
        for node in (one for one in nodes if rates[one] < least[kind]):
            partners = tried.get(node, set())
            left = good - partners - {node}
            group = _smallest_group(candidates, node)
            near = sorted(left & group) or sorted(left)
            if near and len(partners) < RETRIALS and group not in busy:
                yield _request(kind, frozenset([node]), frozenset([node, near[0]]))
                busy |= {group} - {candidates.members}


def _smallest_group(candidates: Group, node: int) -> Members:
    around = [group.members for group in candidates.walk() if node in group.members]
    return min(around, key=len)


def _request(kind: Kind, group: Members, within: Members, rounds: int = 1) -> ExperimentRequest:
    return ExperimentRequest(Experiment(kind, group, within), rounds)
