"""A cast of a file along a chain of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.measure.execute.file_cast.settle import settle_file_cast
from weft.measure.execute.file_cast.step import run_file_cast
from weft.measure.execute.kinds.kind import LaunchedStep
from weft.measure.execute.kinds.phases import PhasesKind
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Cast, CastFile
from weft.plan.plan import Step


class CastKind(PhasesKind[Cast]):
    """A cast of synthetic bytes."""


class FileCastKind(CastKind):
    """A cast of a file, which nodes read and write."""

    def with_files(self, testbed: Testbed, out: Path | None) -> Step:
        return settle_file_cast(self.step, self.pattern, self._file, testbed, out)

    @property
    def _file(self) -> CastFile:
        assert self.pattern.file
        return self.pattern.file

    def side_effects(self) -> Iterator[str]:
        over = ", over what is there," if self._file.overwrite else ""
        yield f"copy {self._file.path} to {self._file.to}{over}"

    async def carry_out(self, launched: LaunchedStep) -> None:
        await run_file_cast(launched.crew, launched.job, launched.logbook)
