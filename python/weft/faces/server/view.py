"""The state of one run, updated with as little work as its new samples need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.base.statistics import Floats
from weft.faces.server.content import Document, matrix_document
from weft.faces.server.folders import read_meta
from weft.faces.server.search_document import xray_document
from weft.plan.pattern import ManyNodes
from weft.runs.folder import RunFolder, check_positions
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA
from weft.runs.tail import SamplesTail
from weft.understand.curve.curve import (
    Ints,
    PairBatches,
    SizeTimes,
    curve_of,
    group_slices,
    reduction_of,
)
from weft.understand.curve.points import CurvePoint, curve_points

Key = tuple[int, int]
"""Step and size in bytes."""


@dataclass
class _Times:
    """All batches of one step and size, 12 bytes each."""

    phase: int
    launch: list[Ints]
    time_us: list[Floats]

    def sorted(self) -> tuple[Ints, Floats]:
        """The launch and the time of each batch, by launch, then time."""
        launch, time_us = np.concatenate(self.launch), np.concatenate(self.time_us)
        self.launch, self.time_us = [launch], [time_us]
        order = np.lexsort((time_us, launch))
        return launch[order].astype(np.int64), time_us[order]


class RunView:
    """The points of a run's curves, and the samples of its steps between many nodes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.meta: RunMeta = read_meta(directory)
        self._tail = SamplesTail(directory)
        self._forget()

    def _forget(self) -> None:
        self.rows = 0
        self._times: dict[Key, _Times] = {}
        self._sizes: dict[Key, SizeTimes] = {}
        self._points: dict[int, list[CurvePoint]] = {}
        self._many: list[pa.Table] = []
        self._matrix: Document | None = None
        self._xray: tuple[bool, Document | None] | None = None

    def refresh(self) -> None:
        """Read what is new on disk; raises RequestError, FileNotFoundError."""
        # Read before the samples, because it is written before them.
        meta = read_meta(self.directory)
        if meta is not self.meta:
            self.meta, self._matrix, self._xray = meta, None, None
        is_other, tables = self._tail.read()
        if is_other:
            self._forget()
        changed: set[Key] = set()
        for table in tables:
            check_positions(self.directory, table, self.meta)
            changed |= self._add(RunFolder(self.directory, self.meta, table))
        self._work_out(changed)

    @property
    def points(self) -> list[CurvePoint]:
        """By step, then size."""
        return [point for step in sorted(self._points) for point in self._points[step]]

    @property
    def matrix(self) -> Document:
        """The matrices of the steps between many nodes."""
        if self._matrix is None:
            self._matrix = matrix_document(self._between_many())
        return self._matrix

    def xray(self, is_over: bool) -> Document | None:
        """The results of the search for limits so far; None if there is no search."""
        if self._xray is None or self._xray[0] != is_over:
            self._xray = is_over, xray_document(self._between_many(), is_over)
        return self._xray[1]

    def _between_many(self) -> RunFolder:
        """The run with only its steps between many nodes."""
        self._many = [pa.concat_tables([SCHEMA.empty_table(), *self._many]).combine_chunks()]
        return RunFolder(self.directory, self.meta, self._many[0])

    def _add(self, part: RunFolder) -> set[Key]:
        self.rows += part.samples.num_rows
        many = [index for index, *_ in self.meta.plan.steps_of(ManyNodes)]
        of_many = np.isin(part.samples["step"].to_numpy(), many)
        if of_many.any():
            self._many.append(part.samples.filter(of_many))
            self._matrix = self._xray = None
        batches = PairBatches.of(part)
        found = map(batches.where, group_slices(batches.step, batches.size))
        return {self._add_size(one) for one in found if len(one.step)}

    def _add_size(self, batches: PairBatches) -> Key:
        key = int(batches.step[0]), int(batches.size[0])
        times = self._times.setdefault(key, _Times(int(batches.phase[0]), [], []))
        times.launch.append(batches.launch.astype(np.int32))
        times.time_us.append(batches.time_us)
        return key

    def _work_out(self, changed: set[Key]) -> None:
        reduction = reduction_of(RunFolder(self.directory, self.meta, SCHEMA.empty_table()))
        for key in changed:
            times = self._times[key]
            self._sizes[key] = SizeTimes.of(key[1], times.phase, *times.sorted(), reduction)
        for step in {step for step, _ in changed}:
            mine = [self._sizes[key] for key in sorted(self._sizes) if key[0] == step]
            self._points[step] = curve_points(curve_of(step, self.meta.plan.steps[step], mine))
