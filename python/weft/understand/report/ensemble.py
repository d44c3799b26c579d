"""The steps of a run between many nodes, prepared for figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.base.nodeset import natural
from weft.base.statistics import Floats
from weft.plan.pattern import ManyNodes
from weft.plan.phases import Phase as PlannedPhase
from weft.plan.phases import expand
from weft.plan.plan import Step
from weft.runs.digests import Digests, sampled_steps
from weft.runs.folder import RunFolder
from weft.runs.link_loads import Loads, loads_of
from weft.understand.curve.curve import Ints
from weft.understand.ensemble.effects import Effects, effects_of
from weft.understand.ensemble.matrix import RateMatrix, matrix_of
from weft.understand.ensemble.phases import PhaseResult, phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.routes import fastest_of_each_route
from weft.understand.limits.diagnosis import diagnose
from weft.understand.limits.findings import LimitFindings


@dataclass(frozen=True)
class RouteRates:
    """The distinct rates of routes at the largest size, each in its fastest phase, and the count of each rate.

    If a step keeps only a sample of its transfers, the rates are those of all transfers, rounded down by up to 0.1 %.
    """

    mbps: Floats
    counts: Ints


@dataclass(frozen=True)
class EnsembleStep:
    """One step between many nodes that measured something.

    `label` names its line in figures; the only step of its kind has the run's name, so that a run has
    the same colour in all figures.
    """

    label: str
    index: int
    plan: Step
    phases: list[PhaseResult]
    matrix: RateMatrix | None
    effects: Effects | None
    nodes: int
    routes: RouteRates
    digests: Digests | None

    @property
    def kind(self) -> str:
        return self.plan.pattern.kind

    @property
    def is_latency(self) -> bool:
        return self.plan.measures_latency

    @property
    def largest(self) -> list[PhaseResult]:
        """The phases of the largest size, in order."""
        size = max(phase.size_bytes for phase in self.phases)
        return [phase for phase in self.phases if phase.size_bytes == size]

    @cached_property
    def expanded(self) -> tuple[PlannedPhase, ...]:
        """The phases as planned."""
        return expand(self.plan, self.nodes)


@dataclass(frozen=True)
class EnsembleRun:
    """A run with steps between many nodes."""

    label: str
    run: RunFolder

    @cached_property
    def rates(self) -> MedianRates:
        return MedianRates.of(self.run)

    @cached_property
    def findings(self) -> LimitFindings:
        """The diagnosis of the run."""
        return diagnose(self.run)

    @cached_property
    def loads(self) -> Loads:
        """The load of each constraint; empty unless a simulated run records it."""
        return loads_of(self.run)

    @cached_property
    def steps(self) -> list[EnsembleStep]:
        """The steps with measurements, in order."""
        return [self._step(index, self.measured) for index in self.measured]

    @cached_property
    def measured(self) -> list[int]:
        """The indices of the steps with measurements, in order."""
        steps = self.run.meta.plan.steps_of(ManyNodes)
        there = set(np.unique(self.rates.step).tolist()) if steps else ()
        return [index for index, *_ in steps if index in there]

    @cached_property
    def by_name(self) -> list[str]:
        """All nodes in the order of their names."""
        return sorted((str(node["name"]) for node in self.run.meta.nodes), key=natural)

    @cached_property
    def by_group(self) -> list[str]:
        """All nodes, with those of a group (or of a block if no groups are known) adjacent.

        Groups are in the order of their first node, nodes of the same groups in the order of names.
        """
        place = {name: i for i, name in enumerate(self.by_name)}
        groups = self.groups or self.blocks
        first = [min((place[m] for m in group if m in place), default=0) for group in groups]

        def key(name: str) -> list[int]:
            outside = len(place)
            ins = [at for group, at in zip(groups, first, strict=True) if name in group]
            return [*ins, *([outside] if not ins else []), place[name]]

        return sorted(self.by_name, key=key)

    @cached_property
    def groups(self) -> list[tuple[str, ...]]:
        """The inferred groups and those that share a limit, largest first, without duplicates."""
        found = [*self.findings.groups, *(limit.members for limit in self.findings.limits)]
        unique = {frozenset(group): tuple(group) for group in found}
        return sorted(unique.values(), key=lambda group: (-len(group), natural(group[0])))

    @cached_property
    def blocks(self) -> list[tuple[str, ...]]:
        """Nodes that reach each other equally fast in a matrix; shown if no limits were searched."""
        found = [step.effects.blocks for step in self.steps if step.effects]
        return [block.src for blocks in found[:1] for block in blocks if block.src == block.dst]

    def _step(self, index: int, indices: Sequence[int]) -> EnsembleStep:
        plan_steps = self.run.meta.plan.steps
        matrix = matrix_of(self.run, self.rates, index)
        sampled = index in sampled_steps(self.run.meta)
        digests = Digests.of(self.run).of_step(index) if sampled else None
        return EnsembleStep(
            label=_label(self.label, index, indices, plan_steps),
            index=index,
            plan=plan_steps[index],
            phases=[phase for phase in self.phases if phase.step == index],
            matrix=matrix,
            effects=effects_of(matrix) if matrix and matrix.is_calm else None,
            nodes=len(self.run.meta.nodes),
            routes=_route_rates(self.rates.where(self.rates.step == index), digests),
            digests=digests,
        )

    @cached_property
    def phases(self) -> list[PhaseResult]:
        """The phases of all steps, in order."""
        return phases(self.run, self.rates)


def ensembles_of(names: Sequence[str], runs: Sequence[RunFolder]) -> list[EnsembleRun]:
    """The runs with measurements between many nodes."""
    found = [EnsembleRun(name, run) for name, run in zip(names, runs, strict=True)]
    return [one for one in found if one.measured]


def _route_rates(rates: MedianRates, digests: Digests | None) -> RouteRates:
    if digests:
        counted = digests.rates
        return RouteRates(counted["least_mbps"].to_numpy(), counted["transfers"].to_numpy())
    best = fastest_of_each_route(rates.where(rates.size == rates.size.max()))
    return RouteRates(best.mbps, np.ones(len(best), dtype=np.int64))


def _label(name: str, index: int, indices: Sequence[int], plan_steps: Sequence[Step]) -> str:
    same = [i for i in indices if _sort(plan_steps[i]) == _sort(plan_steps[index])]
    if same[0] == index:
        return name
    names = [plan_steps[i].name for i in same]
    own = plan_steps[index].name
    return f"{name} · {own}" + (f" ({index + 1})" if names.count(own) > 1 else "")


def _sort(plan_step: Step) -> tuple[str, bool]:
    """The sort of a step; steps of one sort share a figure."""
    return plan_step.pattern.kind, plan_step.measures_latency
