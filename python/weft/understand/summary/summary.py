"""All results of a run that `weft show` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from weft.plan.pattern import ManyNodes
from weft.runs.digests import Digests, sampled_steps
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta, Warning
from weft.understand.curve.curve import curves
from weft.understand.curve.delivery import DeliveryCounts, deliveries
from weft.understand.curve.points import CurvePoint, curve_points
from weft.understand.curve.signature import Signature, of_curve, of_curves
from weft.understand.curve.thresholds import Threshold, curve_thresholds
from weft.understand.ensemble.effects import Effects, effects_of
from weft.understand.ensemble.matrix import matrices
from weft.understand.ensemble.phases import Bottleneck, PhaseResult, bottlenecks, phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.ensemble.routes import routes, transfers_json
from weft.understand.kinds.every import KINDS
from weft.understand.node.occupation import (
    Budget,
    Busy,
    CacheHits,
    Cycles,
    budgets,
    cache_hits,
    cycles_by_category,
    occupation,
)
from weft.understand.studies.find import studies
from weft.understand.studies.study import SettingStudy
from weft.understand.summary.all_warnings import joined_warnings
from weft.understand.summary.predictions import PredictionCheck, held


@dataclass(frozen=True)
class Summary:
    """All results of a run; `warnings` are those of the run, the signature and the prediction.

    `effects` has the outliers in steps between many nodes, `rates` every transfer.
    """

    meta: RunMeta
    points: list[CurvePoint]
    signature: Signature | None
    phases: list[PhaseResult]
    effects: list[Effects]
    rates: MedianRates
    warnings: list[Warning]
    bottlenecks: list[Bottleneck] = field(default_factory=list)
    occupation: list[Busy] = field(default_factory=list)
    budgets: list[Budget] = field(default_factory=list)
    cycles: list[Cycles] = field(default_factory=list)
    sampled: dict[int, Digests] = field(default_factory=dict)
    """Digests of all transfers, by step of which the run keeps only a sample."""
    caches: list[CacheHits] = field(default_factory=list)
    deliveries: list[DeliveryCounts] = field(default_factory=list)
    thresholds: list[Threshold] = field(default_factory=list)
    studies: list[SettingStudy] = field(default_factory=list)
    results: dict[str, list[Any]] = field(default_factory=dict)
    """Results by the name of their kind (`weft.understand.kinds`)."""
    prediction: PredictionCheck | None = None
    signatures: list[Signature] = field(default_factory=list)
    """The signature of each curve."""

    @property
    def ensembles(self) -> list[int]:
        """The steps between many nodes."""
        return [index for index, *_ in self.meta.plan.steps_of(ManyNodes)]

    def to_json(self) -> dict[str, object]:
        """The document of `weft show --json`."""
        return {
            "schema": self.meta.schema,
            "plan": self.meta.plan.name,
            "testbed": self.meta.testbed,
            "status": self.meta.status,
            "statistic": self.meta.statistic,
            "source": self.meta.source,
            "nodes": self.meta.nodes,
            "warnings": self.warnings,
            "stops": self.meta.stops,
            "against": self.meta.against,
            "signature": self.signature and self.signature.to_json(),
            "thresholds": [one.to_json() for one in self.thresholds],
            "phases": self.phases,
            "routes": routes(self.meta, self.rates),
            "effects": [effects.to_json() for effects in self.effects],
            "sampled": self.meta.sampled,
            "transfers": transfers_json(self.meta, self.rates, set(self.ensembles)),
            "bottlenecks": self.bottlenecks,
            "occupation": [busy.to_json() for busy in self.occupation],
            "caches": self.caches,
            "budgets": [budget.to_json() for budget in self.budgets],
            "cycles": [one.to_json() for one in self.cycles],
            **self._results_json(),
            "prediction": self.prediction and self.prediction.to_json(),
            "studies": [one.to_json() for one in self.studies],
            "deliveries": [one.to_json() for one in self.deliveries],
            "lost": self.meta.lost,
            "incomplete": self.meta.incomplete,
            "clocks": self.meta.clocks,
        }

    def _results_json(self) -> dict[str, object]:
        """The entries of all kinds; lists under the same key, such as points, are concatenated."""
        found: dict[str, object] = {"points": [one.to_json() for one in self.points]}
        for kind in KINDS:
            for key, value in kind.to_json(self.results.get(kind.name, [])).items():
                match found.get(key), value:
                    case list(earlier), list(more):
                        found[key] = [*earlier, *more]
                    case _:
                        found[key] = value
        return found


def summarise(run: RunFolder) -> Summary:
    """Summarise a run, complete or interrupted."""
    found = curves(run)
    signature = of_curves(found)
    rates = MedianRates.of(run)
    taken_apart = [effects_of(matrix) for matrix in matrices(run, rates) if matrix.is_calm]
    predicted = held(run)
    return Summary(
        meta=run.meta,
        points=[point for curve in found for point in curve_points(curve)],
        signature=signature,
        phases=phases(run, rates),
        effects=[effects for effects in taken_apart if effects],
        rates=rates,
        warnings=joined_warnings(run, signature, predicted),
        bottlenecks=bottlenecks(run),
        occupation=occupation(run),
        budgets=budgets(run),
        cycles=cycles_by_category(run),
        sampled=_sampled(run),
        caches=cache_hits(run),
        deliveries=deliveries(run),
        thresholds=[one for curve in found for one in curve_thresholds(run, curve)],
        studies=studies(run),
        results={kind.name: kind.results(run) for kind in KINDS},
        prediction=predicted,
        signatures=[of_curve(curve) for curve in found],
    )


def _sampled(run: RunFolder) -> dict[int, Digests]:
    digests = Digests.of(run)
    return {step: digests.of_step(step) for step in sampled_steps(run.meta)}
