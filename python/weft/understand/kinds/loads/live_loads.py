"""Streams between real nodes whose receiver computes: throughput, gain, and processor time by task."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.plan.pattern import Stream
from weft.plan.phases import expand
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.runs.records.records import ReceivingCost
from weft.understand.curve.curve import column, message_times_us, to_mbps
from weft.understand.curve.delivery import Delivered, deliveries
from weft.understand.host.evidence import Amounts, amounts_by_launch
from weft.understand.kinds.loads.receiving_cost import (
    add_costs,
    byte_ns,
    direct_p,
    elsewhere_byte_ns,
    host_byte_ns,
    wait_ns,
    whole_byte_ns,
    work_costs,
)

TASKS = {
    "user": ("process_user_ns",),
    "system": ("process_system_ns",),
    "softirq": ("cpu_softirq_ns",),
    "interrupts": ("cpu_irq_ns",),
}
"""Counters of a node's processor time. A kernel that does not keep interrupts apart counts them as what they
interrupted, so that soft interrupts are in `system` as well; and `softirq` is of all processors of the node."""

_SPEED = "application_iteration_ps"
RECEIVER = 1
"""The node of a stream that receives."""


@dataclass(frozen=True)
class ReceivingTime:
    """What receiving a byte takes, by processor time: of the receiver's own processor while it has no time to wait, and
    of others; `wait_ns` is what each wait takes besides, None where that was not told from the rest."""

    own_ns: float
    elsewhere_ns: float
    wait_ns: float | None
    waits: float

    @classmethod
    def of(cls, cost: ReceivingCost) -> ReceivingTime:
        """By what was measured at gamma 0, with so many `waits` for a message there."""
        own_ns = host_byte_ns(cost)
        messages = cost["bytes"] / cost["size_bytes"]
        waits = cost.get("waits", 0) / messages
        return cls(own_ns, elsewhere_byte_ns(cost), wait_ns(cost), waits)

    def to_json(self) -> dict[str, float | None]:
        """By name, as in the class."""
        return asdict(self)


@dataclass(frozen=True)
class LiveLoad:
    """What was measured of a loaded stream beside its throughput; intervals are over launches.

    `gamma_done` is the work really done over what receiving costs: iterations times what one took. `gain` is there
    where the same work was measured in an earlier step, which then is `before`. `p` is the share of receiving that the
    receiver's processor does not do, by processor time before the sweep; `p_by_launch` is that at this gamma,
    without waits where their time is known. `processor_ns` is of one message, by node and task, and
    `softirq_ns` by node and processor; `host_ns` is what of it is the receiver's own without the application's work,
    `waits` how often the receiver waited for a message, `taken` the share of time in which it was ready and another
    program had its processor, `lost_pct` of datagrams.
    """

    throughput_mbps: Interval
    launches: int
    gamma_done: float
    p: Interval | None
    p_by_launch: dict[int, float]
    before: str | None
    gain: Interval | None
    processor_ns: dict[str, dict[str, float]]
    softirq_ns: dict[str, dict[int, float]]
    host_ns: float
    waits: float
    taken: float
    receiving: ReceivingTime
    lost_pct: Interval | None

    @property
    def p_at_gamma(self) -> Interval | None:
        """p at this gamma, over launches."""
        shares = list(self.p_by_launch.values())
        return median_interval(shares) if shares else None

    def to_json(self) -> dict[str, Any]:
        """Its part of a point of `weft show --json`."""
        return {
            "throughput_mbps": self.throughput_mbps,
            "launches": self.launches,
            "gamma_done": self.gamma_done,
            "p": self.p,
            "p_at_gamma": self.p_at_gamma,
            "before_step": self.before,
            "gain_interval": self.gain,
            "processor_ns": self.processor_ns,
            "softirq_ns": self.softirq_ns,
            "host_ns": self.host_ns,
            "waits": self.waits,
            "taken_pct": 100 * self.taken,
            "receiving": self.receiving.to_json(),
            "lost_pct": self.lost_pct,
        }


@dataclass(frozen=True)
class LiveStep:
    """One size of a step of a run whose receiver computed."""

    run: RunFolder
    step: int
    size_bytes: int

    @cached_property
    def cost(self) -> ReceivingCost:
        """The step's own at gamma 0, of all launches together."""
        return add_costs(one for one in self.run.meta.costs if self._is_mine(one))

    def _is_mine(self, cost: ReceivingCost) -> bool:
        return (cost["step"], cost["size_bytes"]) == (self.step, self.size_bytes)

    @cached_property
    def work(self) -> ReceivingCost:
        """The cost by which the work was set."""
        costs = work_costs(self.run.meta, self.step)
        return next(one for one in costs if one["size_bytes"] == self.size_bytes)

    @property
    def communication_ns(self) -> float:
        """What receiving a byte costs a processor that does all of it itself, in this step or the one before it."""
        base = self.base
        return byte_ns(base.cost if base else self.cost)

    @property
    def base(self) -> LiveStep | None:
        """The earlier step of the same work, if that is another."""
        step = self.work["step"]
        return None if step == self.step else LiveStep(self.run, step, self.size_bytes)

    @cached_property
    def p(self) -> Interval | None:
        return direct_p(self.run.meta, self.step, self.size_bytes)

    def p_by_launch(self, phase: int, seen: RecordedLoads) -> dict[int, float]:
        """The share that the receiver's processor does not do in a phase."""
        wholes = whole_byte_ns(self.run.meta, self.step, self.size_bytes)
        owns = seen.own_byte_ns(self.step, phase, wait_ns(self.cost) or 0.0)
        return {
            launch: 1 - owns[launch] / wholes[launch] for launch in sorted(owns.keys() & wholes)
        }

    @cached_property
    def phases(self) -> dict[int, float]:
        """Gamma by phase."""
        step = self.run.meta.plan.steps[self.step]
        gammas = step.pattern.gamma if isinstance(step.pattern, Stream) else (0.0,)
        phases = expand(step, len(self.run.meta.nodes))
        mine = [one.index for one in phases if one.size_bytes == self.size_bytes]
        return {index: gammas[index % len(gammas)] for index in mine}

    @cached_property
    def times_us(self) -> dict[int, dict[int, float]]:
        """By phase and launch: the time of one message."""
        samples = self.run.samples
        found: dict[int, dict[int, list[tuple[float, float]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        names = ("step", "phase", "launch", "messages")
        rows = zip(*(column(samples, name).tolist() for name in names), strict=True)
        for (step, phase, launch, messages), each_us in zip(
            rows, message_times_us(self.run).tolist(), strict=True
        ):
            if step == self.step and phase in self.phases and messages:
                found[phase][launch].append((messages, messages * each_us))
        return {
            phase: {
                launch: sum(t for _, t in all_) / sum(m for m, _ in all_)
                for launch, all_ in by.items()
            }
            for phase, by in found.items()
        }

    def gain(self, phase: int) -> Interval | None:
        """Over the step before offload at the same gamma, launch by launch."""
        base = self.base
        if base is None:
            return None
        gamma = self.phases[phase]
        at = next((one for one, other in base.phases.items() if other == gamma), None)
        before, after = base.times_us.get(-1 if at is None else at, {}), self.times_us[phase]
        ratios = [before[launch] / after[launch] - 1 for launch in sorted(before.keys() & after)]
        return median_interval(ratios) if ratios else None

    def load(self, phase: int, seen: RecordedLoads) -> LiveLoad:
        """All of one phase."""
        rates = [float(to_mbps(self.size_bytes, one)) for one in self.times_us[phase].values()]
        lost = seen.lost.get((self.step, phase))
        base, work_ns = self.base, seen.work_ns(self.step, phase)
        processor_ns = seen.processor_ns(self.step, phase)
        name = self.run.meta.nodes[RECEIVER]["name"]
        amounts = seen.of(self.step, phase).get(name)
        receiver = processor_ns.get(name, {})
        used_ns = receiver.get("user", 0.0) + receiver.get("system", 0.0)
        return LiveLoad(
            throughput_mbps=median_interval(rates),
            launches=len(rates),
            gamma_done=work_ns / self.communication_ns / self.size_bytes,
            p=self.p,
            p_by_launch=self.p_by_launch(phase, seen),
            before=self.run.meta.plan.steps[base.step].name if base else None,
            gain=self.gain(phase),
            processor_ns=processor_ns,
            softirq_ns=seen.softirq_ns(self.step, phase),
            host_ns=max(0.0, used_ns - work_ns),
            waits=amounts.per_message("process_voluntary_switches") if amounts else 0.0,
            taken=amounts.share("process_waiting_ns") if amounts else 0.0,
            receiving=ReceivingTime.of(self.cost),
            lost_pct=lost.loss_pct if lost else None,
        )


class RecordedLoads:
    """What was recorded beside the phases of a run."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._amounts = amounts_by_launch(run)
        table = run.side_table(EVIDENCE_NAME)
        speeds = table.filter(pc.equal(table["counter"].cast(pa.string()), _SPEED))
        self._speeds: dict[int, list[int]] = defaultdict(list)
        for row in speeds.select(["step", "value"]).to_pylist():
            self._speeds[row["step"]].append(row["value"])
        self._softirqs = _softirqs(table)
        self.lost: dict[tuple[int, int], Delivered] = {
            (one.step, one.phase): one for one in deliveries(run)
        }

    def of(self, step: int, phase: int) -> dict[str, Amounts]:
        """By node, all launches together."""
        found = {}
        for (at_step, at_phase, _, node), launches in self._amounts.items():
            if (at_step, at_phase) == (step, phase):
                first, *others = launches.values()
                found[self._run.meta.nodes[node]["name"]] = sum(others, first)
        return found

    def own_byte_ns(self, step: int, phase: int, wait_ns: float) -> dict[int, float]:
        """By launch: the receiver's processor time for a byte, without the application's work and without its waits,
        of so many ns each."""
        speed_ns = self._speed_ns(step)
        return {
            launch: (
                amounts.sum(*TASKS["user"], *TASKS["system"])
                - amounts.sum("application_iterations") * speed_ns
                - amounts.sum("process_voluntary_switches") * wait_ns
            )
            / amounts.bytes
            for (at_step, at_phase, _, node), launches in self._amounts.items()
            if (at_step, at_phase, node) == (step, phase, RECEIVER)
            for launch, amounts in launches.items()
        }

    def processor_ns(self, step: int, phase: int) -> dict[str, dict[str, float]]:
        """By node and task, of one message."""
        return {
            node: {task: amounts.per_message(*names) for task, names in TASKS.items()}
            for node, amounts in self.of(step, phase).items()
        }

    def softirq_ns(self, step: int, phase: int) -> dict[str, dict[int, float]]:
        """By node and processor, of one message; processors without any are left out."""
        messages = {node: amounts.messages for node, amounts in self.of(step, phase).items()}
        found: dict[str, dict[int, float]] = {node: {} for node in messages}
        for (at_step, at_phase, node, cpu), value in sorted(self._softirqs.items()):
            name = self._run.meta.nodes[node]["name"]
            if (at_step, at_phase) == (step, phase) and name in messages:
                found[name][cpu] = value / messages[name]
        return found

    def work_ns(self, step: int, phase: int) -> float:
        """The application's work for a message: iterations that were done, times what one takes in this step."""
        done = [one.per_message("application_iterations") for one in self.of(step, phase).values()]
        return max(done, default=0.0) * self._speed_ns(step)

    def _speed_ns(self, step: int) -> float:
        """What an iteration takes in a step."""
        return median(self._speeds[step]) / 1e3 if self._speeds[step] else 0.0


def _softirqs(evidence: pa.Table) -> dict[tuple[int, int, int, int], int]:
    """Nanoseconds by step, phase, node and processor, all launches together."""
    mine = evidence.filter(pc.equal(evidence["counter"].cast(pa.string()), "cpu_softirq_ns"))
    keys = ["step", "phase", "node", "cpu"]
    sums = mine.group_by(keys).aggregate([("value", "sum")]).to_pylist()
    return {(*(row[key] for key in keys),): row["value_sum"] for row in sums if row["value_sum"]}


def live_steps(run: RunFolder) -> list[LiveStep]:
    """Those of a run, by step and size."""
    keys = sorted({(one["step"], one["size_bytes"]) for one in run.meta.costs})
    return [LiveStep(run, *key) for key in keys]
