"""The effect of changes: a plan simulated before and after, on every network that fits the measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from weft.base.interval import Interval
from weft.decisions.what_if.alternative import alternative
from weft.decisions.what_if.effects import Predicted, effects
from weft.decisions.what_if.extrapolation import extrapolations
from weft.decisions.what_if.network import Network, Subject
from weft.decisions.what_if.result import PredictedEffect
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.intervals import widened
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict

Changes = tuple[str, ...]
"""Changes in the syntax of `weft what-if`."""


@dataclass
class Foresight:
    """A network as far as it is known, and a plan; each changed network is simulated once."""

    subject: Subject
    workload: PlannedWorkload
    scale: float = 1.0
    _known: dict[Changes, Predicted] = field(default_factory=dict)

    @property
    def document(self) -> FabricDocument:
        """The most likely network."""
        assert isinstance(self.subject.median, NetworkDraw)
        return self.subject.median.document

    def effects(self, before: Changes, after: Changes) -> list[PredictedEffect]:
        """The effect on each step and size of `after` compared with `before`."""
        discrepancies = self.subject.discrepancy, self.subject.rate_discrepancy
        return effects(self.workload, self._of(before), self._of(after), discrepancies)

    def speedup(self, before: Changes, after: Changes) -> Interval:
        """The geometric mean over steps and sizes, by which `weft what-if` orders alternatives."""
        found = [one.speedup for one in self.effects(before, after)]
        return Interval(
            _mean([one.median for one in found]),
            _mean([one.low for one in found]),
            _mean([one.high for one in found]),
        )

    def measurable(self, one: PredictedEffect) -> Interval:
        """The speedup including the simulator's errors in times of unseen patterns. For the same pattern before and
        after they cancel; but repairing a fault changes the pattern, as other routes become the slowest. Sums of rates
        are not affected."""
        if one.by == "rate":
            return one.speedup
        off = widened(1.0, [], self.subject.discrepancy)
        low, high = off.low / off.median, off.high / off.median
        return Interval(one.speedup.median, one.speedup.low / high, one.speedup.high / low)

    def extrapolated(self, changes: Changes) -> list[str]:
        """How far changes go beyond what was measured; empty for a fabric that was not measured."""
        if not self.subject.is_measured:
            return []
        median = self.subject.median
        return extrapolations(median.open(self.scale), _changed(median, changes).open(self.scale))

    def _of(self, changes: Changes) -> Predicted:
        """The prediction for each network, the likeliest first."""
        if changes not in self._known:
            self._known[changes] = [
                predict(_changed(one, changes).open(self.scale), self.workload)
                for one in self.subject.networks
            ]
        return self._known[changes]


def _changed(network: Network, changes: Changes) -> Network:
    return alternative(changes).after(network) if changes else network


def _mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
