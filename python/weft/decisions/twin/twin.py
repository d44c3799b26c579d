"""A twin: a fabric file, and beside it what is known of each of its numbers. twin.json has the latter."""

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
from weft.simulation.prediction.predict import Drawn

SCHEMA = "weft-twin/1"
ERROR_UNKNOWN = "error-unknown"
FABRIC_NAME = "fabric.toml"


class TwinParameter(Struct, frozen=True):
    """A number of the twin: `places` are where it stands in fabric.toml, or ("model", key). `is_identified` says
    whether the measurements fix it, and `why` by what, or why not. `draws` are values that fit as well."""

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
    """A pattern that was predicted from all others: the middle error of its phases, signed, as a share (0.04: measured
    is 4 % more than predicted), of their rate and of their time, and whether the 90 % intervals that the other patterns
    give hold the middle phase; None where these are too few to give one."""

    pattern: str
    phases: int
    rate_error: float
    time_error: float
    rate_held: bool | None
    time_held: bool | None


class TwinSource(Struct, frozen=True):
    """A run that the twin was made of: where it was, a digest of its samples, and how much it was."""

    path: str
    plan: str
    digest: str
    launches: int
    phases: int
    warnings: list[str]


class HostAssumption(Struct, frozen=True):
    """An assumption about hosts, and minus the logarithm of how likely it makes the data, but for a constant."""

    key: str
    value: str
    cost: float


class TwinDocument(Struct, frozen=True):
    """What twin.json holds. `discrepancy` and `rate_discrepancy` are as
    `weft.simulation.prediction.draws.Draws` has them;
    `fitted` are digests of the steps that the fit has seen. `warnings` say all that is to be known, those of its runs
    and its own with a code (`run_warnings`) included."""

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
        """Why its runs may have measured something else than the network."""
        return doubts(self.run_warnings)

    @property
    def is_error_known(self) -> bool:
        """Whether enough patterns were left out to say how far a further one is off."""
        return bool(self.discrepancy)

    @property
    def draws(self) -> int:
        """How many networks stand for what is not known."""
        return len(self.parameters[0].draws) if self.parameters else 0

    @property
    def rate_error(self) -> float:
        """The median over patterns that were left out of how far off their rates were, as a share."""
        return _middle(abs(one.rate_error) for one in self.held_out)

    @property
    def time_error(self) -> float:
        """The same of times."""
        return _middle(abs(one.time_error) for one in self.held_out)

    @property
    def verdict(self) -> str:
        """How far the twin can be trusted, in a sentence with its doubts."""
        return in_doubt(self.plain_verdict, self.doubts)

    @property
    def plain_verdict(self) -> str:
        """Without its doubts."""
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
        """The steps of a plan that the twin was fitted to."""
        seen = set(self.fitted)
        return [step.name for step in plan.steps if step_digest(step) in seen]

    def draws_of(self, document: FabricDocument) -> Draws:
        """Its networks."""
        drawn = tuple(self._drawn(document, at) for at in range(self.draws))
        middle = Drawn(document, self.model)
        return Draws(middle, drawn, tuple(self.discrepancy), tuple(self.rate_discrepancy))

    def _drawn(self, document: FabricDocument, at: int) -> Drawn:
        changed = [
            ([_place(place) for place in one.places], one.unit, one.draws[at])
            for one in self.parameters
            if one.low < one.high
        ]
        return Drawn(with_values(document, changed), self.model | self._model_at(at))

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
    """Of what a step sends, whatever it is called and however long it is measured."""
    what = to_json([step.pattern, step.sizes, step.transport])
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def text_digest(text: str) -> str:
    """Of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_twin(folder: Path, twin: TwinDocument, fabric_text: str) -> None:
    """Both files; raises RequestError where something else is there, WorkError when the disk refuses them."""
    refuse_other(folder)
    with fresh_folder(folder):
        write(folder / FABRIC_NAME, fabric_text.encode())
        TWIN.write(folder, twin)


def refuse_other(folder: Path) -> None:
    """Raise RequestError where a twin would be written over what is none."""
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"{folder}: not a folder", "choose another --out")
    there = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if there and TWIN.name not in there:
        raise RequestError(f"{folder}: already has something else in it", "choose another --out")


def read_twin(folder: Path) -> tuple[TwinDocument, FabricDocument]:
    """A twin and its fabric; raises RequestError where it is none, or its fabric was changed since."""
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
