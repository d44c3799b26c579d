"""Predicts a run before it begins, from runs on the same network, a twin or a fabric."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from weft.base.errors import RequestError
from weft.base.nodeset import fold
from weft.decisions.twin.known import KnownNetwork, open_known
from weft.measure.execute.kinds.every import kind_of
from weft.measure.testbed.base import Testbed
from weft.plan.plan import Plan
from weft.runs.meta import Warning
from weft.runs.predicted import SCHEMA, RunPrediction
from weft.simulation.prediction.forecast import forecast
from weft.simulation.prediction.intervals import LEVEL

Source = str | os.PathLike[str]


@dataclass(frozen=True)
class ShownPredictor:
    """Predicts a run from a `known` network, and shows the prediction before the run begins."""

    known: KnownNetwork
    show: Callable[[RunPrediction], None] = field(default=lambda prediction: None)

    def __call__(self, plan: Plan, testbed: Testbed) -> RunPrediction:
        """The prediction for a settled plan on a testbed; raises RequestError if nothing can be predicted."""
        known = self.known
        nodes = [node.name for node in testbed.nodes][: nodes_used(plan, len(testbed.nodes))]
        places, notes = places_of(nodes, known)
        scale = float(testbed.describe().get("scale", 1.0)) / known.scale
        found = forecast(known.draws, plan, places, scale)
        predicted = RunPrediction(
            schema=SCHEMA,
            kind=known.kind,
            sources=list(known.sources),
            network=known.network,
            draws=found.draws,
            level=LEVEL,
            no_interval=known.no_interval,
            kernels=found.kernels,
            compute=found.compute,
            not_predicted=found.not_predicted,
            notes=[*notes, *_elsewhere(known, testbed)],
        )
        self.show(predicted)
        return predicted


def predictor(
    sources: Source | Sequence[Source],
    show: Callable[[RunPrediction], None] = lambda prediction: None,
    say: Callable[[str], None] = lambda text: None,
) -> ShownPredictor:
    """A predictor from the folders of runs, the folder of a twin or a fabric; raises RequestError."""
    several = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    return ShownPredictor(open_known([os.fspath(one) for one in several], say), show)


def nodes_used(plan: Plan, nodes: int) -> int:
    """How many of the first `nodes` nodes are used by steps of a plan that may be predicted."""
    steps = [step for step in plan.steps if not step.is_adaptive]
    return 1 + max((max(kind_of(step).nodes(nodes)) for step in steps), default=nodes - 1)


def places_of(nodes: Sequence[str], known: KnownNetwork) -> tuple[list[int], list[Warning]]:
    """The indices of a run's nodes in a network, by name, or else in order; raises RequestError if the network has
    fewer."""
    where = {name: at for at, name in enumerate(known.nodes)}
    if all(name in where for name in nodes):
        return [where[name] for name in nodes], []
    sources = ", ".join(known.sources)
    if len(known.nodes) < len(nodes):
        raise RequestError(
            f"--predict {sources}: has {len(known.nodes)} nodes, and the run {len(nodes)}",
            "measure all of them, or run on fewer (--nodes)",
        )
    said = f"{sources} has the nodes {fold(known.nodes)}, the run {fold(nodes)}: they are taken in order"
    note = Warning("nodes-by-rank", said, "check that the first of both are at the same places")
    return list(range(len(nodes))), [note]


def _elsewhere(known: KnownNetwork, testbed: Testbed) -> list[Warning]:
    """A warning if the run is on another network than the one that was measured."""
    here = f"{testbed.kind}:{testbed.name}"
    if known.kind == "fabric" or known.network == here:
        return []
    if known.network.partition(":")[0] == testbed.kind:
        return []
    said = f"predicted from what was measured on {known.network}, and run on {here}"
    return [Warning("predicted-elsewhere", said, "measure signature and xray where it is run")]
