"""From simulations to a decision: draw uncertain quantities, choose, and state what the choice rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weft.base.errors import RequestError
from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.decisions.decision.bills import counts_prices, lacks_of, speed_warnings
from weft.decisions.decision.choice import (
    DesignChoice,
    Field,
    choose,
    dominated_by,
    frontier,
    regret_when_known,
)
from weft.decisions.decision.constraints import limits_of
from weft.decisions.decision.designs import Design, without_price
from weft.decisions.decision.document import (
    SCHEMA,
    CostItem,
    DesignCost,
    DesignDecision,
    DesignFailure,
    DesignResult,
    End,
    Sensitivity,
    Verdict,
    WorkloadTime,
)
from weft.decisions.decision.estimated import left_out_warnings
from weft.decisions.decision.latency import latency_warnings
from weft.decisions.decision.prepare import PreparedRequest
from weft.decisions.decision.quantities import UncertainQuantity, points_of
from weft.decisions.decision.response import columns_of, response_of
from weft.decisions.decision.routing.starved import routing_warnings, routings
from weft.decisions.decision.rule import by_of, counts_cluster
from weft.decisions.decision.words import (
    PriceMargin,
    RunnerUp,
    ShortBill,
    basis_of,
    text_of,
    without,
)
from weft.decisions.decision.worlds import WorldModel, Worlds
from weft.runs.meta import Warning
from weft.runs.run_warnings import gathered
from weft.simulation.sweep.row import SweepRow
from weft.simulation.sweep.task import Task


def conclude(prepared: PreparedRequest, rows: Sequence[SweepRow]) -> DesignDecision:
    """The decision that follows from simulated rows; nothing is simulated here."""
    by_task: dict[str, list[SweepRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    designs, failed = _told_apart(prepared, by_task)
    slow = list(routing_warnings(prepared, by_task))
    failed = [*(DesignFailure(one.name, one.why, one.hint) for one in prepared.refused), *failed]
    if not designs:
        raise RequestError(
            f"no design can be simulated; {failed[0].name}: {failed[0].why}", failed[0].hint
        )
    found = _rows_of(prepared, designs, by_task)
    return _Conclusion(prepared, designs, failed, found, slow).decision()


def _told_apart(
    prepared: PreparedRequest, by_task: dict[str, list[SweepRow]]
) -> tuple[list[Design], list[DesignFailure]]:
    """Designs on which every workload was simulated, and the reasons for the others."""
    found, failed = [], []
    tasks = iter(prepared.work.tasks)
    for design in prepared.designs:
        mine = [by_task[next(tasks).key] for _ in prepared.workloads]
        refusals = [rows[0] for rows in mine if rows[0].refusal]
        if refusals:
            failed.append(DesignFailure(design.name, refusals[0].refusal, refusals[0].hint))
        else:
            found.append(design)
    return found, failed


def _rows_of(
    prepared: PreparedRequest, designs: Sequence[Design], by_task: dict[str, list[SweepRow]]
) -> dict[tuple[str, str], Sequence[SweepRow]]:
    points = tuple(points_of(prepared.host, prepared.quantities))
    return {
        (design.name, one.name): by_task[Task(design.network, one.load, points).key]
        for design in designs
        for one in prepared.workloads
    }


class _Conclusion:
    """Derives the parts of a decision from all worlds."""

    def __init__(
        self,
        prepared: PreparedRequest,
        designs: Sequence[Design],
        failed: Sequence[DesignFailure],
        rows: dict[tuple[str, str], Sequence[SweepRow]],
        slow: Sequence[Warning],
    ) -> None:
        request = prepared.request
        self.prepared, self.designs, self.failed = prepared, designs, failed
        self.slow = slow
        self.largest = {
            one.name: max(row.size_bytes for row in rows[designs[0].name, one.name])
            for one in prepared.workloads
        }
        columns = columns_of(prepared.workloads, request.constraints)
        response = response_of(designs, columns, prepared.quantities, rows)
        weights = np.array([one.weight for one in prepared.workloads])
        self.of_cluster = counts_cluster(request, designs)
        self.is_per_host = request.decision.each == "host"
        self.model = WorldModel(
            designs, prepared.quantities, response, weights, self.of_cluster, self.is_per_host
        )
        self.worlds = self.model.worlds(request.draws)
        self.middle = self.model.at(self.model.medians[np.newaxis])
        self.limits = limits_of(request, self.model, self.worlds, self.middle)
        self.by = by_of(request, designs)
        self.lacks = lacks_of(designs, self.of_cluster)
        self.field = Field(
            self.worlds.losses(self.by),
            self.limits.kept(request.draws),
            self.limits.are_kept,
            request.decision.wanted,
        )
        self.allowed = self.field.allowed

    def decision(self) -> DesignDecision:
        request, prepared = self.prepared.request, self.prepared
        index, prices = self.middle.index[0], self.middle.prices[0]
        front = frontier(prices, index) if np.isfinite(prices).any() else [int(index.argmin())]
        choice = choose(self.field) if len(self.allowed) else None
        share = choice.best_share if choice else np.zeros(len(self.designs))
        weighed = bool(prepared.quantities)
        results = [self._result(place, front, share) for place in range(len(self.designs))]
        sensitivity = self._sensitivity(choice.chosen) if choice else []
        chosen = results[choice.chosen] if choice else None
        short = self._short(choice)
        regret = choice.regret if choice and weighed and not short else None
        bearable = float(request.decision.bearable)
        learn = _learn_first(sensitivity, regret) if regret is not None else None
        wanted = float(request.decision.wanted)
        found = DesignDecision(
            schema=SCHEMA,
            name=request.name,
            workloads=tuple((one.name, one.weight) for one in prepared.workloads),
            by=self.by,
            counted=self._counted(),
            hosts=prepared.hosts,
            draws=request.draws,
            designs=tuple(results),
            frontier=tuple(results[place].name for place in front),
            failed=tuple(self.failed),
            verdict="undecided" if short else _verdict(choice, regret, bearable, wanted),
            chosen=chosen.name if chosen else None,
            regret=regret,
            bearable=bearable,
            sensitivity=tuple(sensitivity),
            learn_first=short.learn if short else learn.learn if learn else None,
            text="",
            basis=(),
            notes=tuple(self._notes()),
            warnings=gathered([("", self._warnings(results))]),
            kept_wanted=wanted,
        )
        basis = basis_of(prepared.workloads, prepared.quantities, request, self.by)
        told = text_of(found, self._runner_up(choice), short, learn, prepared.quantities, basis)
        return without(told, [one.name for one in prepared.left_out])

    def _short(self, choice: DesignChoice | None) -> ShortBill | None:
        """What the chosen design's bill lacks but others' do not, if the choice depends on prices."""
        if choice is None or not counts_prices(self.prepared.request, self.by):
            return None
        parts = self.lacks.own.get(self.designs[choice.chosen].name, ())
        return ShortBill(parts, self._room(choice)) if parts else None

    def _room(self, choice: DesignChoice) -> PriceMargin | None:
        """How much the missing parts may cost before a design with a complete bill would be better; None if there is
        none."""
        if self.by == "time":
            return None
        losses, prices = self.middle.losses(self.by)[0], self.middle.prices[0]
        whole = [at for at in self.allowed if not self.lacks.own.get(self.designs[at].name)]
        if not whole:
            return None
        best = min(whole, key=lambda at: losses[at])
        most = prices[choice.chosen] * (losses[best] / losses[choice.chosen] - 1)
        bill = self.designs[choice.chosen].bill
        assert bill is not None, "what has no bill lacks no part of one"
        return PriceMargin(float(most), bill.currency, self.is_per_host, self.designs[best].name)

    def _warnings(self, results: Sequence[DesignResult]) -> Iterator[Warning]:
        yield from self.slow
        yield from latency_warnings(self.largest, results)
        yield from left_out_warnings(self.prepared.left_out)
        yield from self.lacks.warnings()
        yield from speed_warnings(self.designs)

    def _runner_up(self, choice: DesignChoice | None) -> RunnerUp | None:
        """The second-best design at the medians; None if no other is allowed."""
        if choice is None or len(self.allowed) < 2:
            return None
        losses = self.middle.losses(self.by)[0]
        after = min(
            (one for one in self.allowed if one != choice.chosen), key=lambda at: losses[at]
        )
        return RunnerUp(self.designs[after].name, float(losses[after] / losses[choice.chosen]))

    def _counted(self) -> str:
        whole = "cluster" if self.of_cluster else "network"
        return f"{whole} for each host" if self.is_per_host else whole

    def _result(self, place: int, front: list[int], share: Floats) -> DesignResult:
        design = self.designs[place]
        index, prices = self.middle.index[0], self.middle.prices[0]
        better = dominated_by(place, front, prices, index)
        return DesignResult(
            name=design.name,
            entry=design.entry,
            hosts=design.hosts,
            times=tuple(
                self._time(place, column) for column in range(len(self.prepared.workloads))
            ),
            index=_interval(self.worlds.index[:, place], index[place]),
            cost=self._cost(place),
            constraints=tuple(self.limits.of(place)),
            on_frontier=place in front,
            dominated_by=None if better is None else self.designs[better].name,
            dominated_in=None if better is None else self._dominated_in(place, better),
            routing=design.routing,
            lacks=self.lacks.own.get(design.name, ()),
            best_share=float(share[place]) if self.prepared.quantities else None,
            kept_share=float(self.field.kept[:, place].mean())
            if self.prepared.quantities
            else None,
        )

    def _dominated_in(self, place: int, better: int) -> float | None:
        if not self.prepared.quantities:
            return None
        worlds = self.worlds
        cheaper = worlds.prices[:, better] <= worlds.prices[:, place]
        return float((cheaper & (worlds.index[:, better] <= worlds.index[:, place])).mean())

    def _time(self, place: int, column: int) -> WorkloadTime:
        drawn = np.exp(self.worlds.log_times[:, place, column])
        middle = float(np.exp(self.middle.log_times[0, place, column]))
        error = float(self.model.response.errors[place, column])
        latency = float(self.model.response.latency[place, column])
        name = self.prepared.workloads[column].name
        return WorkloadTime(name, _interval(drawn, middle), error, latency)

    def _cost(self, place: int) -> DesignCost | None:
        bill = self.designs[place].bill
        if bill is None:
            return None
        return DesignCost(
            currency=bill.currency,
            year=bill.year,
            network=bill.network,
            cluster=bill.total if bill.nodes is not None else None,
            share=bill.share,
            counted=_interval(self.worlds.prices[:, place], self.middle.prices[0, place]),
            items=tuple(
                CostItem(one.name, one.kind, one.total, one.of_nodes) for one in bill.items
            ),
            not_priced=bill.not_priced,
        )

    def _sensitivity(self, chosen: int) -> list[Sensitivity]:
        """The effect of each quantity at its ends, first the one that changes the chosen design's loss most."""
        quantities = self.prepared.quantities
        if not quantities:
            return []
        matrix = np.repeat(self.model.medians[np.newaxis], 2 * len(quantities), axis=0)
        for place, one in enumerate(quantities):
            matrix[2 * place : 2 * place + 2, place] = one.low, one.high
        ends = self._ends(self.model.at(matrix), chosen, quantities)
        found = [self._of_quantity(one, *ends[at]) for at, one in enumerate(quantities)]
        return sorted(found, key=lambda one: -abs(np.log(one.high.loss / one.low.loss)))

    def _ends(
        self, worlds: Worlds, chosen: int, quantities: Sequence[UncertainQuantity]
    ) -> list[tuple[End, End]]:
        losses = worlds.losses(self.by)
        middle = self.middle.losses(self.by)[0, chosen]
        best = self.allowed[losses[:, self.allowed].argmin(axis=1)]
        ends = [
            End(value, float(losses[row, chosen] / middle), self.designs[best[row]].name)
            for row, value in enumerate(
                value for one in quantities for value in (one.shown[0], one.shown[2])
            )
        ]
        return list(zip(ends[::2], ends[1::2], strict=True))

    def _of_quantity(self, one: UncertainQuantity, low: End, high: End) -> Sensitivity:
        left = regret_when_known(self.field, one.draws)
        return Sensitivity(one.name, one.kind, one.shown[1], low, high, left, one.learn)

    def _notes(self) -> list[str]:
        """Notes on what a reader would not expect."""
        notes = [routings(self.designs)]
        if names := list(without_price(self.designs)):
            notes.append(f"without a price, so not compared by cost: {', '.join(names[:5])}")
        if self.lacks.common:
            notes.append(f"without a price in all designs: {', '.join(self.lacks.common)}")
        sizes = {one.hosts for one in self.designs}
        if max(sizes) > 1.1 * self.prepared.hosts and not self.is_per_host:
            notes.append(
                f"designs have {min(sizes):,} to {max(sizes):,} hosts: workloads run on the first "
                f"{self.prepared.hosts:,} of each, and prices are of all (generators take hosts=N; "
                'decision.each = "host" compares prices for each host)'
            )
        error = float(self.model.response.errors.max())
        if error > 0.02:
            notes.append(
                f"some phases stand for all, with standard errors up to {error:.1%}, which know nothing of rare phases "
                "that last much longer: `phases` has more simulated"
            )
        return notes


def _interval(drawn: Floats, middle: float) -> Interval:
    low, high = np.quantile(drawn, [0.05, 0.95])
    return Interval(float(middle), min(float(low), float(middle)), max(float(high), float(middle)))


def _learn_first(found: Sequence[Sensitivity], regret: float) -> Sensitivity | None:
    """The quantity whose knowledge leaves the least regret, if that is much less; else None."""
    best = min(found, key=lambda one: one.regret_when_known, default=None)
    return best if best and best.regret_when_known < 0.9 * regret else None


def _verdict(
    choice: DesignChoice | None, regret: float | None, bearable: float, wanted: float
) -> Verdict:
    if choice is None:
        return "none"
    if regret is None:
        return "unweighed"
    is_sure = regret <= bearable and choice.kept_share >= wanted
    return "decided" if is_sure else "undecided"
