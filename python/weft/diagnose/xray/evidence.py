"""The trials of a search by what they were for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.diagnose.xray.experiment import Experiment, Kind, Members
from weft.diagnose.xray.limit import Direction
from weft.diagnose.xray.trial import Trial
from weft.model.maxmin import Crossings


class Evidence:
    """Trials, found by kind, group and who took part."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = list(trials)

    def of(self, kind: Kind, group: Members, within: Members) -> list[Trial]:
        """The trials of one experiment, with its own flows only."""
        wanted = Experiment(kind, group, within)
        return [trial.of(within) for trial in self.trials if wanted in trial.experiments]

    def about(self, kind: Kind, group: Members) -> list[Trial]:
        """The trials of a kind about a group, whoever else took part."""
        return [
            trial.of(one.within)
            for trial in self.trials
            for one in trial.experiments
            if one.kind == kind and one.group == group
        ]

    def of_kind(self, *kinds: Kind) -> list[Trial]:
        """All trials with experiments of some kinds."""
        return [
            trial for trial in self.trials if any(one.kind in kinds for one in trial.experiments)
        ]

    @property
    def alone(self) -> list[Trial]:
        """The trials of pairs that had their part of the network for themselves."""
        return self.of_kind("alone", "send", "receive")


def across(part: Members, direction: Direction, trial: Trial) -> Crossings:
    """The flows that leave or enter a part."""
    own, other = (trial.src, trial.dst) if direction == "out" else (trial.dst, trial.src)
    crossed: Crossings = np.isin(own, list(part)) & ~np.isin(other, list(part))
    return crossed
