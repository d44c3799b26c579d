"""Streams between real nodes whose receiver computes: throughput, gain, and processor time by task."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.result import Documented
from weft.base.statistics import median_interval
from weft.plan.pattern import Stream
from weft.plan.phases import expand
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.runs.records.records import ReceivingCost
from weft.understand.curve.curve import column, message_times_us, to_mbps
from weft.understand.curve.delivery import DeliveryCounts, deliveries
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
"""Counters of a node's processor time. Kernels that do not account for interrupts separately attribute them to what
they interrupted, so `system` may include soft interrupts; `softirq` covers all processors of the node."""

_SPEED = "application_iteration_ps"
RECEIVER = 1
"""The index of a stream's receiving node."""


@dataclass(frozen=True)
class ReceivingTime(Documented):
    """The processor time to receive a byte: on the receiver's own processor without waits, and on others. `wait_ns` is
    the additional time of each wait, None if it could not be separated; `waits` is the number per message."""

    own_ns: float
    elsewhere_ns: float
    wait_ns: float | None
    waits: float

    @classmethod
    def of(cls, cost: ReceivingCost) -> ReceivingTime:
        """From the cost measured at gamma 0."""
        own_ns = host_byte_ns(cost)
        messages = cost["bytes"] / cost["size_bytes"]
        waits = cost.get("waits", 0) / messages
        return cls(own_ns, elsewhere_byte_ns(cost), wait_ns(cost), waits)


@dataclass(frozen=True)
class LiveLoad:
    """The measurements of a loaded stream; intervals are over launches.

    `gamma_done` is the work actually done (iterations times the time of one) over the cost of receiving. `gain` is set
    if the same work was measured in an earlier step, named `before`. `p` is the share of receiving that is not done on
    the receiver's processor, by processor time before the sweep; `p_by_launch` is that share at this gamma, without
    waits if their time is known.

    Per message: `processor_ns` by node and task, `softirq_ns` by node and processor, `host_ns` on the receiver's own
    processor without the application's work, and `waits`, how often the receiver waited. `taken` is the share of time
    in which it was runnable while another program had its processor, `lost_pct` the loss of datagrams.
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
        """p at this gamma with its interval over launches; None if it is not known."""
        shares = list(self.p_by_launch.values())
        return median_interval(shares) if shares else None

    def to_json(self) -> dict[str, object]:
        """The fields that it adds to a point of `weft show --json`."""
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
        """The step's own cost at gamma 0, summed over launches."""
        return add_costs(one for one in self.run.meta.costs if self._is_mine(one))

    def _is_mine(self, cost: ReceivingCost) -> bool:
        return (cost["step"], cost["size_bytes"]) == (self.step, self.size_bytes)

    @cached_property
    def work(self) -> ReceivingCost:
        """The cost from which the application's work was derived."""
        costs = work_costs(self.run.meta, self.step)
        return next(one for one in costs if one["size_bytes"] == self.size_bytes)

    @property
    def communication_ns(self) -> float:
        """The time to receive a byte if one processor does all the work, in this step or its base step."""
        base = self.base
        return byte_ns(base.cost if base else self.cost)

    @property
    def base(self) -> LiveStep | None:
        """The earlier step with the same work; None if there is none."""
        step = self.work["step"]
        return None if step == self.step else LiveStep(self.run, step, self.size_bytes)

    @cached_property
    def p(self) -> Interval | None:
        return direct_p(self.run.meta, self.step, self.size_bytes)

    def p_by_launch(self, phase: int, seen: RecordedLoads) -> dict[int, float]:
        """By launch, the share of receiving that is not done on the receiver's processor in a phase."""
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
        """The time of one message, by phase and launch."""
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
        """The gain over the step before offload at the same gamma, paired by launch; None if there is no such step."""
        base = self.base
        if base is None:
            return None
        gamma = self.phases[phase]
        at = next((one for one, other in base.phases.items() if other == gamma), None)
        before, after = base.times_us.get(-1 if at is None else at, {}), self.times_us[phase]
        ratios = [before[launch] / after[launch] - 1 for launch in sorted(before.keys() & after)]
        return median_interval(ratios) if ratios else None

    def load(self, phase: int, seen: RecordedLoads) -> LiveLoad:
        """The measurements of one phase."""
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
    """The counters and losses that were recorded with the phases of a run."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._amounts = amounts_by_launch(run)
        table = run.side_table(EVIDENCE_NAME)
        speeds = table.filter(pc.equal(table["counter"].cast(pa.string()), _SPEED))
        self._speeds: dict[int, list[int]] = defaultdict(list)
        for row in speeds.select(["step", "value"]).to_pylist():
            self._speeds[row["step"]].append(row["value"])
        self._softirqs = _softirqs(table)
        self.lost: dict[tuple[int, int], DeliveryCounts] = {
            (one.step, one.phase): one for one in deliveries(run)
        }

    def of(self, step: int, phase: int) -> dict[str, Amounts]:
        """The counters of a phase by node, summed over launches."""
        found = {}
        for (at_step, at_phase, _, node), launches in self._amounts.items():
            if (at_step, at_phase) == (step, phase):
                first, *others = launches.values()
                found[self._run.meta.nodes[node]["name"]] = sum(others, first)
        return found

    def own_byte_ns(self, step: int, phase: int, wait_ns: float) -> dict[int, float]:
        """By launch, the receiver's processor time per byte, without the application's work and without its waits of
        `wait_ns` each."""
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
        """The processor time per message, by node and task."""
        return {
            node: {task: amounts.per_message(*names) for task, names in TASKS.items()}
            for node, amounts in self.of(step, phase).items()
        }

    def softirq_ns(self, step: int, phase: int) -> dict[str, dict[int, float]]:
        """The time of soft interrupts per message, by node and processor; processors without any are left out."""
        messages = {node: amounts.messages for node, amounts in self.of(step, phase).items()}
        found: dict[str, dict[int, float]] = {node: {} for node in messages}
        for (at_step, at_phase, node, cpu), value in sorted(self._softirqs.items()):
            name = self._run.meta.nodes[node]["name"]
            if (at_step, at_phase) == (step, phase) and name in messages:
                found[name][cpu] = value / messages[name]
        return found

    def work_ns(self, step: int, phase: int) -> float:
        """The application's work per message: iterations done, times the time of one in this step."""
        done = [one.per_message("application_iterations") for one in self.of(step, phase).values()]
        return max(done, default=0.0) * self._speed_ns(step)

    def _speed_ns(self, step: int) -> float:
        """The median time of an iteration in a step; 0 if none was recorded."""
        return median(self._speeds[step]) / 1e3 if self._speeds[step] else 0.0


def _softirqs(evidence: pa.Table) -> dict[tuple[int, int, int, int], int]:
    """The ns of soft interrupts by (step, phase, node, processor), summed over launches."""
    mine = evidence.filter(pc.equal(evidence["counter"].cast(pa.string()), "cpu_softirq_ns"))
    keys = ["step", "phase", "node", "cpu"]
    sums = mine.group_by(keys).aggregate([("value", "sum")]).to_pylist()
    return {(*(row[key] for key in keys),): row["value_sum"] for row in sums if row["value_sum"]}


def live_steps(run: RunFolder) -> list[LiveStep]:
    """The live steps of a run, by step and size."""
    keys = sorted({(one["step"], one["size_bytes"]) for one in run.meta.costs})
    return [LiveStep(run, *key) for key in keys]
