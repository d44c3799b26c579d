"""The trials of an interference step: a phase in a launch, with the victim's times and its congestor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft import _core
from weft.base.statistics import Floats
from weft.plan.pattern import Interference
from weft.plan.phases import expand
from weft.plan.plan import to_json
from weft.runs.meta import RunMeta
from weft.understand.curve.curve import column

ALONE = "alone"
"""The name of the congestor in trials without one."""
WHOLE = 0.99
"""A congestor that ran for this share of the victim's time counts as covering all of it."""


@dataclass(frozen=True)
class VictimTrial:
    """The victim's times, each from the start of its last node to the end of its last node. The congestor moved
    `congestor_mbps` while it ran, for the share `covered` of the victim's time."""

    phase: int
    launch: int
    round: int
    size_bytes: int
    congestor: str
    times_us: Floats
    congestor_mbps: float
    covered: float


def roles(meta: RunMeta, step: int) -> tuple[list[int], list[int]]:
    """The nodes of the victim, and those of its congestors."""
    return _core.Program.roles(to_json(meta.plan.steps[step]), len(meta.nodes))


def interference_steps(meta: RunMeta) -> list[tuple[int, Interference]]:
    """The steps of a plan that are interference."""
    return [(at, pattern) for at, _, pattern in meta.plan.steps_of(Interference)]


def trials(meta: RunMeta, laps: pa.Table, step: int, pattern: Interference) -> list[VictimTrial]:
    """The trials of a step, from the table of laps."""
    mine = laps.filter(pc.equal(laps["step"], step))
    keys = mine.select(["launch", "phase"]).group_by(["launch", "phase"]).aggregate([]).to_pylist()
    keys.sort(key=lambda key: (key["launch"], key["phase"]))
    return [_trial(meta, mine, step, pattern, key["launch"], key["phase"]) for key in keys]


def _trial(
    meta: RunMeta, laps: pa.Table, step: int, pattern: Interference, launch: int, phase: int
) -> VictimTrial:
    here = pc.and_(pc.equal(laps["launch"], launch), pc.equal(laps["phase"], phase))
    table, (victims, _) = laps.filter(here), roles(meta, step)
    is_victim = pc.is_in(table["node"], pa.array(victims, pa.int32()))
    own, others = table.filter(is_victim), table.filter(pc.invert(is_victim))
    begins, ends = (_by_lap(own, name, len(victims)) for name in ("begin_ns", "end_ns"))
    asked = meta.plan.steps[step]
    return VictimTrial(
        phase=phase,
        launch=launch,
        round=phase // (1 + len(pattern.congestors)) % pattern.rounds,
        size_bytes=expand(asked, len(meta.nodes))[phase].size_bytes,
        congestor=_core.Program.congestor(to_json(asked), phase) or ALONE,
        times_us=np.maximum(ends - begins, 0) / 1e3,
        congestor_mbps=_mbps(others),
        covered=_covered(others, float(begins[0]), float(ends[-1])),
    )


def _by_lap(own: pa.Table, name: str, nodes: int) -> Floats:
    """The time of the last node in each repetition."""
    ordered = own.sort_by([("lap", "ascending")])
    last: Floats = column(ordered, name).reshape(-1, nodes).max(axis=1).astype(np.float64)
    return last


def _mbps(others: pa.Table) -> float:
    if not others.num_rows:
        return 0.0
    elapsed_ns = int(column(others, "end_ns").max())
    return float(column(others, "received_bytes").sum()) * 8e3 / max(elapsed_ns, 1)


def _covered(others: pa.Table, begin_ns: float, end_ns: float) -> float:
    """The share of a period in which all nodes of a congestor had data to send."""
    if not others.num_rows:
        return 1.0
    first_end_ns = float(column(others, "end_ns").min())
    return float(np.clip((first_end_ns - begin_ns) / max(end_ns - begin_ns, 1.0), 0.0, 1.0))
