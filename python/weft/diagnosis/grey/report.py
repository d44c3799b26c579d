"""What fails a little, from a run of round trips and of random partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import pyarrow.compute as pc

from weft.diagnosis.grey.blame import Accused, accused
from weft.diagnosis.grey.observations import Observations, crossed_by
from weft.diagnosis.paths.leaves import leaves_of
from weft.diagnosis.xray.survey import Survey, take_survey
from weft.diagnosis.xray.trial import Trial
from weft.nodeset import fold
from weft.plan.plan import Plan
from weft.runs.folder import Run
from weft.runs.tables import EVIDENCE_NAME
from weft.statistics import Floats

SLOW_SHARE = 0.9
"""A route that got less than this share of the usual one."""
LATE_DEVIATIONS, LATE_SHARE = 6.0, 0.02
"""A round trip that is so many deviations (of the middle half) and this share above the usual of as many leaves."""


class AccusedEntry(TypedDict):
    """A node or leaf that is not like the others: in so many of its looks the symptom showed, elsewhere in the usual
    share; `log_e` is the logarithm of the evidence."""

    nodes: list[str]
    side: str
    symptom: str
    shown: int
    looks: int
    usual_share: float
    log_e: float


@dataclass(frozen=True)
class GreyReport:
    """Those that are not like the others, among so many nodes, from so many rounds."""

    names: tuple[str, ...]
    rounds: int
    accused: tuple[Accused, ...]

    @property
    def verdict(self) -> str:
        """In a few sentences."""
        if not self.accused:
            return f"Every node and leaf is like the others, in {self.rounds} rounds over {len(self.names)} nodes."
        return " ".join(self._text(one) for one in self.accused)

    def to_json(self) -> list[AccusedEntry]:
        """As `weft diagnose --json` has it."""
        return [
            {
                "nodes": [self.names[node] for node in one.element.nodes],
                "side": one.element.side,
                "symptom": one.symptom,
                "shown": one.shown,
                "looks": one.looks,
                "usual_share": one.usual_share,
                "log_e": one.log_e,
            }
            for one in self.accused
        ]

    def _text(self, one: Accused) -> str:
        nodes = one.element.nodes
        name = fold(self.names[node] for node in nodes)
        what = f"Node {name}" if len(nodes) == 1 else f"The leaf of {name}"
        way = {"out": "sending", "in": "receiving", "both": "there and back"}[one.element.side]
        return (
            f"{what} {one.symptom}, {way}: seen in {one.shown} of {one.looks} looks, elsewhere in "
            f"{100 * one.usual_share:.0f} %."
        )


def is_health_check(plan: Plan) -> bool:
    """Whether a plan is round trips and many rounds of random partners, and nothing else."""
    kinds = [(step.pattern.kind, step.measures_latency) for step in plan.steps]
    return kinds == [("matrix", True), ("random", False)]


def grey_report(run: Run) -> GreyReport:
    """Everything that a run shows of nodes and leaves that fail a little."""
    meta = run.meta
    names = tuple(str(node["name"]) for node in meta.nodes)
    lost = frozenset(names.index(entry["node"]) for entry in meta.lost if entry["node"] in names)
    survey = take_survey(run.samples, meta.plan, len(names), lost)
    leaves = leaves_of(survey.round_trip_us, survey.nodes)
    leaf_of = {node: leaf.members for leaf in leaves for node in leaf.members}
    seen = [_slow(survey.trials, leaf_of), _late(survey, leaf_of), *_lossy(run, survey, leaf_of)]
    return GreyReport(names, len(survey.trials), tuple(accused(seen)))


Leaves = dict[int, tuple[int, ...]]


def _slow(trials: Sequence[Trial], leaf_of: Leaves) -> Observations:
    """Routes against the usual one of all, since random partners take all alike."""
    usual = float(np.median(np.concatenate([trial.mbps for trial in trials] or [np.ones(1)])))
    looks = [
        (flow, mbps) for trial in trials for flow, mbps in zip(trial.flows, trial.mbps, strict=True)
    ]
    shown = np.array([mbps < SLOW_SHARE * usual for _, mbps in looks], dtype=bool)
    return Observations("is slow", shown, [crossed_by(*flow, leaf_of) for flow, _ in looks])


def _late(survey: Survey, leaf_of: Leaves) -> Observations:
    """Round trips against those of as many leaves."""
    trips = survey.round_trip_us
    pairs = [(a, b) for a, b in np.argwhere(np.isfinite(trips)).tolist() if a < b]
    is_far = np.array([leaf_of.get(a) != leaf_of.get(b) for a, b in pairs], dtype=bool)
    times = np.array([trips[a, b] for a, b in pairs])
    shown = np.zeros(len(pairs), dtype=bool)
    for kind in (is_far, ~is_far):
        shown[kind] = _outliers(times[kind])
    crossed = [crossed_by(a, b, leaf_of, ("both", "both")) for a, b in pairs]
    return Observations("is late", shown, crossed)


def _outliers(times: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if not len(times):
        return np.zeros(0, dtype=bool)
    low, usual, high = np.quantile(times, [0.25, 0.5, 0.75])
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = times > usual + max(
        LATE_DEVIATIONS * (high - low) / 1.35, LATE_SHARE * usual
    )
    return found


def _lossy(run: Run, survey: Survey, leaf_of: Leaves) -> list[Observations]:
    """Phases in which a sender sent something again; nothing where that was not recorded."""
    rows = run.side_table(EVIDENCE_NAME)
    rows = rows.filter(pc.equal(rows["counter"].cast("string"), "nstat:TcpRetransSegs"))
    again = set(zip(*(rows[name].to_pylist() for name in ("step", "phase", "node")), strict=True))
    steps = [
        index
        for index, step in enumerate(run.meta.plan.steps)
        if step.is_ensemble and not step.measures_latency
    ]
    if not run.side_table(EVIDENCE_NAME).num_rows or not steps:
        return []
    looks = [(trial.phase, flow) for trial in survey.trials for flow in trial.flows]
    shown = np.array([(steps[-1], phase, flow[0]) in again for phase, flow in looks], dtype=bool)
    return [Observations("loses frames", shown, [crossed_by(*flow, leaf_of) for _, flow in looks])]
