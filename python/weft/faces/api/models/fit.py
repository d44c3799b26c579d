"""Models fitted to runs, and their predictions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.base.catalog import known_names
from weft.base.errors import ArgumentError, RequestError
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said, shown
from weft.faces.api.public.function import public
from weft.faces.api.run import Run
from weft.network.model.estimate import Estimate, FittedModel, residuals_table
from weft.network.model.gamma_points import read_gamma_points
from weft.network.model.laws_fit import fit_laws, fit_laws_modified
from weft.network.model.misfit import misfit_lines
from weft.runs.folder import RunFolder as StoredRun
from weft.runs.meta import RunMeta
from weft.understand.curve import hockney_fit
from weft.understand.host.disturbed import not_usable
from weft.understand.kinds.loads.gamma_runs import GammaSweep, sweep_of_runs

PredictionCheck = Mapping[str, float]
Sources = Sequence[str | StoredRun]
Size = int | None


def _fit_hockney(
    sources: Sources, size_bytes: Size, held: PredictionCheck, ceiling: bool
) -> FittedModel:
    _refuse_ceiling("hockney", ceiling)
    if held or size_bytes is not None:
        raise RequestError("--hold, --size: Hockney's model is fitted whole", "leave them out")
    if len(sources) > 1:
        raise RequestError("hockney is fitted to one run", "give one RUN")
    (source,) = sources
    return hockney_fit.fit(source if isinstance(source, StoredRun) else StoredRun.open(source))


def _fit_laws(
    sources: Sources, size_bytes: Size, held: PredictionCheck, ceiling: bool
) -> FittedModel:
    sweep = _sweep(sources, size_bytes)
    return replace(fit_laws(sweep.points, held, ceiling), notes=sweep.notes)


def _fit_laws_modified(
    sources: Sources, size_bytes: Size, held: PredictionCheck, ceiling: bool
) -> FittedModel:
    """Fit modified LAWS; a simulated machine's own p and beta are held, unless others are."""
    _refuse_ceiling("laws-modified", ceiling)
    sweep = _sweep(sources, size_bytes)
    fitted = fit_laws_modified(sweep.points, {**sweep.ratios, **held})
    return replace(fitted, notes=sweep.notes)


def _refuse_ceiling(model: str, ceiling: bool) -> None:
    if ceiling:
        raise RequestError(f"--ceiling: {model} has none", "take --model laws")


def _sweep(sources: Sources, size_bytes: Size) -> GammaSweep:
    first = sources[0]
    if len(sources) == 1 and isinstance(first, str) and not Path(first).is_dir():
        if size_bytes is not None:
            raise RequestError("--size: a table has no sizes", "leave it out")
        return GammaSweep(read_gamma_points(first), {})
    if len(sources) > 2:
        raise RequestError(
            f"{len(sources)} sources",
            "give a table, a run with offload, or two runs: before, after",
        )
    runs = [one if isinstance(one, StoredRun) else StoredRun.open(one) for one in sources]
    return sweep_of_runs(runs, size_bytes)


_FITS: dict[str, Callable[[Sources, Size, PredictionCheck, bool], FittedModel]] = {
    "hockney": _fit_hockney,
    "laws": _fit_laws,
    "laws-modified": _fit_laws_modified,
}


class Predictions(Table):
    """What a model predicts (shape: as the argument of `predict`): one-way times and throughput by size, or gains."""

    SCHEMA: ClassVar[pa.Schema] = pa.schema({})


class Parameters(Table):
    """The parameters of a model, with the unit in each name; an end of an interval that the data do not bound is
    null."""

    SCHEMA: ClassVar[pa.Schema] = pa.schema(
        {
            "name": pa.string(),
            "value": pa.float64(),
            "low": pa.float64(),
            "high": pa.float64(),
            "is_held": pa.bool_(),
        }
    )


