"""A decision as tables: designs, broken constraints, and what the choice depends on."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.decisions.decision.document import DesignDecision, DesignResult, Sensitivity
from weft.decisions.decision.words import rounded_down

_NAME = ResultColumn("name", "design", str)
_BROKEN = (
    ResultColumn("name", "design", str, lambda one: one[0].name),
    ResultColumn("constraint", "breaks", str, lambda one: one[1].constraint),
    ResultColumn("value", "has", read=lambda one: one[1].value),
    ResultColumn("limit", "limit", read=lambda one: one[1].limit),
    ResultColumn("holds_share", "holds in", read=lambda one: one[1].probability),
)


def designs_table(found: DesignDecision, designs: Sequence[DesignResult]) -> ResultTable:
    """Some designs. `time` is relative to the best of each workload; shares are of all worlds."""
    unit = next((one.cost.currency for one in designs if one.cost), "")
    columns = (
        _NAME,
        ResultColumn(
            "is_chosen", "chosen", bool, lambda one: one.name == found.chosen, shown="page"
        ),
        ResultColumn("price", f"{found.counted}, {unit}", Interval, _price, ",.0f"),
        ResultColumn("lacks", "without a price", str, lambda one: ", ".join(one.lacks)),
        ResultColumn("of_cluster_share", "of the cluster", read=_of_cluster, shown="page"),
        ResultColumn("routing", "routing", str, shown="page"),
        ResultColumn("breaks", "breaks", str, lambda one: ", ".join(_breaks(one))),
        ResultColumn("time", "time", Interval, lambda one: one.index, shown="median"),
        ResultColumn("best_share", "best in"),
        ResultColumn("kept_share", "keeps constraints in", read=_kept),
        ResultColumn("dominated_by", "dominated by", str, found.dominator),
        *(_workload(at, name) for at, (name, _) in enumerate(found.workloads)),
        ResultColumn("latency_bound", "latency bound", str, _latency_bound),
    )
    return ResultTable.of("Designs", columns, designs)


def dominated_table(found: DesignDecision) -> ResultTable:
    """Dominated designs, and in which share of worlds they are."""
    by = ResultColumn("dominated_by", "by", str, found.dominator)
    columns = (_NAME, by, ResultColumn("dominated_share", "in", read=lambda one: one.dominated_in))
    designs = [one for one in found.designs if one.dominated_by]
    return ResultTable.of("Dominated: no cheaper and no faster", columns, designs)


def broken_table(found: DesignDecision) -> ResultTable:
    """Constraints that do not hold at the medians."""
    kept = [(one, kept) for one in found.designs for kept in one.constraints if not kept.holds]
    return ResultTable.of("Constraints that are broken", _BROKEN, kept)


def sensitivity_table(found: DesignDecision) -> ResultTable:
    """Each quantity with its 90 % interval, and the choice's loss at its ends."""

    def then_best(one: Sensitivity) -> str:
        return ", ".join(sorted({one.low.best, one.high.best} - {found.chosen})) or "the same"

    columns = (
        ResultColumn("quantity", "quantity", str),
        ResultColumn("median", "middle", shown="page"),
        ResultColumn("low", "low", read=lambda one: one.low.value),
        ResultColumn("high", "high", read=lambda one: one.high.value),
        ResultColumn("low_share", "loses if low", read=lambda one: one.low.loss - 1, spec="+.1f"),
        ResultColumn(
            "high_share", "loses if high", read=lambda one: one.high.loss - 1, spec="+.1f"
        ),
        ResultColumn("regret_share", "regret if known", read=lambda one: one.regret_when_known),
        ResultColumn("then_best", "then best", str, then_best),
        ResultColumn("learn", "how to learn it", str, shown="page"),
    )
    return ResultTable.of("What the choice depends on", columns, found.sensitivity)


def ranked(found: DesignDecision) -> list[DesignResult]:
    """All designs: first those that keep the constraints, each part by what the choice is about."""

    def loss(one: DesignResult) -> float:
        price = one.cost.counted.median if one.cost else math.inf
        time = one.index.median
        return {"time": time, "cost": price, "cost-performance": price * time}[found.by]

    return sorted(
        found.designs, key=lambda one: (one.name != found.chosen, bool(_breaks(one)), loss(one))
    )


def _breaks(one: DesignResult) -> list[str]:
    return [each.constraint for each in one.constraints if not each.holds]


def _price(one: DesignResult) -> Interval | None:
    return one.cost.counted if one.cost else None


def _of_cluster(one: DesignResult) -> float | None:
    return one.cost.share if one.cost else None


def _kept(one: DesignResult) -> float | None:
    return None if one.kept_share is None or not one.constraints else rounded_down(one.kept_share)


def _workload(at: int, name: str) -> ResultColumn:
    return ResultColumn(f"{name}_ms", name, read=lambda one: 1e3 * one.times[at].time_s.median)


def _latency_bound(one: DesignResult) -> str:
    return ", ".join(each.workload for each in one.times if each.is_latency_bound)
