"""How well a partition of nodes, with a limit for each part, explains the rates of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from weft.base.statistics import Floats
from weft.network.model.maxmin import Crossings, fair_rates_in_rounds, summed_per_limit
from weft.understand.curve.curve import Ints
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.trial import FlowTrial, logs

FULL_QUANTILE = 0.9
"""The quantile of a part's rates that is taken as its capacity, because most rounds fill it and some offer less."""
MOST_MISFIT = 0.5
"""Deviations of flows are clipped to this natural logarithm, because some flows are unlucky."""
NO_NODE = -1


@dataclass(frozen=True)
class FlowRounds:
    """Flows among some nodes by round: `src` and `dst` (indices of nodes), `mbps`, and `own_mbps` (the rate that the
    ports of both ends allow), all of shape (rounds, flows).

    Rounds with fewer flows are padded with flows of NO_NODE at 0 Mb/s.
    """

    nodes: int
    src: Ints
    dst: Ints
    mbps: Floats
    own_mbps: Floats
    _misfits: dict[bytes, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, order: Sequence[int], trials: Sequence[FlowTrial], ports: PortRates) -> FlowRounds:
        shape = len(trials), max((len(trial.src) for trial in trials), default=0)
        src, dst = np.full(shape, NO_NODE), np.full(shape, NO_NODE)
        mbps, own_mbps = np.zeros(shape), np.zeros(shape)
        place = {node: i for i, node in enumerate(order)}
        for row, trial in enumerate(trials):
            flows = slice(len(trial.src))
            src[row, flows] = [place[node] for node in trial.src.tolist()]
            dst[row, flows] = [place[node] for node in trial.dst.tolist()]
            mbps[row, flows] = trial.mbps
            own_mbps[row, flows] = ports.own_limits(trial.src, trial.dst)
        return cls(len(order), src, dst, mbps, own_mbps)

    def misfit(self, labels: Ints) -> Floats:
        """Per round, the mean square residual of the rates if each label has a limit.

        The capacity of a part, for sending and for receiving, is what it carried in full rounds. Logarithms of rates
        are compared relative to their round, because a busy machine slows all of its flows. One parameter is fitted for
        all flows: by how much they differ less than max-min shares, since trials are too short for them to converge.
        """
        named, places = np.unique(labels, return_index=True)
        key = np.argsort(np.argsort(places))[np.searchsorted(named, labels)].tobytes()
        if key not in self._misfits:
            self._misfits[key] = self._misfit_of(labels)
        return self._misfits[key]

    def _misfit_of(self, labels: Ints) -> Floats:
        shares = self._relative(logs(self._shares(labels)))
        explained = _explained(shares, self._measured)
        # Unlucky flows would distort the fit, so it is repeated with deviations from the first one clipped.
        explained = _explained(shares, explained + _bounded(self._measured - explained))
        return self._mean(_bounded(self._measured - explained) ** 2)

    def _shares(self, labels: Ints) -> Floats:
        """The max-min shares in Mb/s, (rounds, flows)."""
        crossed = self._crossings(labels)
        carried = summed_per_limit(self.mbps, crossed)
        parts = crossed.shape[2] // 2
        both = np.vstack([carried[:, :parts], carried[:, parts:]])
        most = np.sort(both, axis=0)[int(FULL_QUANTILE * (len(both) - 1))]
        capacities = np.concatenate([most, most])
        return fair_rates_in_rounds(crossed, capacities, self.own_mbps)

    def _relative(self, logarithms: Floats) -> Floats:
        """Values less the mean of their round; 0 for padding."""
        centred = logarithms - self._mean(logarithms)[:, np.newaxis]
        return np.where(self._is_real, centred, 0.0)

    def _mean(self, values: Floats) -> Floats:
        """The mean over the flows of each round."""
        count = np.maximum(self._is_real.sum(axis=1), 1)
        mean: Floats = np.where(self._is_real, values, 0.0).sum(axis=1) / count
        return mean

    @cached_property
    def _measured(self) -> Floats:
        return self._relative(logs(self.mbps))

    @cached_property
    def _is_real(self) -> Crossings:
        real: Crossings = self.src != NO_NODE
        return real

    def _crossings(self, labels: Ints) -> Crossings:
        """The crossings (rounds, flows, 2 parts): sending parts first, then receiving parts."""
        parts = np.arange(labels.max() + 1)
        named = np.append(labels, NO_NODE)
        crossed: Crossings = np.concatenate(
            [named[ends][..., np.newaxis] == parts for ends in (self.src, self.dst)], axis=2
        )
        return crossed


def _explained(shares: Floats, measured: Floats) -> Floats:
    """The least-squares fit of measured rates by a multiple (0 to 1) of the shares."""
    slope = np.clip((shares * measured).sum() / max((shares**2).sum(), 1e-12), 0, 1)
    explained: Floats = slope * shares
    return explained


def _bounded(misfit: Floats) -> Floats:
    return np.clip(misfit, -MOST_MISFIT, MOST_MISFIT)
