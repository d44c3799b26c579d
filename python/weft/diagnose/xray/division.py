"""How well a division of nodes into parts, each with a limit of its own, explains what rounds gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.diagnose.curve import Ints
from weft.diagnose.xray.limit import Ports
from weft.diagnose.xray.trial import Trial
from weft.model.maxmin import Crossings, fair_rates_in_rounds
from weft.statistics import Floats

FULL_QUANTILE = 0.9
"""This quantile of what a part carried is its capacity: most rounds fill it, some offer less."""
MOST_MISFIT = 0.5
"""A flow counts as no further off than this natural logarithm: some have bad luck."""
NOBODY = -1


@dataclass(frozen=True)
class Rounds:
    """Flows among some nodes by round: `src`, `dst` (places in the order of the nodes), `mbps`,
    `own_mbps` (what the ports of its ends would let it have), all (rounds, flows).

    Rounds with fewer flows end with flows of NOBODY at 0 Mb/s.
    """

    nodes: int
    src: Ints
    dst: Ints
    mbps: Floats
    own_mbps: Floats

    @classmethod
    def of(cls, order: Sequence[int], trials: Sequence[Trial], ports: Ports) -> Rounds:
        shape = len(trials), max((len(trial.src) for trial in trials), default=0)
        src, dst = np.full(shape, NOBODY), np.full(shape, NOBODY)
        mbps, own_mbps = np.zeros(shape), np.zeros(shape)
        place = {node: i for i, node in enumerate(order)}
        for row, trial in enumerate(trials):
            flows = slice(len(trial.src))
            src[row, flows] = [place[node] for node in trial.src.tolist()]
            dst[row, flows] = [place[node] for node in trial.dst.tolist()]
            mbps[row, flows] = trial.mbps
            own_mbps[row, flows] = np.minimum(
                ports.send_mbps[trial.src], ports.receive_mbps[trial.dst]
            )
        return cls(len(order), src, dst, mbps, own_mbps)

    def misfit(self, labels: Ints) -> Floats:
        """Per round the mean square of the logarithm of measured over expected, if each label had a limit.

        What a part can send, and likewise receive, is what it carried in full rounds.
        """
        crossed = self._crossings(labels)
        carried = (self.mbps[:, np.newaxis, :] @ crossed.astype(np.float64))[:, 0]
        parts = crossed.shape[2] // 2
        full = np.quantile(
            np.vstack([carried[:, :parts], carried[:, parts:]]), FULL_QUANTILE, axis=0
        )
        expected = fair_rates_in_rounds(crossed, np.concatenate([full, full]), self.own_mbps)
        real = self.src != NOBODY
        ratios = np.maximum(self.mbps, 1e-3) / np.maximum(expected, 1e-3)
        off = np.where(real, np.clip(np.log(ratios), -MOST_MISFIT, MOST_MISFIT), 0.0)
        misfit: Floats = (off**2).sum(axis=1) / np.maximum(real.sum(axis=1), 1)
        return misfit

    def _crossings(self, labels: Ints) -> Crossings:
        """A column for what each part sends, then one for what each receives."""
        parts = np.arange(labels.max() + 1)
        named = np.append(labels, NOBODY)
        crossed: Crossings = np.concatenate(
            [named[ends][..., np.newaxis] == parts for ends in (self.src, self.dst)], axis=2
        )
        return crossed
