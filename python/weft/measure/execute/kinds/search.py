"""Searches: their phases are chosen while they run, by what has been measured so far."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from weft.measure.execute.adaptive import AdaptiveStep, Chooser, chosen_phases
from weft.measure.execute.kinds.kind import LaunchedStep
from weft.measure.execute.kinds.phases import EnsembleKind, begin
from weft.plan.pattern import Health, Paths, Search, Xray
from weft.plan.phases import expand
from weft.runs.folder import RunWriter

S = TypeVar("S", bound=Search, covariant=True)


class SearchKind(EnsembleKind[S]):
    """A search among all nodes that take part."""

    def nodes(self, testbed_nodes: int) -> list[int]:
        expand(self.step, testbed_nodes)  # refuses too few
        return sorted(self.step.members(testbed_nodes))

    async def carry_out(self, launched: LaunchedStep) -> None:
        logbook, writer = launched.logbook, launched.logbook.writer
        chooser = self.chooser(writer, launched.job.step_index)
        assert chooser is not None
        step = chooser.settle(writer.samples)
        writer.meta.plan = writer.meta.plan.with_step(launched.job.step_index, step)
        # The sizes that suit the network are known only now.
        launched = replace(launched, job=replace(launched.job, step=step))
        begin(launched)
        engine = self.engine(launched, is_over_mpi=step.transport == "mpi")
        wanted = set(launched.job.phases)
        left = [one for one in chosen_phases(logbook) if one.index in wanted]
        search = AdaptiveStep(
            engine, chooser, logbook, launched.progress, self.pattern.time_ns / 1e9
        )
        await search.run(launched.crew, left)
        await engine.close()


class XrayKind(SearchKind[Xray]):
    """The search for limits; in its quick form, the search for nodes that differ from the others."""

    def chooser(self, writer: RunWriter, index: int) -> Chooser:
        from weft.understand.xray.quick.search import HealthCheck
        from weft.understand.xray.search import LimitSearch

        return (HealthCheck if self.pattern.quick else LimitSearch)(writer.meta, index)


class PathsKind(SearchKind[Paths]):
    """The search for paths between leaves."""

    def chooser(self, writer: RunWriter, index: int) -> Chooser:
        from weft.understand.paths.search import PathSearch

        return PathSearch(writer.meta, index)


class HealthKind(SearchKind[Health]):
    """The search for links that fail a little."""

    def chooser(self, writer: RunWriter, index: int) -> Chooser:
        from weft.understand.grey.search import HealthSearch

        return HealthSearch(writer.meta, index, writer.stored_table)
