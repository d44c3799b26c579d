"""The rates that follow from ports and limits, and which limits are needed to explain measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.maxmin import NONE, shared_rates
from weft.understand.curve.curve import Ints
from weft.understand.xray.decision import CEILING_SHARE
from weft.understand.xray.limit.capacities import Capacities
from weft.understand.xray.limit.limit import PortRates, SharedLimit
from weft.understand.xray.trial import FlowTrial


def predict(
    trial: FlowTrial,
    ports: PortRates,
    limits: Sequence[SharedLimit],
    most_mbps: float | Floats = np.inf,
) -> Floats:
    """The max-min rates of a trial's flows under ports and limits, each at most `most_mbps`."""
    return predict_among(trial, ports, Capacities(limits), most_mbps)


def predict_among(
    trial: FlowTrial, ports: PortRates, limits: Capacities, most_mbps: float | Floats = np.inf
) -> Floats:
    """The max-min rates of a trial's flows, with capacities that are prepared once for several trials."""
    first = len(ports.send_mbps) + len(ports.receive_mbps)
    shared = limits.crossed(trial.src, trial.dst)
    senders = _repeated(trial.src)
    receivers = _repeated(trial.dst, len(ports.send_mbps))
    return shared_rates(
        np.column_stack([senders, receivers, np.where(shared == NONE, NONE, shared + first)]),
        np.concatenate([ports.send_mbps, ports.receive_mbps, limits.mbps]),
        np.minimum(ports.own_limits(trial.src, trial.dst), most_mbps),
    )


def _repeated(nodes: Ints, first: int = 0) -> Ints:
    """The capacity number, from `first` on, of each flow's port if it is shared; NONE if the flow has it to itself."""
    return np.where(np.bincount(nodes)[nodes] > 1, nodes + first, NONE)


FULL_LOAD = 0.99
"""A limit is full if fair rates take this share of it; the rest is rounding."""


def predict_held_up(trial: FlowTrial, ports: PortRates, limits: Sequence[SharedLimit]) -> Floats:
    """The least rates that TCP achieves if acknowledgements wait at limits that are full in the other direction.

    A window is sent once per round trip. A flow whose acknowledgements queue behind the data of others has their round
    trip, and with the same window no higher rate than they have. A larger window allows up to its fair rate.
    """
    capacities = Capacities(limits)
    rates = predict_among(trial, ports, capacities)
    crossed = capacities.crossed(trial.src, trial.dst)
    flow, layer = np.nonzero(crossed != NONE)
    capacity = crossed[flow, layer]
    loads = np.bincount(capacity, rates[flow], len(capacities.mbps))
    fastest = np.zeros(len(capacities.mbps))
    np.maximum.at(fastest, capacity, rates[flow])
    shares = np.where(loads >= FULL_LOAD * capacities.mbps, fastest, np.inf)
    held_up = least(shares, capacities.crossed(trial.dst, trial.src))
    return predict_among(trial, ports, capacities, held_up)


def least(of_capacities: Floats, crossed: Ints) -> Floats:
    """The least value over the capacities that each flow crosses, (flows,); infinite if it crosses none."""
    # NONE indexes the last value, which is appended.
    found: Floats = np.append(of_capacities, np.inf)[crossed].min(axis=1, initial=np.inf)
    return found


def without_explained(limits: Sequence[SharedLimit], ports: PortRates) -> list[SharedLimit]:
    """The limits that the others do not explain; tested in order of capacity per member, the widest first."""
    kept = list(limits)
    widest_first = sorted(
        limits, key=lambda one: (-one.capacity_mbps.median / len(one.members), -len(one.members))
    )
    for limit in widest_first:
        others = [one for one in kept if one is not limit]
        if _is_explained(limit, ports, others):
            kept = others
    return kept


def _is_explained(limit: SharedLimit, ports: PortRates, others: Sequence[SharedLimit]) -> bool:
    among = Capacities(others)
    shares = []
    for trial in limit.evidence:
        crossed = limit.crossings(trial.src, trial.dst)[:, 0]
        predicted = predict_among(trial, ports, among)[crossed].sum()
        shares.append(trial.mbps[crossed].sum() / predicted)
    # As far as rounds of a full limit may be apart.
    return float(np.median(shares)) >= 1 - CEILING_SHARE
