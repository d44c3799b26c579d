"""The tasks of a sweep in chunks, the units of work; an interruption loses at most the unfinished chunks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from weft.base.errors import RequestError
from weft.simulation.sweep.row import SweepRow
from weft.simulation.sweep.task import Task, run_task

MOST_TASKS = 100_000


class Chunk(Struct, frozen=True):
    """The tasks of one network; `index` is its position in the work list."""

    index: int
    tasks: tuple[Task, ...]


class WorkList(Struct, frozen=True):
    """All tasks; those of a network are adjacent, so that it is built only once."""

    tasks: tuple[Task, ...]

    @property
    def chunks(self) -> list[Chunk]:
        """The tasks grouped by network."""
        groups = groupby(self.tasks, key=lambda task: task.network)
        return [Chunk(index, tuple(tasks)) for index, (_, tasks) in enumerate(groups)]

    def chunk(self, index: int) -> Chunk:
        """A chunk by its index; raises RequestError if the index is out of range."""
        chunks = self.chunks
        if not 0 <= index < len(chunks):
            raise RequestError(
                f"chunk {index}: there are {len(chunks)} of them", f"from 0 to {len(chunks) - 1}"
            )
        return chunks[index]


def run_chunk(chunk: Chunk) -> list[SweepRow]:
    """The rows of all tasks of a chunk. Executors call this function; the chunk contains all that it needs."""
    return [row for task in chunk.tasks for row in run_task(task)]


def encoded(work: WorkList) -> bytes:
    """The work list as JSON."""
    return msgspec.json.encode(work)


def ordered(rows: Sequence[SweepRow], work: WorkList) -> list[SweepRow]:
    """The rows of a work list's tasks in its order, without duplicates, so that the table does not depend on where they
    were computed."""
    by_task: dict[str, dict[tuple[str, int, int], SweepRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, {})[row.step, row.size_bytes, row.point] = row
    keys = dict.fromkeys(task.key for task in work.tasks)
    return [row for key in keys for row in by_task.get(key, {}).values()]
