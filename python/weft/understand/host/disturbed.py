"""Launches that were limited by the machine instead of the network: their causes, and the consequences for a run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.sequential import LOOKS
from weft.plan.plan import Plan
from weft.runs.meta import RunMeta, Warning
from weft.runs.records.records import DisturbedLaunch

LEAST_SHARES = {
    "stolen-time": 0.1,
    "processor-quota": 0.1,
    "thermal-throttling": 0.1,
    "processor-contention": 0.2,
    "lab-late": 0.1,
}
"""A launch is disturbed if a cause took at least this share of the time."""
SAYS = {
    "stolen-time": "the hypervisor took {share} of {where}",
    "processor-quota": "the quota of its control group stopped the agent of {where} for {share} of the time",
    "thermal-throttling": "{where} was slowed down by heat for {share} of the time",
    "processor-contention": "an agent waited {share} of the time for {where}, which others used",
    "lab-late": "messages waited {share} of the time for late frames of {where}",
}
LEAST_NS = 100_000_000
"""The least processor time to judge, because the kernel counts it in steps of 10 ms."""
SHORT_WAIT_NS = 500_000
"""A wait for a processor that is normal when a task is woken or others run briefly; longer ones mean contention."""
HINT = "`disturbed` in run.json has the launches; find what else runs there (`top`), or measure when it is quiet"

_USED = ("process_user_ns", "process_system_ns")
_SWITCHES = ("process_voluntary_switches", "process_involuntary_switches")
_WAITED, _STOLEN, _ELAPSED = "process_waiting_ns", "cpu_steal_ns", "elapsed_ns"
_QUOTA, _HEAT = _THROTTLED = ("process_throttled_ns", "thermal_throttled_ns")
_BUSY = ("cpu_user_ns", "cpu_system_ns")
_OF_PROCESSOR = (*_BUSY, "cpu_idle_ns", "cpu_irq_ns", "cpu_softirq_ns", _STOLEN)
_COUNTERS = pa.array([*_USED, *_SWITCHES, *_OF_PROCESSOR, _WAITED, *_THROTTLED, _ELAPSED])

_Place = tuple[int, int, int | None]
"""Step, node, and the processor if the counter is kept by processor."""


@dataclass
class Tally:
    """The processor counters of one launch, summed by step, node and processor."""

    _sums: dict[_Place, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, rows: pa.Table) -> None:
        """Adds rows of evidence.parquet; O(n)."""
        named = rows.set_column(
            rows.column_names.index("counter"), "counter", rows["counter"].cast(pa.string())
        )
        mine = named.filter(pc.is_in(named["counter"], _COUNTERS))
        keys = ["step", "node", "cpu", "counter"]
        for row in mine.group_by(keys).aggregate([("value", "sum")]).to_pylist():
            sums = self._sums[row["step"], row["node"], row["cpu"]]
            sums[row["counter"]] = sums.get(row["counter"], 0) + row["value_sum"]

    @property
    def places(self) -> list[_Place]:
        """The places that have counters, in order."""
        return sorted(
            self._sums, key=lambda one: (one[0], one[1], -1 if one[2] is None else one[2])
        )

    def of(self, place: _Place, *counters: str) -> int:
        """The sum of the given counters at a place."""
        return sum(self._sums.get(place, {}).get(counter, 0) for counter in counters)


@dataclass(frozen=True)
class _Part:
    """A part (`counted`) of a whole (`of`), both in the same unit."""

    counted: int
    of: int

    def __add__(self, other: _Part) -> _Part:
        return _Part(self.counted + other.counted, self.of + other.of)

    @property
    def share(self) -> float:
        return min(1.0, self.counted / max(1, self.of))


def disturbances(
    meta: RunMeta,
    launch: int,
    tally: Tally,
    samples: pa.Table | None = None,
    frames: tuple[int, int] | None = None,
) -> list[DisturbedLaunch]:
    """The disturbances of a launch: each cause at the place where it was strongest, if its share reaches LEAST_SHARES.

    `samples` are those of the launch; `frames` has the number of frames that a lab forwarded, and the total ns by which
    they were late. Steps between many nodes ignore contention and late frames: there the nodes of a lab wait for each
    other anyway, and late frames hardly affect rates.
    """
    found = [
        ("stolen-time", _stolen(meta, tally)),
        ("processor-quota", _throttled(meta, tally, _QUOTA)),
        ("thermal-throttling", _throttled(meta, tally, _HEAT)),
    ]
    if _is_of_pairs(meta.plan):
        found.append(("processor-contention", _contention(meta, tally)))
        if frames and samples and all(step.measures_latency for step in meta.plan.steps):
            found.append(("lab-late", {"the lab": _late(samples, *frames)}))
    return [one for cause, parts in found for one in _strongest(launch, cause, parts)]


def _strongest(launch: int, cause: str, parts: dict[str, _Part]) -> Iterator[DisturbedLaunch]:
    where = max(parts, key=lambda one: parts[one].share, default=None)
    if where is None or parts[where].share < LEAST_SHARES[cause]:
        return
    part = parts[where]
    yield DisturbedLaunch(
        launch=launch,
        cause=cause,
        where=where,
        share=round(part.share, 4),
        counted=part.counted,
        of=part.of,
    )


def _stolen(meta: RunMeta, tally: Tally) -> dict[str, _Part]:
    """The stolen time by processor, or by node if its processors are counted together. A host with several nodes is
    counted once."""
    parts: dict[str, _Part] = defaultdict(lambda: _Part(0, 0))
    seen = set()
    for place in tally.places:
        step, node, cpu = place
        of = tally.of(place, *_OF_PROCESSOR)
        key = step, host_of(meta, node), cpu
        if of and key not in seen:
            parts[_named(meta, node, cpu)] += _Part(tally.of(place, _STOLEN), of)
            seen.add(key)
    return {where: one for where, one in parts.items() if one.of >= LEAST_NS}


def _throttled(meta: RunMeta, tally: Tally, counter: str) -> dict[str, _Part]:
    """A counter of throttled time by node, or by processor if it is kept so, as part of the time that evidence spans.
    It has a finer resolution than 10 ms, so short times count too."""
    parts: dict[str, _Part] = defaultdict(lambda: _Part(0, 0))
    for step, node, cpu in tally.places:
        if counted := tally.of((step, node, cpu), counter):
            where = str(meta.nodes[node]["name"]) if cpu is None else _named(meta, node, cpu)
            parts[where] += _Part(counted, tally.of((step, node, None), _ELAPSED))
    return parts


def _contention(meta: RunMeta, tally: Tally) -> dict[str, _Part]:
    """How long agents waited for their processor while programs other than agents of this run used it."""
    parts: dict[str, _Part] = defaultdict(lambda: _Part(0, 0))
    for step, nodes in _nodes_by_step(tally).items():
        cpus = meta.plan.steps[step].options.cpus
        if not cpus:
            for node in nodes:
                parts[f"a processor of {meta.nodes[node]['name']}"] += _long_waits(
                    tally, (step, node, None)
                )
            continue
        for cpu, sharing in _by_processor(meta, nodes, cpus):
            parts[_named(meta, sharing[0], cpu)] += _waited_for_others(tally, step, sharing, cpu)
    return {where: one for where, one in parts.items() if one.of >= LEAST_NS}


def _late(samples: pa.Table, forwarded: int, late_ns: int) -> _Part:
    """How long messages waited for late frames; all frames of one message wait at the same time."""
    crossings = 2 * (pc.sum(samples["messages"]).as_py() or 0)
    frames_of_message = max(1.0, forwarded / max(1, crossings))
    return _Part(round(late_ns / frames_of_message), pc.sum(samples["elapsed_ns"]).as_py() or 0)


def _nodes_by_step(tally: Tally) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for step, node, cpu in tally.places:
        if cpu is None and tally.of((step, node, None), _ELAPSED):
            found[step].append(node)
    return found


def _by_processor(
    meta: RunMeta, nodes: Sequence[int], cpus: Sequence[int]
) -> Iterator[tuple[int, list[int]]]:
    """Each processor to which agents are pinned, with the nodes that share it."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for node in nodes:
        found[host_of(meta, node), cpus[node]].append(node)
    for (_, cpu), sharing in found.items():
        yield cpu, sharing


