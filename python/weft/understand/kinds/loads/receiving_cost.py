"""The processor time of receiving: the o of LAWS, and its p.

A receiver with nothing to read sleeps and is woken, which costs processor time, its own and that of the processor that
wakes it. This happens often if no application computes, and hardly if one does. The host in LAWS always has work, so o
excludes that time. It is separated by measuring twice: where the receiver waits, and where an application leaves it no
time to wait. Own and other processors' time come from the same measurement, so that work which moves between them
meanwhile is not counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.runs.meta import RunMeta
from weft.runs.records.records import BusyCost, ReceivingCost

_USED = ("process_user_ns", "process_system_ns")
_WAITS = ("process_voluntary_switches",)
_KERNEL = ("cpu_softirq_ns", "cpu_irq_ns")
_BUSY = ("cpu_user_ns", "cpu_system_ns", *_KERNEL)
_FEWER_WAITS = 0.5
"""The cost of waits can be separated only if the application reduces them below this share."""


def measured_cost(
    place: tuple[int, int, int],
    moved: tuple[int, int],
    evidence: tuple[pa.Table, pa.Table],
    cpu: int,
) -> ReceivingCost:
    """The cost of one size. place: step, launch, bytes of a message. moved: bytes and ns of all batches. evidence: rows
    of the sender and of the receiver, with the columns counter, cpu and value; `cpu` is the receiver's.

    The receiver's process time includes the soft interrupts that arrived while it ran, unless the kernel accounts for
    them separately. Further time of its processor is added, up to the soft interrupts counted there; the rest belongs
    to other programs.
    """
    sender, receiver = evidence
    here, elsewhere = receiver.filter(pc.equal(receiver["cpu"], cpu)), _elsewhere(receiver, cpu)
    process_ns = _sum(receiver, _USED)
    beside_ns = max(0, _sum(here, _BUSY) - process_ns)
    step, launch, size_bytes = place
    return ReceivingCost(
        step=step,
        launch=launch,
        size_bytes=size_bytes,
        bytes=moved[0],
        elapsed_ns=moved[1],
        host_ns=process_ns + min(beside_ns, _sum(here, _KERNEL)),
        elsewhere_ns=_sum(elsewhere, _KERNEL),
        sender_ns=_sum(sender, _USED),
        process_ns=process_ns,
        waits=_sum(receiver, _WAITS),
    )


def busy_cost(moved_bytes: int, receiver: pa.Table, cpu: int) -> BusyCost:
    """The cost of a receiver that computed: its processor time without the iterations done, from the median time of an
    iteration."""
    speeds = receiver.filter(pc.equal(receiver["counter"], "application_iteration_ps"))["value"]
    iteration_ps = median(speeds.to_pylist() or [0])
    work_ns = round(_sum(receiver, ("application_iterations",)) * iteration_ps / 1000)
    return BusyCost(
        bytes=moved_bytes,
        host_ns=max(0, _sum(receiver, _USED) - work_ns),
        waits=_sum(receiver, _WAITS),
        elsewhere_ns=_sum(_elsewhere(receiver, cpu), _KERNEL),
    )


def _elsewhere(receiver: pa.Table, cpu: int) -> pa.Table:
    """The rows counted on other processors of the receiver's node."""
    return receiver.filter(pc.invert(pc.equal(receiver["cpu"], cpu)))


def _sum(rows: pa.Table, names: Iterable[str]) -> int:
    mine = rows.filter(pc.is_in(rows["counter"], pa.array(names, pa.string())))
    return int(pc.sum(mine["value"]).as_py() or 0)


def add_costs(costs: Iterable[ReceivingCost]) -> ReceivingCost:
    """The sum of the costs of one step and size over launches; raises ValueError if there are none."""
    first, *others = costs
    total: ReceivingCost = {**first}
    for one in others:
        for name in ("bytes", "elapsed_ns", "host_ns", "elsewhere_ns", "sender_ns"):
            total[name] += one[name]
        if "busy" in total and "busy" in one:
            total["process_ns"] += one["process_ns"]
            total["waits"] += one["waits"]
            total["busy"] = _add_busy(total["busy"], one["busy"])
    return total


