"""The interface of a kind of results, which all layers use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Generic, Protocol, TypeVar

from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta


class OfStep(Protocol):
    """A result of a step of the plan."""

    @property
    def step(self) -> int:
        """The index of the step, from 0."""


R = TypeVar("R", bound=OfStep)


def step_name(one: OfStep, meta: RunMeta) -> str:
    """The name of a result's step."""
    return meta.plan.steps[one.step].name


@dataclass(frozen=True)
class ResultKind(Generic[R]):
    """A kind of results: `name` is its key in `weft show --json`, `title` the heading of its section on a page.

    `results` are in the order of the steps. `clause` summarises the results of one name as a clause. `tables` gives all
    tables by their names in `run.tables`; the first has a row for each result, without a column for the step.
    `short_table` is the terminal's table of the results of one name; if `is_record`, its single row is printed
    vertically. `also` names further tables for the terminal; `notes` are sentences below tables on a page, by name.
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
        """The results grouped by step, or by parts of it with names of their own."""
        found = groupby(results, lambda one: self.name_of(one, meta))
        return [(name, list(several)) for name, several in found]

    def short_tables(self, results: Sequence[R], meta: RunMeta) -> list[ResultTable]:
        """The tables that a terminal shows."""
        found = [
            self.short_table(name, several, meta) for name, several in self.named(results, meta)
        ]
        tables = self.tables(results, meta) if self.also else {}
        return [*found, *(tables[name] for name in self.also if tables[name].rows)]

    def to_json(self, results: Sequence[R]) -> dict[str, Sequence[object]]:
        """The entries of `weft show --json`, by key."""
        return self.document(results) if self.document else {self.name: results}
