"""The interface of a kind of results, which all layers use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.kinds.kernel_time import KernelTime


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


def by_name(results: Sequence[S], meta: RunMeta, name_of: Callable[[S, RunMeta], str]) -> Named[S]:
    """Adjacent results of the same step and name, grouped."""
    groups = groupby(results, lambda one: (one.step, name_of(one, meta)))
    return [(name, list(own)) for (_, name), own in groups]


by_step: Callable[[Sequence[Any], RunMeta], Named[Any]] = partial(by_name, name_of=step_name)
"""The results grouped by step, with its name."""


@dataclass(frozen=True)
class ResultKind(Generic[R]):
    """`name` is its key in `weft show --json`, `title` that of its section on a page.

    `results` are in the order of the steps; `clause` says in a part of a sentence what those of one name came to,
    whose subject is the nodes or `subject`; `details` are sentences below it.
    `tables` are all of them by the names of `run.tables`; the first has a row for each result and none for its step.
    `short_tables` are for a terminal, of those of one name; their one row is written downwards if it `is_record`.
    `also` names tables that a terminal shows below, `notes` are sentences under the tables on a page, by their names,
    and `explained` is one more in HTML about its terms. `folded` says what rows are called where a page folds the
    tables of each name instead of joining them. `has_colour`: figures have a line for each name. `of_run`: they
    are of a whole run, so that no step has a verdict by them. `figures` names a function that draws all steps of a
    page, `module:function`, since drawing takes long to import; it also takes the labels that have colours.
    `is_general`: of a step of which another kind has results, that one's verdict and section stand alone.
    `kernels` are the times that predictions give for all steps with results; without it they take those of messages.
    """

    name: str
    title: str
    results: Callable[[RunFolder], list[R]]
    tables: Callable[[Sequence[R], RunMeta], dict[str, ResultTable]]
    short_tables: Callable[[str, Sequence[R], RunMeta], Iterable[ResultTable]]
    named: Callable[[Sequence[R], RunMeta], Named[R]] = by_step
    clause: Callable[[Sequence[R]], str] | None = None
    subject: Callable[[RunFolder], str] | None = None
    details: Callable[[Sequence[R]], list[str]] | None = None
    is_record: bool = False
    also: Sequence[str] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    explained: str = ""
    document: Callable[[Sequence[R]], dict[str, object]] | None = None
    folded: str = ""
    has_colour: bool = False
    of_run: bool = False
    is_general: bool = False
    figures: str = ""
    kernels: Callable[[Sequence[R], RunMeta], Iterator[KernelTime]] | None = None

    def shown(self, results: Sequence[R], meta: RunMeta) -> list[ResultTable]:
        """The tables that a terminal shows."""
        named = self.named(results, meta)
        found = [one for name, own in named for one in self.short_tables(name, own, meta)]
        tables = self.tables(results, meta) if self.also else {}
        return [*found, *(tables[name] for name in self.also if tables[name].rows)]

    def to_json(self, results: Sequence[R]) -> dict[str, object]:
        """The entries of `weft show --json`, by key."""
        return self.document(results) if self.document else {self.name: results}


@dataclass(frozen=True)
class ApplicationStep:
    """One step of one run, under a label that no other has: the run's name and the step's."""

    run_name: str
    name: str
    run: RunFolder
    kind: ResultKind[Any]
    results: Sequence[Any]

    @property
    def label(self) -> str:
        """Both names, or that of the run where it is enough."""
        return " · ".join(filter(None, (self.run_name, self.name)))

    @property
    def place(self) -> tuple[int, int]:
        """Identifies the run in this process, and the step in it."""
        return id(self.run), self.results[0].step

    @property
    def clause(self) -> str:
        """What it came to, if it is said in a clause."""
        return self.kind.clause(self.results) if self.kind.clause else ""

    @property
    def details(self) -> list[str]:
        """Sentences about it."""
        return self.kind.details(self.results) if self.kind.details else []

    @property
    def tables(self) -> list[ResultTable]:
        """Those that have rows; the first has one for each result."""
        found = self.kind.tables(self.results, self.run.meta).values()
        return [one for one in found if one.rows]
