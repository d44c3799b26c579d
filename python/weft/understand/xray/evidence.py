"""The trials of a search by their purpose."""

from __future__ import annotations

from collections.abc import Sequence

from weft.network.model.maxmin import Crossings
from weft.runs.experiment import Experiment
from weft.runs.records.records import Kind
from weft.understand.xray.flows import Members, is_in
from weft.understand.xray.limit.limit import Direction
from weft.understand.xray.trial import FlowTrial


class TrialEvidence:
    """Trials indexed by kind, group and participating nodes."""

    def __init__(self, trials: Sequence[FlowTrial]) -> None:
        self.trials = list(trials)
        self._of: dict[Experiment, list[FlowTrial]] = {}
        self._about: dict[tuple[Kind, Members], list[FlowTrial]] = {}
        for trial in self.trials:
            for one in trial.experiments:
                own = trial.of(one.within)
                self._of.setdefault(one, []).append(own)
                self._about.setdefault((one.kind, one.group), []).append(own)

    def of(self, kind: Kind, group: Members, within: Members) -> list[FlowTrial]:
        """The trials of one experiment, restricted to its own flows."""
        return self._of.get(Experiment(kind, group, within), [])

    def about(self, kind: Kind, group: Members) -> list[FlowTrial]:
        """The trials of a kind about a group, whatever other nodes took part."""
        return self._about.get((kind, group), [])

    def of_kind(self, *kinds: Kind) -> list[FlowTrial]:
        """All trials with experiments of the given kinds."""
        return [
            trial for trial in self.trials if any(one.kind in kinds for one in trial.experiments)
        ]

    @property
    def isolated(self) -> list[FlowTrial]:
        """The trials of pairs that had their part of the network to themselves."""
        return self.of_kind("alone", "send", "receive")


def across(part: Members, direction: Direction, trial: FlowTrial) -> Crossings:
    """The flows that leave or enter a part."""
    own, other = (trial.src, trial.dst) if direction == "out" else (trial.dst, trial.src)
    members = is_in(part)
    crossed: Crossings = members[own] & ~members[other]
    return crossed
