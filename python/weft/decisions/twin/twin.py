"""A twin: a fabric file, and twin.json with what is known about each of its numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from weft.base import catalog
from weft.base.errors import RequestError
from weft.decisions.twin.draft import MODEL, Place, with_values
from weft.network.fabrics.document import FabricDocument
from weft.plan.plan import Plan, Step, to_json
from weft.runs.run_warnings import RunWarning, doubts, in_doubt
from weft.runs.work_document import WorkDocument, fresh_folder, write
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.predict import NetworkDraw

SCHEMA = "weft-twin/1"
ERROR_UNKNOWN = "error-unknown"
FABRIC_NAME = "fabric.toml"


class TwinParameter(Struct, frozen=True):
    """A number of the twin: `places` are its places in fabric.toml, or ("model", key). `is_identified` says whether the
    measurements determine it, and `why` how, or why not. `draws` are values that fit as well."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    is_identified: bool
    why: str
    places: list[list[str | int]]
    draws: list[float]


class HeldOut(Struct, frozen=True):
    """A pattern predicted from all others: the signed median error of its phases as a share (0.04: measured is 4 % more
    than predicted), in rate and in time, and whether the 90 % intervals from the other patterns contain the median
    phase; None if these are too few."""

    pattern: str
    phases: int
    rate_error: float
    time_error: float
    rate_held: bool | None
    time_held: bool | None


class TwinSource(Struct, frozen=True):
    """A run from which the twin was made: its folder, a digest of its samples, and its extent."""

    path: str
    plan: str
    digest: str
    launches: int
    phases: int
    warnings: list[str]


class HostAssumption(Struct, frozen=True):
    """An assumption about hosts, and the negative log-likelihood of the data under it, up to a constant."""

    key: str
    value: str
    cost: float


class TwinDocument(Struct, frozen=True):
    """The content of twin.json. `discrepancy` and `rate_discrepancy` are as in
    `weft.simulation.prediction.draws.Draws`; `fitted` are digests of the steps used for the fit. `warnings` state
    everything that users should know, including its runs' and its own with a code (`run_warnings`)."""

    schema: str
    name: str
    testbed: str
    scale: float
    nodes: list[str]
    fabric_digest: str
    model: dict[str, float | int | str]
    parameters: list[TwinParameter]
    held_out: list[HeldOut]
    discrepancy: list[float]
    rate_discrepancy: list[float]
    sources: list[TwinSource]
    fitted: list[str]
    alternatives: list[HostAssumption]
    warnings: list[str]
    run_warnings: list[RunWarning] = []

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why its runs may have measured something other than the network."""
        return doubts(self.run_warnings)

    @property
    def is_error_known(self) -> bool:
        """Whether enough patterns were left out to know the error for a further one."""
        return bool(self.discrepancy)

    @property
    def draws(self) -> int:
        """How many networks represent the uncertainty."""
        return len(self.parameters[0].draws) if self.parameters else 0

    @property
    def rate_error(self) -> float:
        """The median absolute error of rates, as a share, over patterns that were left out."""
        return _middle(abs(one.rate_error) for one in self.held_out)

    @property
    def time_error(self) -> float:
        """The median absolute error of times, as a share, over patterns that were left out."""
        return _middle(abs(one.time_error) for one in self.held_out)

    @property
    def verdict(self) -> str:
        """How far the twin can be trusted, in a sentence with its doubts."""
        return in_doubt(self.plain_verdict, self.doubts)

    @property
    def plain_verdict(self) -> str:
        """The verdict without its doubts."""
        count = len(self.held_out)
        if not count:
            return "nothing could be left out, so nothing says how well it predicts"
        patterns = "1 pattern" if count == 1 else f"{count} patterns"
        error = f"error of rates {100 * self.rate_error:.1f} % in the median over {patterns} that it never saw"
        judged = [one.rate_held for one in self.held_out if one.rate_held is not None]
        if not judged:
            return f"{error}, too few to hold an interval against"
        return f"{error}; its 90 % intervals held {sum(judged)} of {len(judged)}"

    def in_sample(self, plan: Plan) -> list[str]:
        """The steps of a plan to which the twin was fitted."""
        seen = set(self.fitted)
        return [step.name for step in plan.steps if step_digest(step) in seen]

    def draws_of(self, document: FabricDocument) -> Draws:
        """Its networks."""
        drawn = tuple(self._drawn(document, at) for at in range(self.draws))
        middle = NetworkDraw(document, self.model)
        return Draws(middle, drawn, tuple(self.discrepancy), tuple(self.rate_discrepancy))

    def _drawn(self, document: FabricDocument, at: int) -> NetworkDraw:
        changed = [
            ([_place(place) for place in one.places], one.unit, one.draws[at])
            for one in self.parameters
            if one.low < one.high
        ]
        return NetworkDraw(with_values(document, changed), self.model | self._model_at(at))

    def _model_at(self, at: int) -> dict[str, float]:
        return {
            str(place[1]): one.draws[at] / _PER_S[one.unit]
            for one in self.parameters
            for place in one.places
            if place[0] == MODEL
        }


TWIN = WorkDocument("twin.json", TwinDocument, "weft twin", SCHEMA)
_PER_S = {"us": 1e6}


def step_digest(step: Step) -> str:
    """A digest of what a step sends, independent of its name and duration."""
    what = to_json([step.pattern, step.sizes, step.transport])
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def text_digest(text: str) -> str:
    """A digest of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_twin(folder: Path, twin: TwinDocument, fabric_text: str) -> None:
    """Write both files; raises RequestError if something else is there, WorkError if writing fails."""
    refuse_other(folder)
    with fresh_folder(folder):
        write(folder / FABRIC_NAME, fabric_text.encode())
        TWIN.write(folder, twin)


def refuse_other(folder: Path) -> None:
    """Raise RequestError if a twin would overwrite something else."""
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"{folder}: not a folder", "choose another --out")
    there = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if there and TWIN.name not in there:
        raise RequestError(f"{folder}: already has something else in it", "choose another --out")


def read_twin(folder: Path) -> tuple[TwinDocument, FabricDocument]:
    """A twin and its fabric; raises RequestError if it is not a twin, or its fabric was changed since."""
    twin, path = TWIN.read(folder), folder / TWIN.name
    if {len(one.draws) for one in twin.parameters} - {twin.draws}:
        raise RequestError(
            f"{path}: damaged: its parameters have not all as many draws", "make it again"
        )
    if text_digest(catalog.read(folder / FABRIC_NAME)) != twin.fabric_digest:
        raise RequestError(
            f"{folder / FABRIC_NAME}: was changed since the fit, so that {TWIN.name} does not belong to it",
            f"use it as a fabric, {folder / FABRIC_NAME}, or make the twin again",
        )
    return twin, FabricDocument.read(folder / FABRIC_NAME)


def _middle(values: Iterable[float]) -> float:
    found = sorted(values)
    return found[len(found) // 2] if found else float("nan")


def _place(place: list[str | int]) -> Place:
    return tuple(place)
