"""What receiving costs the processors of a node, measured where no application computes: the o of LAWS, and its p."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from weft.interval import Interval
from weft.runs.meta import RunMeta
from weft.runs.records import Cost
from weft.statistics import median_interval

_USED = ("process_user_ns", "process_system_ns")
_KERNEL = ("cpu_softirq_ns", "cpu_irq_ns")
_BUSY = ("cpu_user_ns", "cpu_system_ns", *_KERNEL)


def measured_cost(
    place: tuple[int, int, int],
    moved: tuple[int, int],
    evidence: tuple[pa.Table, pa.Table],
    cpu: int,
) -> Cost:
    """The cost of one size. place: step, launch, bytes of a message. moved: bytes and ns of all batches. evidence: rows
    of the sender and of the receiver beside them, with the columns counter, cpu and value; `cpu` is the receiver's.

    The receiver's own time has the soft interrupts in it that came while it ran, unless the kernel keeps their time
    apart. What its processor did beyond that is added, up to the soft interrupts counted there; more is others'.
    """
    sender, receiver = evidence
    own = pc.equal(receiver["cpu"], cpu)
    here, elsewhere = receiver.filter(own), receiver.filter(pc.invert(own))
    process_ns = _sum(receiver, _USED)
    beside_ns = max(0, _sum(here, _BUSY) - process_ns)
    step, launch, size_bytes = place
    return Cost(
        step=step,
        launch=launch,
        size_bytes=size_bytes,
        bytes=moved[0],
        elapsed_ns=moved[1],
        host_ns=process_ns + min(beside_ns, _sum(here, _KERNEL)),
        elsewhere_ns=_sum(elsewhere, _KERNEL),
        sender_ns=_sum(sender, _USED),
    )


def _sum(rows: pa.Table, names: Iterable[str]) -> int:
    mine = rows.filter(pc.is_in(rows["counter"], pa.array(names, pa.string())))
    return int(pc.sum(mine["value"]).as_py() or 0)


def work_costs(meta: RunMeta, step: int) -> list[Cost]:
    """Those by which the work of a step's application is set: of the first step of the same transport that computes
    with messages of these sizes, in its first launch. So the same gamma is the same work in all of them."""
    transport = meta.plan.steps[step].transport
    first: dict[int, Cost] = {}
    for one in sorted(meta.costs, key=lambda cost: (cost["step"], cost["launch"])):
        if meta.plan.steps[one["step"]].transport == transport:
            first.setdefault(one["size_bytes"], one)
    return list(first.values())


def byte_ps(cost: Cost) -> int:
    """Receiving a byte on a processor that does all of it itself: the receiver's work and that on other processors."""
    return max(1, round(1000 * (cost["host_ns"] + cost["elsewhere_ns"]) / cost["bytes"]))


def direct_p(meta: RunMeta, step: int, size_bytes: int) -> Interval | None:
    """The share of the work of receiving that the receiver's processor does not do, by processor time at gamma 0; the
    interval is over launches. Of a step that has the work of an earlier one: the share of that step's."""
    work = {one["size_bytes"]: one for one in work_costs(meta, step)}.get(size_bytes)
    mine = [one for one in meta.costs if (one["step"], one["size_bytes"]) == (step, size_bytes)]
    if work is None or not mine:
        return None
    is_other = work["step"] != step
    wholes = [byte_ps(work if is_other else one) for one in mine]
    hosts = [1000 * one["host_ns"] / one["bytes"] for one in mine]
    return median_interval([1 - host / whole for host, whole in zip(hosts, wholes, strict=True)])
