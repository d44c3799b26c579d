"""Linpack: the speed of the nodes, the shares of their time, and the price of the network per MFlop/s."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft import _core
from weft.base.errors import RequestError
from weft.base.interval import Interval
from weft.base.statistics import median_interval
from weft.network.cost.bill import NetworkBill, bill_of
from weft.network.cost.performance import Performance
from weft.plan.pattern import Hpl
from weft.plan.plan import Step, to_json
from weft.runs.columns.tables import ACTIVITIES_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column


@dataclass(frozen=True)
class LinpackPrice:
    """The price per MFlop/s of the participating nodes: of their share of the network, and in total with the nodes
    (None if nodes have no price)."""

    network: float
    total: float | None
    currency: str
    year: int


@dataclass(frozen=True)
class Shares:
    """The shares of the time (0 to 1) in which nodes computed, communicated and waited, as means over nodes."""

    compute: float
    communicate: float
    wait: float


@dataclass(frozen=True)
class Solution:
    """The result of a step. `wrong` counts launches with a wrong solution, which are otherwise ignored; without correct
    ones there is no speed. `gflops` is that of all nodes together."""

    step: int
    name: str
    is_real: bool
    n: int
    nb: int
    grid: str
    bcast: str
    nodes: int
    launches: int
    wrong: int
    elapsed_s: Interval | None
    gflops: Interval | None
    shares: Shares | None
    per_mflops: LinpackPrice | None


def solutions(run: RunFolder) -> list[Solution]:
    """The results so far of a run's Linpack steps, in order."""
    found = [_solution(run, *each) for each in run.meta.plan.steps_of(Hpl)]
    return [one for one in found if one.launches or one.wrong]


def _solution(run: RunFolder, index: int, step: Step, pattern: Hpl) -> Solution:
    rows, columns = _core.Program.grid(to_json(step), len(run.meta.nodes))
    nodes = rows * columns
    # A single process sends no messages, so that there are no samples.
    activities = run.stored_table(ACTIVITIES_NAME).filter(pc.field("step") == index)
    times_s = _times_s(run, index, activities)
    elapsed_s = median_interval(times_s, upper=True) if times_s else None
    gflops = (
        elapsed_s.map_decreasing(lambda time_s: pattern.flops / time_s / 1e9) if elapsed_s else None
    )
    of_step = [one for one in run.meta.linpack if one["step"] == index]
    return Solution(
        step=index,
        name=step.name,
        is_real=bool(of_step),
        n=pattern.n,
        nb=pattern.nb,
        grid=f"{rows}x{columns}",
        bcast=pattern.bcast,
        nodes=nodes,
        launches=len(times_s),
        wrong=sum(not one["is_right"] for one in of_step),
        elapsed_s=elapsed_s,
        gflops=gflops,
        shares=_shares(activities) if activities.num_rows else None,
        per_mflops=_price(run, gflops.median, nodes) if gflops else None,
    )


def _times_s(run: RunFolder, index: int, activities: pa.Table) -> list[float]:
    """The times by launch: of a skeleton until its last node ended, of the real program as it reports them."""
    if activities.num_rows:
        ends_ns = activities.group_by("launch").aggregate([("end_ns", "max")])["end_ns_max"]
        return [end_ns / 1e9 for end_ns in ends_ns.to_pylist()]
    samples = run.samples.filter(pc.field("step") == index)
    times_s: list[float] = (column(samples, "elapsed_ns") / 1e9).tolist()
    return times_s


def _shares(activities: pa.Table) -> Shares:
    """The shares over all launches; a node that has ended counts as waiting for the others."""
    by_launch = activities.group_by("launch").aggregate(
        [("end_ns", "max"), ("end_ns", "count"), ("compute_ns", "sum"), ("communicate_ns", "sum")]
    )
    whole_ns = float(np.dot(column(by_launch, "end_ns_max"), column(by_launch, "end_ns_count")))
    compute, communicate = (
        float(np.sum(column(by_launch, f"{kind}_ns_sum"))) / whole_ns
        for kind in ("compute", "communicate")
    )
    return Shares(compute, communicate, max(0.0, 1.0 - compute - communicate))


def _price(run: RunFolder, gflops: float, nodes: int) -> LinpackPrice | None:
    bill = _bill(run)
    if bill is None:
        return None
    # Scaled as if the cluster consisted of these nodes only.
    whole = bill.per(Performance(gflops * 1e3 * bill.hosts / nodes, "MFlop/s"))
    return LinpackPrice(whole.network, whole.total, bill.currency, bill.year)


def _bill(run: RunFolder) -> NetworkBill | None:
    fabric = run.meta.testbed.get("fabric")
    if not fabric or not fabric.get("cost"):
        return None
    try:
        return bill_of(fabric)
    except RequestError:
        # Only `weft cost` converts prices of several years or currencies.
        return None
