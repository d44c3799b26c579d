"""Which designs keep which constraints, in the median world and in what share of all worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.decisions.decision.document import ConstraintResult
from weft.decisions.decision.request import Constraint, DecisionRequest
from weft.decisions.decision.response import place_of
from weft.decisions.decision.worlds import WorldModel, Worlds


@dataclass(frozen=True, eq=False)
class ConstraintOutcome:
    """A constraint with its value on each design, in the median world and in all worlds (worlds x designs)."""

    text: str
    limit: float
    values: Floats
    drawn: Floats

    @property
    def is_kept(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """By design, whether it is kept; not if there is no value."""
        kept: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = self.values <= self.limit
        return kept


@dataclass(frozen=True, eq=False)
class ConstraintOutcomes:
    """All constraints; `is_weighed` if anything is uncertain."""

    all: Sequence[ConstraintOutcome]
    designs: int
    is_weighed: bool

    @property
    def are_kept(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """By design, whether it keeps all constraints."""
        kept = np.ones(self.designs, bool)
        for one in self.all:
            kept &= one.is_kept
        return kept

    def kept(self, worlds: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """By world and design, whether all constraints are kept; as at the medians if nothing is uncertain."""
        if not self.is_weighed:
            return np.tile(self.are_kept, (worlds, 1))
        kept = np.ones((worlds, self.designs), bool)
        for one in self.all:
            kept &= one.drawn <= one.limit
        return kept

    def of(self, place: int) -> Iterator[ConstraintResult]:
        """For each constraint, whether the design at this index keeps it."""
        for one in self.all:
            value = float(one.values[place])
            known = bool(np.isfinite(value))
            yield ConstraintResult(
                one.text,
                value if known else 0.0,
                one.limit,
                bool(one.is_kept[place]),
                float((one.drawn[:, place] <= one.limit).mean())
                if known and self.is_weighed
                else None,
            )


def limits_of(
    request: DecisionRequest, model: WorldModel, worlds: Worlds, middle: Worlds
) -> ConstraintOutcomes:
    """The outcomes of a request's constraints; raises RequestError for a budget in another currency, or a size that no
    step has."""
    found = [_limit(one, model, worlds, middle) for one in request.constraints]
    return ConstraintOutcomes(found, len(model.designs), bool(model.quantities))


def _limit(one: Constraint, model: WorldModel, worlds: Worlds, middle: Worlds) -> ConstraintOutcome:
    if one.below_s is not None:
        place = place_of(one, model.response.columns)
        values, drawn = (np.exp(each.log_times[:, :, place]) for each in (middle, worlds))
        return ConstraintOutcome(one.text, float(one.below_s), values[0], drawn)
    if one.share is not None:
        shares = [design.bill.share if design.bill else None for design in model.designs]
        values = np.array([np.nan if share is None else share for share in shares])
        if np.isnan(values).all():
            raise RequestError(
                f"{one.text}: no design has a price of its nodes",
                "add one to the prices: [cost] per_node",
            )
        return ConstraintOutcome(one.text, float(one.share), values, values[np.newaxis])
    assert one.budget
    limit, currency = float(one.budget), one.budget.currency
    known = {design.bill.currency for design in model.designs if design.bill}
    if known and known != {currency}:
        raise RequestError(
            f"the budget is in {currency}, prices in {', '.join(sorted(known))}",
            "write it in that currency, or convert prices with [money]",
        )
    return ConstraintOutcome(one.text, limit, middle.prices[0], worlds.prices)
