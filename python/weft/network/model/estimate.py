"""Results of a fit: the model's parameters, and its residuals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol

import numpy.typing as npt

from weft.base.statistics import Floats
from weft.base.table import ResultColumn, ResultTable
from weft.network.model.misfit import Misfit


@dataclass(frozen=True)
class Estimate:
    """A parameter; its unit is in its name.

    An interval end of None means that the points do not bound the parameter there. A parameter that is `held` was
    given, not fitted.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    held: bool = False


@dataclass(frozen=True)
class ModelResidual:
    """A measured value and the model's prediction; `error_pct` is the error of the prediction."""

    at: float
    quantity: str
    measured: float
    predicted: float
    error_pct: float


class TimeModel(Protocol):
    """The interface of all models."""

    def predict(self, at: npt.ArrayLike, /) -> Floats:
        """The predicted quantity at these sizes, application ratios, ..."""
        ...


@dataclass(frozen=True)
class FittedModel:
    """A fitted model: `coverage` is that of the intervals, `axis` the quantity along which residuals are given.

    With `misfits`, the points do not follow the model; with `doubts`, the measurement does not allow a conclusion. In
    both cases no intervals are given. `notes` name the assumptions of the model that do not hold.
    """

    name: str
    model: TimeModel
    estimates: Sequence[Estimate]
    coverage: float
    axis: str
    residuals: Sequence[ModelResidual]
    misfits: Sequence[Misfit] = ()
    doubts: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def values(self) -> Mapping[str, float]:
        """The parameters by name."""
        return {each.name: each.value for each in self.estimates}

    @property
    def rms_error_pct(self) -> float:
        """The root mean square of the model's relative errors at the points."""
        squares = [each.error_pct**2 for each in self.residuals]
        return math.sqrt(sum(squares) / len(squares))

    def doubted(self, doubts: Sequence[str]) -> FittedModel:
        """A copy with these doubts, without intervals if there are any."""
        if not doubts:
            return self
        estimates = [replace(each, low=None, high=None) for each in self.estimates]
        return replace(self, estimates=estimates, doubts=doubts)

    def to_json(self) -> dict[str, object]:
        """The document of `weft fit --json`."""
        return {
            "model": self.name,
            "parameters": self.estimates,
            "coverage": self.coverage,
            "rms_error_pct": self.rms_error_pct,
            "misfits": self.misfits,
            "doubts": self.doubts,
            "notes": self.notes,
            "residuals": [
                {self.axis: each.at, **{k: v for k, v in asdict(each).items() if k != "at"}}
                for each in self.residuals
            ],
        }


def residuals(
    at: Floats, quantity: str, measured: Floats, predicted: Floats
) -> list[ModelResidual]:
    """One residual a point, with errors relative to the measured value."""
    errors_pct = 100.0 * (predicted / measured - 1.0)
    columns = (at, measured, predicted, errors_pct)
    return [
        ModelResidual(where, quantity, seen, said, error_pct)
        for where, seen, said, error_pct in zip(*(each.tolist() for each in columns), strict=True)
    ]


def residuals_table(fitted: FittedModel) -> ResultTable:
    """A table of measured and predicted values; `at` is a size in bytes or a gamma."""
    columns = (
        ResultColumn("at", fitted.axis, spec=".10g"),
        ResultColumn("quantity", "quantity", str),
        ResultColumn("measured", "measured"),
        ResultColumn("predicted", "model"),
        ResultColumn("error_pct", "model is off", spec="+.2f"),
    )
    title = f"residuals, {fitted.rms_error_pct:.2f} % (root mean square)"
    return ResultTable.of(title, columns, fitted.residuals)
