"""Everything that figures are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from weft.report.applications import LoadStep
from weft.report.ensemble import Ensemble
from weft.report.occupation import Inside
from weft.report.pairs import PairStep
from weft.report.series import Series


@dataclass(frozen=True)
class Material:
    """The curves, the runs between many nodes, inside nodes, of applications and of several pairs that are reported
    together."""

    series: Sequence[Series]
    ensembles: Sequence[Ensemble] = field(default_factory=list)
    loads: Sequence[LoadStep] = field(default_factory=list)
    insides: Sequence[Inside] = field(default_factory=list)
    pairs: Sequence[PairStep] = field(default_factory=list)

    @cached_property
    def labels(self) -> list[str]:
        """What has a colour and a place in the legend; the place gives the colour."""
        curves = [one.label for one in self.series]
        steps = [step.label for one in self.ensembles for step in one.steps]
        loads = [one.label for one in self.loads]
        return list(dict.fromkeys([*curves, *steps, *loads]))
