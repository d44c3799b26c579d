"""Steps prepared for figures: under an application's load, of several pairs, inside nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.base.errors import RequestError
from weft.base.quantity import format_bytes, format_mbps, format_us, significant
from weft.network.model.laws import Laws
from weft.network.model.laws_fit import fit_laws
from weft.runs.folder import RunFolder
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points
from weft.understand.multi_pair.pair_order import latency_orders, pair_orders
from weft.understand.node.applications import LoadedPoint, loaded_points
from weft.understand.node.gamma_runs import sweep_of_runs
from weft.understand.node.occupation import Budget, Busy, budgets, occupation
from weft.understand.node.p_over_gamma import p_over_gamma_text
from weft.understand.node.web import WebPoint, web_points
from weft.understand.report.table import PageTable
from weft.understand.tables.loads import loads_table, processors_table
from weft.understand.tables.pairs import pairs_table
from weft.understand.tables.web import page_costs_table, web_table

_ROUNDING = 1e-9


@dataclass(frozen=True)
class LoadStep:
    """One size of one step under its loads; `loaded` or `web` is empty."""

    label: str
    run: RunFolder
    size_bytes: int
    loaded: Sequence[LoadedPoint]
    web: Sequence[WebPoint]

    @property
    def findings(self) -> str:
        """The results as a clause."""
        if self.web:
            return _web_findings(self.web)
        said = p_over_gamma_text(self.loaded)
        found = _loaded_findings(self.loaded) + _gain_findings(self.loaded, self.offloads)
        return f"{found}; {said}" if said else found

    @property
    def offloads(self) -> bool:
        """Whether any work runs outside the application's processor."""
        return any(abs(one.gain) > _ROUNDING for one in self.loaded)

    @cached_property
    def fitted(self) -> list[tuple[float, float]]:
        """Gammas with the throughput in Mb/s of LAWS fitted to the measurement; empty if simulated or without a fit."""
        if not (self.loaded and self.loaded[0].live):
            return []
        try:
            found = fit_laws(sweep_of_runs([self.run], self.size_bytes).points, {})
        except RequestError:
            return []
        if not isinstance(found.model, Laws):
            return []
        rates = found.values["link_mbps"] * found.model.after(
            [one.gamma_done for one in self.loaded]
        )
        return list(zip([one.gamma for one in self.loaded], rates.tolist(), strict=True))

    @property
    def tables(self) -> list[PageTable]:
        """All points, then the processor time if it was measured."""
        found = (
            (web_table(self.web), page_costs_table(self.web))
            if self.web
            else (loads_table(self.loaded), processors_table(self.loaded))
        )
        return [PageTable.of(one) for one in found if one.rows]


def load_steps_of(names: Sequence[str], runs: Sequence[RunFolder]) -> list[LoadStep]:
    """The load steps of all runs, in their order."""
    return [one for name, run in zip(names, runs, strict=True) for one in _of_run(name, run)]


def _of_run(name: str, run: RunFolder) -> Iterator[LoadStep]:
    loaded, web = loaded_points(run), web_points(run, occupation(run))
    keys = [(one.step, one.size_bytes) for one in loaded]
    keys += [(one.step, one.page_bytes) for one in web]
    for step, size_bytes in dict.fromkeys(keys):
        label = name
        if len(set(keys)) > 1:
            label += f" · {run.meta.plan.steps[step].name} {format_bytes(size_bytes)}"
        key = (step, size_bytes)
        yield LoadStep(
            label,
            run,
            size_bytes,
            [one for one in loaded if (one.step, one.size_bytes) == key],
            [one for one in web if (one.step, one.page_bytes) == key],
        )


def _loaded_findings(points: Sequence[LoadedPoint]) -> str:
    first, last = points[0], points[-1]
    found = f"messages of {format_bytes(first.size_bytes)}: "
    found += f"{format_mbps(first.throughput_mbps)} at gamma {first.gamma:g}"
    if len(points) > 1:
        found += f", {format_mbps(last.throughput_mbps)} at gamma {last.gamma:g}"
    return found


def _gain_findings(points: Sequence[LoadedPoint], offloads: bool) -> str:
    if not offloads:
        return "; nothing is offloaded"
    best = max(points, key=lambda one: one.gain)
    bound = max(points, key=lambda one: one.laws_gain)
    return (
        f"; offload gains most at gamma {best.gamma:g}: {best.gain:+.1%}, "
        f"by LAWS at most {bound.laws_gain:+.1%} at {bound.gamma:g}"
    )


def _web_findings(points: Sequence[WebPoint]) -> str:
    most = max(points, key=lambda one: one.pages_per_s)
    last = points[-1]
    return (
        f"pages of {format_bytes(last.page_bytes)}: up to {significant(most.pages_per_s, 3)} pages/s with "
        f"{most.users} users; {last.users} users wait {format_us(last.response_us)}"
    )


@dataclass(frozen=True)
class PairStep:
    """One test of one run; `label` is the run's name."""

    label: str
    run: RunFolder
    test: str
    points: Sequence[MultiPairPoint]

    @property
    def table(self) -> PageTable:
        """All sizes of all arrangements."""
        return PageTable.of(pairs_table(self.points))

    @property
    def findings(self) -> list[str]:
        """The policies in order, for each number of pairs."""
        if self.test == "latency":
            return latency_orders(self.points)
        return [order.text for order in pair_orders(self.points)]


def pair_steps_of(names: Sequence[str], runs: Sequence[RunFolder]) -> list[PairStep]:
    """The steps of several pairs of all runs, in their order."""
    return [one for name, run in zip(names, runs, strict=True) for one in _pairs_of_run(name, run)]


def _pairs_of_run(name: str, run: RunFolder) -> Iterator[PairStep]:
    points = multi_pair_points(run)
    for step in dict.fromkeys(point.step for point in points):
        mine = [point for point in points if point.step == step]
        yield PairStep(name, run, mine[0].test, mine)


@dataclass(frozen=True)
class Inside:
    """A run on node:MACHINE; each of its steps is drawn separately."""

    label: str
    run: RunFolder

    @cached_property
    def busy(self) -> list[Busy]:
        """Occupation by step, size, node and part."""
        return occupation(self.run)

    @cached_property
    def budgets(self) -> list[Budget]:
        """Budgets of ping-pongs by step and size."""
        return budgets(self.run)

    @cached_property
    def steps(self) -> list[int]:
        """The steps that have each size once, not under several loads."""
        phases = {(busy.step, busy.phase): busy.size_bytes for busy in self.busy}
        often = Counter((step, size_bytes) for (step, _), size_bytes in phases.items())
        steps = {step for step, _ in phases}
        return sorted(steps - {step for (step, _), count in often.items() if count > 1})

    def label_of(self, step: int) -> str:
        """The label of a step: the run's label, with the name of the step if there are several."""
        plan_steps = [one.name for one in self.run.meta.plan.steps]
        if len(self.steps) == 1:
            return self.label
        numbered = f" ({step + 1})" if plan_steps.count(plan_steps[step]) > 1 else ""
        return f"{self.label} · {plan_steps[step]}{numbered}"


def insides_of(names: Sequence[str], runs: Sequence[RunFolder]) -> list[Inside]:
    """The runs that record the insides of their nodes."""
    found = [Inside(name, run) for name, run in zip(names, runs, strict=True)]
    return [one for one in found if one.steps]