def _waited_for_others(tally: Tally, step: int, nodes: Sequence[int], cpu: int) -> _Part:
    """The time that agents waited for other programs: at most their own waits, and at most the others' processor time,
    because agents of a lab also wait for each other."""
    own = [(step, node, None) for node in nodes]
    there = [(step, node, cpu) for node in nodes]
    busy_ns = sum(tally.of(place, *_BUSY) for place in there) // len(nodes)
    others_ns = busy_ns - sum(tally.of(place, *_USED) for place in own)
    waited_ns = sum(tally.of(place, _WAITED) for place in own)
    elapsed_ns = sum(tally.of(place, _ELAPSED) for place in own) // len(nodes)
    return _Part(max(0, min(waited_ns, others_ns)), elapsed_ns)


def _long_waits(tally: Tally, place: _Place) -> _Part:
    """The long waits of an agent that is not pinned; what else used its processor is unknown, so short waits are not
    counted."""
    waited_ns = tally.of(place, _WAITED) - SHORT_WAIT_NS * tally.of(place, *_SWITCHES)
    return _Part(max(0, waited_ns), tally.of(place, _ELAPSED))


def host_of(meta: RunMeta, node: int) -> str:
    """The identity of a node's host; all nodes of `lab:` and `local:` are on one host."""
    if meta.testbed.get("kind") in ("lab", "local"):
        return "this machine"
    return str((meta.nodes[node].get("facts") or {}).get("hostname") or node)


