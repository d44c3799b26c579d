"""A victim measured alone, and beside each of several congestors."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from weft import _core
from weft.measure.execute.kinds.program import ProgramKind
from weft.measure.execute.logbook import Logbook
from weft.measure.testbed.base import Node
from weft.plan.pattern import Interference
from weft.plan.plan import Step, to_json
from weft.runs.columns.tables import LAPS_NAME
from weft.understand.kinds.interference.notes import notes


class InterferenceKind(ProgramKind[Interference]):
    """Two groups of nodes."""

    def check_nodes(self, nodes: Sequence[Node], dead: Collection[int] = ()) -> None:
        """Also refuse a program that is too large."""
        super().check_nodes(nodes, dead)
        last = len(self.pattern.congestors)
        _core.Program.of_step(to_json(self.step), last, len(nodes))

    def without_repetition(self) -> Step:
        """The step with one round."""
        return replace(self.step, pattern=replace(self.pattern, rounds=1))

    def finish(self, logbook: Logbook) -> None:
        laps = logbook.writer.stored_table(LAPS_NAME)
        for one in notes(logbook.meta, laps, logbook.step, self.pattern):
            logbook.meta.warn(one.code, one.message, one.hint)
        super().finish(logbook)
