"""What a fit says of a model's parameters and of the points it was fitted to."""

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

    An end of the interval that is None is one that the points do not give. One that was `held` was
    given, not fitted.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    held: bool = False


@dataclass(frozen=True)
class ModelResidual:
    """One measured value beside what the model predicts; `error_pct` is how far the model is off."""

    at: float
    quantity: str
    measured: float
    predicted: float
    error_pct: float


class TimeModel(Protocol):
    """The face that all models have."""

    def predict(self, at: npt.ArrayLike, /) -> Floats:
        """What the model is about, at sizes, application ratios, ..."""
        ...


@dataclass(frozen=True)
class Fitted:
    """A fitted model: `coverage` is that of the intervals, `axis` what the residuals lie along.

    With `misfits` the points do not follow the model, and no interval of it is stated; nor is one with `doubts`, which
    say why nothing can be concluded from what was measured. `notes` say which of the model's assumptions do not hold.
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
        """The root of the mean squared error of the model at the points."""
        squares = [each.error_pct**2 for each in self.residuals]
        return math.sqrt(sum(squares) / len(squares))

    def doubted(self, doubts: Sequence[str]) -> Fitted:
        """The same, without intervals where something is in doubt."""
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
    """One for each point, with errors relative to what was measured."""
    errors_pct = 100.0 * (predicted / measured - 1.0)
    columns = (at, measured, predicted, errors_pct)
    return [
        ModelResidual(where, quantity, seen, said, error_pct)
        for where, seen, said, error_pct in zip(*(each.tolist() for each in columns), strict=True)
    ]


def residuals_table(fitted: Fitted) -> ResultTable:
    """Each measured value beside what the model predicts; `at` is a size in bytes or a gamma."""
    columns = (
        ResultColumn("at", fitted.axis, spec=".10g"),
        ResultColumn("quantity", "quantity", str),
        ResultColumn("measured", "measured"),
        ResultColumn("predicted", "model"),
        ResultColumn("error_pct", "model is off", spec="+.2f"),
    )
    title = f"residuals, {fitted.rms_error_pct:.2f} % (root mean square)"
    return ResultTable.of(title, columns, fitted.residuals)
