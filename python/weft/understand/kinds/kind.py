"""The interface of a kind of results, which all layers use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Generic, Protocol, TypeAlias, TypeVar

from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta


class OfStep(Protocol):
    """A result of a step of the plan."""

    @property
    def step(self) -> int:
        """The index of the step, from 0."""


R = TypeVar("R")
S = TypeVar("S", bound=OfStep)
Named: TypeAlias = list[tuple[str, list[R]]]
"""The results grouped by step, or by parts of it with names of their own."""


def step_name(one: OfStep, meta: RunMeta) -> str:
    """The name of a result's step."""
    return meta.plan.steps[one.step].name


def by_step(results: Sequence[S], meta: RunMeta) -> Named[S]:
    """The results grouped by step, with its name."""
    return by_name(results, meta, step_name)


def by_name(results: Sequence[S], meta: RunMeta, name_of: Callable[[S, RunMeta], str]) -> Named[S]:
    """Adjacent results of the same step and name, grouped."""
    groups = groupby(results, lambda one: (one.step, name_of(one, meta)))
    return [(name, list(own)) for (_, name), own in groups]


@dataclass(frozen=True)
class ResultKind(Generic[R]):
    """A kind of results: `name` is its key in `weft show --json`, `title` the heading of its section on a page.

    `results` are in the order of the steps; `clause` summarises the results of one name as a clause whose subject is
    the nodes or `subject`; `details` are sentences below it.
    `tables` gives all tables by their names in `run.tables`; the first has a row for each result, without its step.
    `short_tables` are the terminal's tables of the results of one name; if `is_record`, their single row is printed
    vertically. `also` names further tables for the terminal, `notes` are sentences below tables on a page, by name, and
    `explained` is one more in HTML about terms. If `folded` is set, a page collapses the tables of each name instead of
    joining them, and it is the word for rows. `has_colour`: figures have a line for each name.
    """

    name: str
    title: str
    results: Callable[[RunFolder], list[R]]
    tables: Callable[[Sequence[R], RunMeta], dict[str, ResultTable]]
    short_tables: Callable[[str, Sequence[R], RunMeta], Iterable[ResultTable]]
    named: Callable[[Sequence[R], RunMeta], Named[R]]
    clause: Callable[[Sequence[R]], str] | None = None
    subject: Callable[[RunFolder], str] | None = None
    details: Callable[[Sequence[R]], list[str]] | None = None
    is_record: bool = False
    also: Sequence[str] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    explained: str = ""
    document: Callable[[Sequence[R]], dict[str, Sequence[object]]] | None = None
    folded: str = ""
    has_colour: bool = False

    def shown(self, results: Sequence[R], meta: RunMeta) -> list[ResultTable]:
        """The tables that a terminal shows."""
        named = self.named(results, meta)
        found = [one for name, own in named for one in self.short_tables(name, own, meta)]
        tables = self.tables(results, meta) if self.also else {}
        return [*found, *(tables[name] for name in self.also if tables[name].rows)]

    def to_json(self, results: Sequence[R]) -> dict[str, Sequence[object]]:
        """The entries of `weft show --json`, by key."""
        return self.document(results) if self.document else {self.name: results}
