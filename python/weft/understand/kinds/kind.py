"""A kind of results, as every layer asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Generic, Protocol, TypeVar

from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta


class OfStep(Protocol):
    """What a result has at least: which step of the plan it is of."""

    @property
    def step(self) -> int:
        """From 0."""


R = TypeVar("R", bound=OfStep)


def step_name(one: OfStep, meta: RunMeta) -> str:
    """The name of a result's step."""
    return meta.plan.steps[one.step].name


@dataclass(frozen=True)
class ResultKind(Generic[R]):
    """`name` is its key in `weft show --json`, `title` that of its section on a page.

    `results` are in the order of the steps; `clause` says in a part of a sentence what those of one name came to.
    `tables` are all of them by the names of `run.tables`; the first has a row for each result and none for its step.
    `short_table` is for a terminal, of those of one name; its one row is written downwards if it `is_record`. `also`
    names tables that a terminal shows below, `notes` are sentences under the tables on a page, by their names.
    """

    name: str
    title: str
    results: Callable[[RunFolder], list[R]]
    clause: Callable[[Sequence[R]], str]
    tables: Callable[[Sequence[R], RunMeta], dict[str, ResultTable]]
    short_table: Callable[[str, Sequence[R], RunMeta], ResultTable]
    is_record: bool = False
    also: Sequence[str] = ()
    name_of: Callable[[R, RunMeta], str] = step_name
    notes: Mapping[str, str] = field(default_factory=dict)
    document: Callable[[Sequence[R]], dict[str, Sequence[object]]] | None = None

    def named(self, results: Sequence[R], meta: RunMeta) -> list[tuple[str, list[R]]]:
        """The results of each step, or of each part of it that has a name of its own."""
        found = groupby(results, lambda one: self.name_of(one, meta))
        return [(name, list(several)) for name, several in found]

    def short_tables(self, results: Sequence[R], meta: RunMeta) -> list[ResultTable]:
        """What a terminal shows of them."""
        found = [
            self.short_table(name, several, meta) for name, several in self.named(results, meta)
        ]
        tables = self.tables(results, meta) if self.also else {}
        return [*found, *(tables[name] for name in self.also if tables[name].rows)]

    def to_json(self, results: Sequence[R]) -> dict[str, Sequence[object]]:
        """What `weft show --json` has of them, by key."""
        return self.document(results) if self.document else {self.name: results}