def _named(meta: RunMeta, node: int, cpu: int | None) -> str:
    of = _name(meta, node)
    return of if cpu is None else f"processor {cpu} of {of}"


def _name(meta: RunMeta, node: int) -> str:
    host = host_of(meta, node)
    return host if host == "this machine" else str(meta.nodes[node]["name"])


def is_repeatable(plan: Plan) -> bool:
    """Whether a plan measures only curves of pairs, so that any launch can replace another."""
    return _is_of_pairs(plan) and not plan.race and not any(step.pin_ns for step in plan.steps)


def _is_of_pairs(plan: Plan) -> bool:
    return all(step.pattern.has_curve for step in plan.steps)


def disturbed_launches(meta: RunMeta) -> set[int]:
    """The launches marked as disturbed; empty if the run does not record them."""
    return {one["launch"] for one in meta.disturbed or ()}


def _launches(meta: RunMeta) -> set[int]:
    """The completed launches."""
    return {launch for _, launch in meta.done} | disturbed_launches(meta)


def _others(meta: RunMeta) -> int:
    """The number of launches that were not disturbed."""
    return len(_launches(meta) - disturbed_launches(meta))


def _wanted(plan: Plan) -> int:
    """The least number of launches of a plan."""
    has_goal = any(step.goal for step in plan.steps)
    return min(plan.launches, LOOKS[0]) if has_goal else plan.launches


def wants_another(meta: RunMeta) -> bool:
    """Whether a further launch should replace a disturbed one: while there are too few undisturbed launches, and fewer
    than twice the plan's launches in all."""
    is_short = bool(meta.disturbed) and _others(meta) < _wanted(meta.plan)
    return is_repeatable(meta.plan) and is_short and len(_launches(meta)) < 2 * meta.plan.launches


def stays_disturbed(meta: RunMeta) -> bool:
    """Whether too few launches were undisturbed for a result: fewer than half of those planned, or of those completed
    if they are fewer."""
    needed = math.ceil(min(_wanted(meta.plan), len(_launches(meta))) / 2)
    return bool(meta.disturbed) and _others(meta) < needed


def left_out(meta: RunMeta) -> set[int]:
    """The launches whose samples are excluded from all medians: the disturbed ones, if there are enough others."""
    if not is_repeatable(meta.plan) or stays_disturbed(meta):
        return set()
    return disturbed_launches(meta)


def disturbed_text(meta: RunMeta) -> str:
    """For example "5 of 10 launches were disturbed: the hypervisor took up to 49 % of processor 1 of this machine"."""
    marked = meta.disturbed or []
    worst: dict[str, DisturbedLaunch] = {}
    for one in marked:
        known = worst.get(one["cause"])
        if known is None or one["share"] > known["share"]:
            worst[one["cause"]] = one
    causes = "; ".join(map(_said, worst.values()))
    return f"{len(disturbed_launches(meta))} of {len(_launches(meta))} launches were disturbed: {causes}"


def _said(one: DisturbedLaunch) -> str:
    share = f"up to {100 * one['share']:.0f} %"
    return SAYS.get(one["cause"], one["cause"]).format(share=share, where=one["where"])


def not_usable(meta: RunMeta) -> str | None:
    """Why a run allows no conclusions, because it stays disturbed; else None."""
    return disturbed_text(meta) if stays_disturbed(meta) else None


def disturbance_warning(meta: RunMeta) -> Warning | None:
    """The warning about a run's disturbed launches; None if there are none."""
    if not disturbed_launches(meta):
        return None
    if reason := not_usable(meta):
        message = (
            f"{reason}; too few others, so this is the machine and not what was to be measured"
        )
        return Warning("disturbed", message, HINT)
    kept = "they are left out of all results" if left_out(meta) else "they are in the results"
    return Warning("launches-disturbed", f"{disturbed_text(meta)}; {kept}", HINT)