def _add_busy(one: BusyCost, other: BusyCost) -> BusyCost:
    total = BusyCost(
        bytes=one["bytes"] + other["bytes"],
        host_ns=one["host_ns"] + other["host_ns"],
        waits=one["waits"] + other["waits"],
    )
    if "elsewhere_ns" in one and "elsewhere_ns" in other:
        total["elsewhere_ns"] = one["elsewhere_ns"] + other["elsewhere_ns"]
    return total


def work_costs(meta: RunMeta, step: int) -> list[ReceivingCost]:
    """The costs from which the work of a step's application is derived, one for each size: those of the first launch of
    the first step that computes over the same transport. So equal gammas mean equal work in all these steps."""
    transport = meta.plan.steps[step].transport
    first: dict[int, ReceivingCost] = {}
    for one in sorted(meta.costs, key=lambda cost: (cost["step"], cost["launch"])):
        if meta.plan.steps[one["step"]].transport == transport:
            first.setdefault(one["size_bytes"], one)
    return list(first.values())


def wait_ns(cost: ReceivingCost) -> float | None:
    """The receiver's processor time per wait; None if it cannot be separated, because none was measured or because the
    application did not keep the receiver from waiting (a link slower than both)."""
    busy = cost.get("busy")
    if busy is None or not cost["bytes"] or not busy["bytes"]:
        return None
    often, seldom = cost["waits"] / cost["bytes"], busy["waits"] / busy["bytes"]
    if seldom >= _FEWER_WAITS * often:
        return None
    saved_ns = cost["process_ns"] / cost["bytes"] - busy["host_ns"] / busy["bytes"]
    return max(0.0, saved_ns / (often - seldom))


def host_byte_ns(cost: ReceivingCost) -> float:
    """The time to receive a byte on the receiver's own processor, without waits if their cost is known."""
    each_ns = wait_ns(cost)
    if each_ns is None:
        return cost["host_ns"] / cost["bytes"]
    busy = cost["busy"]
    return max(0.0, (busy["host_ns"] - each_ns * busy["waits"]) / busy["bytes"])


def elsewhere_byte_ns(cost: ReceivingCost) -> float:
    """The time to receive a byte on other processors of the node, without waking the receiver if that is known."""
    busy = cost.get("busy")
    if busy is not None and "elsewhere_ns" in busy and wait_ns(cost) is not None:
        return busy["elsewhere_ns"] / busy["bytes"]
    return cost["elsewhere_ns"] / cost["bytes"]


def byte_ns(cost: ReceivingCost) -> float:
    """The ns to receive a byte if one processor does all the work: the receiver's own and that of other processors."""
    return host_byte_ns(cost) + elsewhere_byte_ns(cost)


def byte_ps(cost: ReceivingCost) -> int:
    """The picoseconds to receive a byte if one processor does all the work, at least 1."""
    return max(1, round(1000 * byte_ns(cost)))


def direct_p(meta: RunMeta, step: int, size_bytes: int) -> Interval | None:
    """The share of receiving that is not done on the receiver's processor, by processor time, with its interval over
    launches; None if no cost was measured. If an earlier step sets the work, the share is relative to that step's."""
    wholes = whole_byte_ns(meta, step, size_bytes)
    mine = _costs_of(meta, step, size_bytes)
    shares = [1 - host_byte_ns(one) / wholes[one["launch"]] for one in mine if wholes]
    return median_interval(shares) if shares else None


def whole_byte_ns(meta: RunMeta, step: int, size_bytes: int) -> dict[int, float]:
    """By launch, the ns to receive a byte if one processor does all the work, in this step or the earlier one that sets
    its work; empty if no cost was measured."""
    work = {one["size_bytes"]: one for one in work_costs(meta, step)}.get(size_bytes)
    mine = _costs_of(meta, step, size_bytes)
    if work is None:
        return {}
    is_other = work["step"] != step
    return {one["launch"]: byte_ns(work if is_other else one) for one in mine}


def _costs_of(meta: RunMeta, step: int, size_bytes: int) -> list[ReceivingCost]:
    return [one for one in meta.costs if (one["step"], one["size_bytes"]) == (step, size_bytes)]