class Fit(Said):
    """A model with the parameters that fit best. Made by `weft.fit`."""

    def __init__(self, fitted: FittedModel) -> None:
        self.fitted = fitted
        """All that was found, as `weft fit --json` has it."""

    @property
    def values(self) -> Mapping[str, float]:
        """The parameters by name, which includes the unit."""
        return self.fitted.values

    @cached_property
    def parameters(self) -> Parameters:
        """The parameters with their intervals."""
        return Parameters.of_objects(self.fitted.estimates, is_held=lambda one: one.held)

    @cached_property
    def residuals(self) -> Table:
        """Each measured value with the model's prediction; `at` is a size in bytes or a gamma (shape: values)."""
        return Table.of_results("residuals", residuals_table(self.fitted))

    def predict(self, at: npt.ArrayLike) -> Predictions:
        """The model at message sizes in bytes (hockney: time_us, throughput_mbps), or at gammas (laws: gain_share).

        `at` is a number or a sequence of numbers; the table has a row for each.
        """
        places = _numbers(at)
        predicted = self.fitted.model.predict(places)
        if self.fitted.axis == "gamma":
            return Predictions(pa.table({"gamma": places, "gain_share": predicted}))
        rates = {"throughput_mbps": places * 8.0 / predicted}
        return Predictions(pa.table({"size_bytes": places, "time_us": predicted} | rates))

    def lines(self) -> list[str]:
        """Doubts, then each parameter with its interval, the error of the model, and the sizes at which it does not
        hold."""
        found = self.fitted
        title = f"{found.name}: {found.rms_error_pct:.2f} % off (root mean square)"
        doubts = [f"disturbed: {one}" for one in found.doubts]
        parameters = map(_estimate_text, found.estimates)
        return [*doubts, title, *parameters, *found.notes, *misfit_lines(found.misfits)]


def _numbers(at: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Places on a curve (shape: places); raises ArgumentError if they are no numbers of 0 or more."""
    hint = "such as [1024, 65536]"
    try:
        places = np.atleast_1d(np.asarray(at, dtype=np.float64))
    except (TypeError, ValueError):
        raise ArgumentError(f"predict: {at!r} has something else than numbers", hint) from None
    if places.ndim != 1 or not np.all(places >= 0):
        raise ArgumentError(f"predict: {at!r} is not a list of numbers of 0 or more", hint)
    return places


def _estimate_text(one: Estimate) -> str:
    if one.held:
        return f"{one.name} = {shown(one.value)} (held)"
    if one.low is None and one.high is None:
        return f"{one.name} = {shown(one.value)}"
    low, high = ("open" if end is None else shown(end) for end in (one.low, one.high))
    return f"{one.name} = {shown(one.value)} ({low} to {high})"


def _doubts(sources: Sources) -> list[str]:
    """For each source that is an inconclusive run, the reason."""
    metas = [
        one.meta if isinstance(one, StoredRun) else RunMeta.read(Path(one))
        for one in sources
        if isinstance(one, StoredRun) or Path(one).is_dir()
    ]
    return [reason for meta in metas if (reason := not_usable(meta))]


def fitted_model(
    name: str, sources: Sources, size_bytes: Size, held: PredictionCheck, ceiling: bool
) -> FittedModel:
    """The model with this name, fitted to the sources, with doubts about these; raises RequestError."""
    if not sources:
        raise RequestError(f"{name} is fitted to a run", "give one")
    return _FITS[name](sources, size_bytes, dict(held), ceiling).doubted(_doubts(sources))


class Model(Said):
    """A model that can be fitted to runs."""

    def __init__(self, name: str) -> None:
        self.name = name

    @public
    def fit(
        self,
        *sources: Run | str | os.PathLike[str],
        hold: PredictionCheck | None = None,
        size_bytes: int | None = None,
        ceiling: bool = False,
    ) -> Fit:
        """Fit it to a run, to two (before and after offload), or to a table of gammas; raises RequestError if that is
        impossible. The arguments are those of `weft.fit`."""
        given = [one.stored if isinstance(one, Run) else os.fspath(one) for one in sources]
        return Fit(fitted_model(self.name, given, size_bytes, hold or {}, ceiling))

    def lines(self) -> list[str]:
        """Its name."""
        return [f"model {self.name}"]


class Models(dict[str, Model]):
    """Models by name; an unknown name raises RequestError."""

    def __missing__(self, name: str) -> NoReturn:
        raise RequestError(f"no model {name!r}", known_names(str(name), list(self)))


models = Models({name: Model(name) for name in _FITS})
"""The models by name: `weft.models["hockney"].fit(run).predict([1024])`."""


def fit(
    *runs: Run | str | os.PathLike[str],
    model: str,
    hold: PredictionCheck | None = None,
    size_bytes: int | None = None,
    ceiling: bool = False,
) -> Fit:
    """Fit a model: `weft.fit("runs/pair", model="hockney").predict([1024, 65536]).to_pandas()`.

    runs: for hockney a run with a ping-pong; for laws and laws-modified a run of gamma-sweep with offload, two of them
    (before, after), or a CSV or Parquet file with the columns gamma, before_mbps, after_mbps or gamma, gain. hold:
    parameters with fixed values. size_bytes: the message size to fit. ceiling: fit a greatest throughput too (laws).
    Raises RequestError if the runs lack what the model needs.
    """
    return models[model].fit(*runs, hold=hold, size_bytes=size_bytes, ceiling=ceiling)
